"""Findings to facts: select, round once, and nothing else."""
