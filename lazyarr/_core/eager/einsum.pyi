"""Einsum at once."""
