"""Ufuncs that write into an array at once."""
