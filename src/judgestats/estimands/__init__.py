"""Estimands: pure functions from posterior draws or posterior lines to named quantities."""
