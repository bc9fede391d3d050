"""Nested tuples, lists and dicts of arrays, as lists of their arrays and back."""


def leaves(tree):
    """The leaves of nested tuples, lists and dicts in order; of dicts in the order of their keys' names.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import leaves
    >>> leaves({"w": [1, 2], "b": (3,)})
    [3, 1, 2]
    """
    if isinstance(tree, dict):
        return [leaf for key in _keys(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, list | tuple):
        return [leaf for part in tree for leaf in leaves(part)]
    return [] if tree is None else [tree]


def rebuilt(tree, values):
    """A tree like this one, its leaves taken from an iterator.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import rebuilt
    >>> rebuilt({"w": [1, 2], "b": (3,)}, iter("abc"))
    {'w': ['b', 'c'], 'b': ('a',)}
    """
    if isinstance(tree, dict):
        made = {key: rebuilt(tree[key], values) for key in _keys(tree)}
        return type(tree)((key, made[key]) for key in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[rebuilt(part, values) for part in tree])
    if isinstance(tree, list | tuple):
        return type(tree)([rebuilt(part, values) for part in tree])
    return None if tree is None else next(values)


def named(tree, prefix=""):
    """The leaves in order, each with the way that leads to it.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import named
    >>> named({"w": [1, 2], "b": (3,)})
    [('b.0', 3), ('w.0', 1), ('w.1', 2)]
    """
    if isinstance(tree, dict):
        parts = [(key, tree[key]) for key in _keys(tree)]
    elif isinstance(tree, list | tuple):
        parts = list(enumerate(tree))
    else:
        return [] if tree is None else [(prefix, tree)]
    return [leaf for key, part in parts for leaf in named(part, f"{prefix}.{key}" if prefix else str(key))]


def _keys(tree):
    return sorted(tree, key=str)
