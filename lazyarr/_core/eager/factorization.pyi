"""Small factorizations and eigenvalues that run at once."""
