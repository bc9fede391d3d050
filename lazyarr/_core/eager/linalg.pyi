"""Norms, ranks, powers and pseudo-inverses of small matrices at once, in the steps of NumPy's Python functions."""
