"""Estimands of score models: predictive distributions of scores and of paired differences, and what is read off them."""
