"""Averages, medians and quantiles that run at once."""
