"""The graph: nodes, how they are made, and what identifies a graph.

A `node.Node` is an operation with its operands, its shape and dtype, or a leaf with values. `builder` makes nodes,
`inner_loops` finds the loop of a ufunc for given dtypes, `fingerprint` walks a graph and computes the key under which
its plan is cached, `const_guards` says which constants a plan depends on. `graph_ir` is the form that the compiler
reads. `overlap` tells whether two windows share memory, `fp_errors` where a floating-point error is reported.
"""
