"""Functions and methods that give views."""
