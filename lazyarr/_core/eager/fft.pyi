"""Discrete Fourier transforms at once."""
