"""Making, copying and choosing at once."""
