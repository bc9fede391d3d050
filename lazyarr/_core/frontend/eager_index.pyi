"""Indexing and assignment that run at once."""
