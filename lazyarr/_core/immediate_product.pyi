"""Products and small linear algebra that run at once."""
