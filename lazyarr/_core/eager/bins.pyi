"""Sorting values into bins at once."""
