"""Functions of samples that run at once."""
