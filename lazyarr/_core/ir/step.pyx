"""Steps of a plan: made by the compiler, run by the runtime, shown by `explain`."""
cimport cython


@cython.final
cdef class Step:
    """One native call of a plan, immutable; printed, it names nodes by their positions in the graph.

    Attributes
    ----------
    kind : {"tile", "opaque", "empty", "epilogue"}
        An epilogue is a kernel, which computes ``node``, and the tile program that reads its result.
    node : int
        What is computed; of a tile program the first of its nodes.
    program : TileProgram or None
    frees : tuple of int
        Intermediates whose last reader this is.
    donors : tuple of (int, int)
        The position of a store, and a dying input whose memory it may take over.
    in_place : tuple of int
        Updates whose old storage dies here.
    concurrent : int
        How many steps, from this one on, can run at the same time.
    recomputed : tuple of int
        What an earlier step has computed and reported, and this one computes for itself.
    rows : int
        How many steps, from this one on, can be fused by rows.

    Examples
    --------
    >>> print(Step("opaque", 3, frees=(1, 2)))
    opaque n3, frees n1 n2
    """
    def __init__(self, str kind, int node, TileProgram program=None, tuple frees=(), tuple donors=(),
                 tuple in_place=(), *, int concurrent=1, tuple recomputed=(), int rows=1):
        self.kind, self.node, self.program = kind, node, program
        self.frees, self.donors, self.in_place = frees, donors, in_place
        self.concurrent, self.recomputed, self.rows = concurrent, recomputed, rows
        self.nfrees = len(frees)
        self.moves = len(donors) > 0 or program is not None and program.updates
        self.behind_kernel = kind == "epilogue"

    def replace(self, **changes):
        """Return a copy of the step with some attributes replaced."""
        fields = {name: getattr(self, name) for name in (
            "kind", "node", "program", "frees", "donors", "in_place", "concurrent", "recomputed", "rows")}
        return Step(**(fields | changes))

    def __str__(self):
        about = [self.kind if self.kind == "tile" else f"{self.kind} n{self.node}"]
        if self.program is not None:
            about.append(f"over n{self.program.space}")
        for label, nodes in (("frees", self.frees), ("in place", self.in_place), ("recomputed", self.recomputed)):
            if nodes:
                about.append(f"{label} {' '.join([f'n{node}' for node in nodes])}")
        about += [f"n{self.program.stores[store]} in the memory of n{donor}" for store, donor in self.donors]
        if self.concurrent > 1:
            about.append(f"concurrent {self.concurrent}")
        if self.rows > 1:
            about.append(f"by rows {self.rows}")
        first = ", ".join(about)
        return first if self.program is None else f"{first}\n    " + str(self.program).replace("\n", "\n    ")

    def __repr__(self):
        return f"<Step {self}>"
