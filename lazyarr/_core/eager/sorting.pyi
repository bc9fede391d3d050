"""Choosing, sorting, joining and shifting at once."""
