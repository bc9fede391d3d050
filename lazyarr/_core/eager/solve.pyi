"""Small systems of equations that run at once."""
