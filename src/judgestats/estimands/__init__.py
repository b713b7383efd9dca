"""Estimands: pure functions from posterior draws or weighted nodes to named quantities."""
