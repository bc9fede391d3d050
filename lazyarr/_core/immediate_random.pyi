"""Uniform random numbers at once, from the function of the bit generator by which NumPy draws them."""
