"""Joining arrays at once, putting elements in, leaving them out, and shifting them."""
