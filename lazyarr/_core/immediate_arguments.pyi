"""Arguments of native forms."""
