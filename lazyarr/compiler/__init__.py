"""Passes over the graph: pure functions from a description of it to a plan."""
