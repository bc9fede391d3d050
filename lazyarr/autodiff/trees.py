"""Nested tuples, lists and dicts of arrays, as lists of their arrays and back."""
import copy


def leaves(tree):
    """The leaves of nested tuples, lists and dicts in order; of dicts in the order of their keys' names.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import leaves
    >>> leaves({"w": [1, 2], "b": (3,)})
    [3, 1, 2]
    """
    found: list = []
    _gather(tree, found)
    return found


def _gather(tree, found):
    if isinstance(tree, dict):
        for key in _keys(tree):
            _gather(tree[key], found)
    elif isinstance(tree, list | tuple):
        for part in tree:
            _gather(part, found)
    elif tree is not None:
        found.append(tree)


def rebuilt(tree, values):
    """A tree like this one, its leaves taken from an iterator.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import rebuilt
    >>> rebuilt({"w": [1, 2], "b": (3,)}, iter("abc"))
    {'w': ['b', 'c'], 'b': ('a',)}
    """
    if isinstance(tree, dict):
        made = copy.copy(tree)  # in the order of its keys, and whatever kind of dict it is
        made.update([(key, rebuilt(tree[key], values)) for key in _keys(tree)])
        return made
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


def paths(tree):
    """Where each leaf is found in a tree, as Python writes it, in the order of `leaves`.

    Examples
    --------
    >>> from lazyarr.autodiff.trees import paths
    >>> paths({"w": [1, 2], "b": (3,)})
    ["['b'][0]", "['w'][0]", "['w'][1]"]
    """
    if isinstance(tree, dict):
        return [f"[{key!r}]{path}" for key in _keys(tree) for path in paths(tree[key])]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return [f".{name}{path}" for name, part in zip(tree._fields, tree, strict=True) for path in paths(part)]
    if isinstance(tree, list | tuple):
        return [f"[{k}]{path}" for k, part in enumerate(tree) for path in paths(part)]
    return [] if tree is None else [""]
