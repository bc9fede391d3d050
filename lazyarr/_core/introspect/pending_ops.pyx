"""The pending operations below an array, without evaluating it."""
from lazyarr._core.frontend.handle cimport node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport EXPAND, LEAF, MAP, OPAQUE, REDUCE, REPEAT, UPDATE, Node, is_evaluated


cdef str operation(Node node):
    """The name of a node in reports, None for what computes nothing: views, results of several, inputs."""
    if MAP <= node.kind <= EXPAND:
        return <object>node.loop.name
    if node.kind == REDUCE:
        return <object>node.loop.name + (".reduce" if node.loop.ufunc is not NULL else "")
    if node.kind in (OPAQUE, REPEAT):
        return node.payload[0]
    return "setitem" if node.kind == UPDATE else None


def below(LazyArray x):
    """The names of the operations that evaluating x would run, and the number and bytes of the arrays they read.

    Returns
    -------
    names : list of str
    arrays, nbytes : int
    """
    cdef Node node = x.node if x.mask is not None else node_of(x)  # a selection stays one
    cdef list names = [], todo = [node]
    cdef set seen = {id(node)}
    cdef int i, arrays = 0
    cdef object nbytes = 0
    while todo:
        node = todo.pop()
        name = operation(node)
        if name is not None and not is_evaluated(node):
            names.append(name)
        elif node.kind == LEAF:
            arrays += 1
            nbytes += node.span
        for i in range(node.ninputs):
            following = <object>node.inputs[i]
            if id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return (names, arrays, nbytes) if names else ([], 0, 0)
