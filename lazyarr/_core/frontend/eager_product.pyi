"""Products of vectors and matrices that run at once."""
