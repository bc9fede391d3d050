"""The graph: nodes, how they are made, and what identifies a graph.

    node          immutable SSA values, their storage layout, freeing without recursion
    builder       constructors, one per kind of node
    provenance    inputs, and the serials of what a node was made of; `history` how evaluated nodes came about
    leaf          leaves from ndarrays and scalars
    kinds         sets of kinds (declarations only)
    inner_loops   (ufunc, operand types) -> inner loop; the one gate to NumPy's loops
    own_ufuncs    ufuncs that NumPy does not have
    loop_table    the records of inner loops; `data_loops` casts, copies, searches and other loops of no ufunc
    ufunc_traits  what the op table says about ufuncs
    fingerprint   topological order from the roots, and the key of the plan cache
    slice_pushdown  views moved below elementwise operations, so that only what they show is computed
    const_guards  constants on which a plan is specialised
    graph_ir      the description of a graph that compiler passes read
    tile_program  instructions over registers, and folds; pairs of operations in one pass
    step          the steps of a plan
    placeholder   parameters of traced functions: a shape and a dtype, no value
    device_function functions of nodes that devices run
    failures      nodes that failed, and everything computed from them
    fp_errors     errstates, and the source line that an error belongs to
    overlap       whether windows on one storage overlap
    ndarrays, shape   ndarrays on a node's memory; shapes as Python tuples

Nodes. A node is an operation with operands, shape, dtype and strides, all known when it is made. It never changes its
meaning. Evaluation gives it data and drops its operands (it becomes a leaf), unless history is kept for derivatives.

    pending  --evaluation-->  evaluated (data, no operands)
       |                          ^
       +--error of its values--> failed: keeps the exception; dependants raise the same one

Each node but VIEW owns a storage of `span` bytes. A VIEW is a window on its operand's storage, and its operand is never
a view: a view of a view is one window. Kernels and tile programs read windows in place, so slicing, transposing and
broadcasting in front of them cost nothing. An UPDATE is "the old storage with this window replaced"; it runs in place
when nothing reads the old value any more. Where the windows of several updates tile their storage, as parts of a split
do, they are marked BESIDE: no zeros are needed beneath them.
"""
