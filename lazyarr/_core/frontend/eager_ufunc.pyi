"""Ufuncs that run at once."""
