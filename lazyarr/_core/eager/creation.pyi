"""Making, copying, filling and casting arrays at once."""
