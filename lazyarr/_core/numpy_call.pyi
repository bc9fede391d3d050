"""NumPy's own functions on arrays that are ready."""
