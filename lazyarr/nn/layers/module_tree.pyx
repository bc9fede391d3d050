"""The arrays that layers hold in their attributes: found, and others put in their places.

Native, because each step of a training does both.
"""
from lazyarr._core.frontend.lazy_array cimport LazyArray

import numpy as np

cdef set _PLAIN = {int, float, bool, str, type(None), np.ndarray, np.random.Generator}  # hold neither arrays nor layers


def collected(part, bint buffers, dict seen, type layer):
    """The parameters, or the buffers, of a layer as a tree; None for nothing.

    `seen` has by id what has been found, layers too: it is not taken again. `layer` is the class Layer.
    """
    return _collected(part, buffers, False, seen, layer)


cdef object _collected(object part, bint buffers, bint is_state, dict seen, type layer):
    """The same of an attribute's value; `is_state` tells which arrays here are state."""
    cdef dict found
    cdef list items
    cdef bint empty = True
    kind = type(part)
    if kind is LazyArray:
        if is_state is not buffers or not (is_state or part.dtype.kind in "fc") or id(part) in seen:
            return None
        seen[id(part)] = part
        return part
    if kind is list or kind is tuple:
        items = []
        for item in part:
            held = _collected(item, buffers, is_state, seen, layer)
            items.append({} if held is None else held)
            empty = empty and held is None
        return None if empty else items
    found = {}
    if isinstance(part, layer):
        if id(part) in seen:
            return None
        seen[id(part)] = part
        names = part.buffer_names
        for name, value in part.__dict__.items():
            if type(value) in _PLAIN or (<str>name)[0] == u"_":
                continue
            held = _collected(value, buffers, is_state or name in names, seen, layer)
            if held is not None:
                found[name] = held
    elif kind is dict:
        for name, value in (<dict>part).items():
            held = _collected(value, buffers, is_state, seen, layer)
            if held is not None:
                found[name] = held
    return found or None


def exchange(part, dict instead, list undo, type layer):
    """Put other arrays, given by the ids of those they take the places of, into a layer.

    What undoes it is added to `undo`: (attributes, name, what stood there). `layer` is the class Layer.
    """
    _exchange(part, instead, undo, set(), layer)


cdef int _exchange(object part, dict instead, list undo, set seen, type layer) except -1:
    cdef dict attributes = part.__dict__
    if id(part) in seen:
        return 0
    seen.add(id(part))
    for name, value in list(attributes.items()):
        if type(value) in _PLAIN:
            continue
        other = _replacement(value, instead, undo, seen, layer)
        if other is not value:
            undo.append((attributes, name, value))
            attributes[name] = other
    return 0


cdef object _replacement(object value, dict instead, list undo, set seen, type layer):
    """What stands in place of an attribute's value: a container with arrays that are replaced is made anew."""
    cdef bint same = True
    kind = type(value)
    if kind is LazyArray:
        return instead.get(id(value), value)
    if isinstance(value, layer):
        _exchange(value, instead, undo, seen, layer)
    elif kind is list or kind is tuple:
        others = []
        for item in value:
            other = _replacement(item, instead, undo, seen, layer)
            same = same and other is item
            others.append(other)
        return value if same else kind(others)
    elif kind is dict:
        changed = {}
        for key, item in (<dict>value).items():
            other = changed[key] = _replacement(item, instead, undo, seen, layer)
            same = same and other is item
        return value if same else changed
    return value


def first_that_cannot_be_trained(list arrays):
    """The position of the first that is no lazy array of floats that can be written to; -1 if all are.

    Results that stand for NumPy's scalars cannot be written to.
    """
    cdef LazyArray x
    cdef Py_ssize_t k
    for k in range(len(arrays)):
        if not isinstance(arrays[k], LazyArray):
            return k
        x = arrays[k]
        if not x.writeable or x.scalar or x.node.dtype.kind != "f":
            return k
    return -1
