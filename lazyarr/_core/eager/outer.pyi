"""Products of elements that are not summed, or by twos only."""
