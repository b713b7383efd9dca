"""Readers: one file a format; each gives a raw table of text columns."""
