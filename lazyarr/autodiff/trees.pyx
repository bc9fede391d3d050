"""Trees, that is nested tuples, lists and dicts of arrays: flattening and rebuilding.

Native, because each training step flattens trees many times.
"""
from lazyarr._core.frontend.handle cimport layout_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node, same_shape

import copy


def leaves(tree):
    """Return the leaves of nested tuples, lists and dicts in order; dicts are sorted by the names of their keys.

    Examples
    --------
    >>> leaves({"w": [1, 2], "b": (3,)})
    [3, 1, 2]
    """
    cdef list found = []
    _gather(tree, found)
    return found


cdef int _gather(object tree, list found) except -1:
    if isinstance(tree, dict):
        for key in _keys(tree):
            _gather(tree[key], found)
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            _gather(part, found)
    elif tree is not None:
        found.append(tree)
    return 0


cpdef object rebuilt(tree, values):
    """Return a tree of the same structure, with leaves from an iterator.

    Examples
    --------
    >>> rebuilt({"w": [1, 2], "b": (3,)}, iter("abc"))
    {'w': ['b', 'c'], 'b': ('a',)}
    """
    cdef list parts
    if isinstance(tree, dict):
        made = tree.copy() if type(tree) is dict else copy.copy(tree)  # keeps the order of keys, and the class
        for key in _keys(tree):
            made[key] = rebuilt(tree[key], values)
        return made
    if isinstance(tree, (list, tuple)):
        parts = [rebuilt(part, values) for part in tree]
        if type(tree) is list:
            return parts
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return None if tree is None else next(values)


cpdef bint of_one_form(tree, other) except -1:
    """Return whether two trees have the same structure; a tuple counts as a list.

    Examples
    --------
    >>> of_one_form({"w": [1, 2]}, {"w": (3, 4)}), of_one_form({"w": [1, 2]}, {"w": 3})
    (True, False)
    """
    if isinstance(tree, dict):
        if not isinstance(other, dict) or len(tree) != len(other):
            return False
        for key, part in tree.items():
            if key not in other or not of_one_form(part, other[key]):
                return False
        return True
    if isinstance(tree, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(tree) != len(other):
            return False
        for part, another in zip(tree, other):
            if not of_one_form(part, another):
                return False
        return True
    return not isinstance(other, (dict, list, tuple))


def alike(list arrays, list others):
    """Return whether two lists of arrays have the same length, shapes and dtypes.

    Examples
    --------
    >>> alike([la.ones(2)], [la.zeros(2)]), alike([la.ones(2)], [la.zeros(3)])
    (True, False)
    """
    cdef Node a, b
    if len(arrays) != len(others):
        return False
    for x, y in zip(arrays, others):
        a, b = layout_of(<LazyArray?>x), layout_of(<LazyArray?>y)
        if not same_shape(a, b) or a.dtype != b.dtype:
            return False
    return True


def named(tree, prefix=""):
    """Return (name, leaf) pairs in order; names are the paths of the leaves, with dots.

    Examples
    --------
    >>> named({"w": [1, 2], "b": (3,)})
    [('b.0', 3), ('w.0', 1), ('w.1', 2)]
    """
    if isinstance(tree, dict):
        parts = [(key, tree[key]) for key in _keys(tree)]
    elif isinstance(tree, (list, tuple)):
        parts = list(enumerate(tree))
    else:
        return [] if tree is None else [(prefix, tree)]
    return [leaf for key, part in parts for leaf in named(part, f"{prefix}.{key}" if prefix else str(key))]


cdef list _keys(object tree):
    """Return the keys sorted by name, without calling `str` if all are strings."""
    for key in tree:
        if type(key) is not str:
            return sorted(tree, key=str)
    return sorted(tree)


def paths(tree):
    """Return the path of each leaf in Python's notation, in the order of `leaves`.

    Examples
    --------
    >>> paths({"w": [1, 2], "b": (3,)})
    ["['b'][0]", "['w'][0]", "['w'][1]"]
    """
    if isinstance(tree, dict):
        return [f"[{key!r}]{path}" for key in _keys(tree) for path in paths(tree[key])]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return [f".{name}{path}" for name, part in zip(tree._fields, tree, strict=True) for path in paths(part)]
    if isinstance(tree, (list, tuple)):
        return [f"[{k}]{path}" for k, part in enumerate(tree) for path in paths(part)]
    return [] if tree is None else [""]
