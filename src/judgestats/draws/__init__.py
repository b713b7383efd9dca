"""Draws: the result tree, intervals and summaries, diagnostics through ArviZ, reading and writing."""
