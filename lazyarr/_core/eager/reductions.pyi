"""Reductions and running sums that run at once."""
