"""Making, copying, joining and shifting arrays at once."""
