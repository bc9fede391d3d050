"""Functions that look at nothing but the shape or the dtype of an array."""
