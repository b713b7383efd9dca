"""judgestats: hierarchical Bayesian statistics for LLM judges."""

__version__ = "0.1.0.dev0"
