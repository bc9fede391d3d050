"""Joining, shifting and differences at once."""
