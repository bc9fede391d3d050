"""Optimisers, and clipping of gradients."""
