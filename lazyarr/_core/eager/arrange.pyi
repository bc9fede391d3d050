"""Repeating, padding and flattening at once; triangles and diagonals of matrices, and Kronecker products."""
