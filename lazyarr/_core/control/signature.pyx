"""Signatures: what decides, besides the values of arrays, which cached graph a call runs.

Each call of a jitted function computes one, so this is most of what such a call costs.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from lazyarr._core.frontend.handle cimport layout_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.fp_errors cimport current_errstate
from lazyarr._core.ir.loop_table cimport is_native
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.shape cimport shape_tuple

cdef extern from "Python.h":
    PyObject* PyCell_Get(object cell)  # NULL without an exception if the cell is empty

cdef object _UNBOUND = object()


def settings():
    """Return the settings that a traced graph depends on: `config.fast_math` and a number for the errstate."""
    return fast_math(), current_errstate()


def signature_of(tree, list arrays, leaf):
    """Return a hashable key of everything in a tree of arguments but the values of arrays.

    Parameters
    ----------
    tree : object
        Arrays and other values in nested tuples, lists and dicts.
    arrays : list of LazyArray
        The arrays of the tree are appended to it.
    leaf : callable
        ``leaf(x, arrays)`` is the key of a part that is neither one of these nor a native lazy array.
    """
    cdef Node node
    kind = type(tree)
    if kind is LazyArray:
        node = layout_of(<LazyArray>tree)
        if not is_native(node.typenum):
            return leaf(tree, arrays)
        arrays.append(tree)
        return shape_tuple(node), node.dtype, (<LazyArray>tree).scalar
    if isinstance(tree, dict):
        keys = sorted(tree, key=str)  # the order of `leaves`; the function may read them in their own order
        return kind, *tree, *[signature_of(tree[key], arrays, leaf) for key in keys]
    if isinstance(tree, (list, tuple)):
        return kind, *[signature_of(part, arrays, leaf) for part in tree]
    return leaf(tree, arrays)


def referent(str name, namespace):
    """Return what a name refers to in a dict or a cell; a marker if it refers to nothing."""
    cdef PyObject* content
    if type(namespace) is dict:
        return (<dict>namespace).get(name, _UNBOUND)
    content = PyCell_Get(namespace)
    if content is NULL:
        return _UNBOUND
    found = <object>content
    Py_DECREF(found)
    return found


def first_rebound(list references):
    """Return the first name that refers to another object than it did; None if there is none.

    Parameters
    ----------
    references : list of (str, dict or cell, object)
        Names, where to look them up, and what they referred to.
    """
    for name, namespace, value in references:
        if referent(name, namespace) is not value:
            return name
    return None
