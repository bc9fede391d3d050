"""Rounding elements, and replacing those that are no numbers, at once."""
