"""Arrays of Python's numbers."""
