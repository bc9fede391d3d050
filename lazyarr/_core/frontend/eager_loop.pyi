"""Loops over spaces of any number of axes."""
