"""Convolution, interpolation, binary search and counting at once."""
