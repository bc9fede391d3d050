"""Means, variances and standard deviations at once."""
