"""Derivatives and batching of graphs.

`vjp` walks from results to inputs and builds the nodes of vector-Jacobian products by the rules of `vjp_rules`, in the
order of `path_order`; `vmap` builds a graph for a batch of operands. Graphs record what they are made of: nothing is
taped.
"""
