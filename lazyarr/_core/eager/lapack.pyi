"""Calls of NumPy's loops for LAPACK on small matrices, at once."""
