"""Looking inside: what was evaluated, how long it took, and what fell back to NumPy."""
