"""Comparisons of whole arrays that run at once."""
