"""Dispatch to operands of the program's own classes: NEP 18 and NEP 13.

Such classes compare the function they are called with to functions they know: ``HANDLED[func]``, ``func is np.sum``. A
class whose NumPy is this namespace gets this namespace's function, any other class NumPy's.
"""
import sys
from types import ModuleType
from weakref import WeakKeyDictionary

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import Function, LazyArray, UfuncCaller

_knowing = WeakKeyDictionary()


def knows_face(kind, protocol):
    """Return whether a class implements the protocol in a module that uses this namespace, judged by its globals."""
    known = _knowing.setdefault(kind, {})
    if protocol not in known:
        names = getattr(getattr(kind, protocol, None), "__globals__", {})
        known[protocol] = any(map(_is_of_face, names.values()))
    return known[protocol]


def _is_of_face(value):
    return (isinstance(value, Function | UfuncCaller) and not value.waits) \
        or (isinstance(value, ModuleType) and value is sys.modules.get("lazyarr.numpy"))


def in_order(operands):
    """Return one operand of each class, in NumPy's order: subclasses before their bases."""
    found = []
    for operand in operands:
        kind = type(operand)
        if kind not in map(type, found):
            place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(place, operand)
    return found


def _relevant(original, args, kwargs, operands):
    """Return the operands that NumPy would try, according to the function's dispatcher if it can be found."""
    names = getattr(original._implementation, "__globals__", {})
    dispatcher = names.get(f"_{original.__name__}_dispatcher")
    if dispatcher is None:
        return operands
    return [x for x in dispatcher(*args, **kwargs) if any(x is operand for operand in operands)]


def call_override(function, operands, args, kwargs):
    """Call the operands' `__array_function__`; return NotImplemented if no class uses this namespace."""
    operands = in_order(_relevant(function.original, args, kwargs, operands))
    types = tuple(map(type, operands))
    arrays = LazyArray, np.ndarray
    candidates = [operand for operand in operands if type(operand) not in arrays]
    if not any(knows_face(type(operand), "__array_function__") for operand in candidates) \
            or (LazyArray in types and any(isinstance(operand, np.ndarray) for operand in candidates)):
        return NotImplemented
    for operand in candidates:
        known = function if knows_face(type(operand), "__array_function__") else function.original
        made = operand.__array_function__(known, types, args, kwargs)
        if made is not NotImplemented:
            return made
    name = f"{function.original.__module__}.{function.original.__name__}"
    raise TypeError(f"no implementation found for {name!r} on types that implement __array_function__: {list(types)}")


def call_ufunc_override(face, method, args, kwargs):
    """Dispatch a ufunc of this namespace, or a method of it, after NumPy has checked and arranged the arguments."""
    out = kwargs.get("out", ())
    operands = (*args, *(out if isinstance(out, tuple) else (out,)))
    if not any(core.is_answering(x) and knows_face(type(x), "__array_ufunc__") for x in operands):
        return NotImplemented
    given = {name: _with_stand_ins(x, face) for name, x in kwargs.items()}
    return getattr(face.ufunc, method)(*_with_stand_ins(args, face), **given)


class _StandIn:
    """A proxy for an operand while NumPy arranges the arguments of a call; then it dispatches to the operands."""

    def __init__(self, operand, face):
        self.operand, self.face = operand, face

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs, kwargs = _operands(inputs), {name: _operands(x) for name, x in kwargs.items()}
        made = call_array_ufunc(self.face, method, inputs, kwargs)
        if made is NotImplemented:
            given = ", ".join([*map(repr, inputs), *[f"{name}={x!r}" for name, x in kwargs.items()]])
            types = ", ".join([repr(type(x).__name__) for x in (*inputs, *kwargs.get("out", ()))])
            raise TypeError("operand type(s) all returned NotImplemented from "
                            f"__array_ufunc__({self.face.ufunc!r}, {method!r}, {given}): {types}")
        return made


def _with_stand_ins(x, face):
    """Replace operands that have `__array_ufunc__` by proxies, also in a tuple; a proxy of one that opts out fails."""
    if type(x) is tuple:
        return tuple([_with_stand_ins(item, face) for item in x])
    overrides = getattr(type(x), "__array_ufunc__", None) is not None and not isinstance(x, np.generic)
    return _StandIn(x, face) if overrides and type(x) is not np.ndarray else x


def _operands(x):
    if type(x) is tuple:
        return tuple(map(_operands, x))
    return x.operand if type(x) is _StandIn else x


def call_array_ufunc(face, method, inputs, kwargs):
    """Return the result of the first operand that implements a ufunc; NotImplemented if none does."""
    for operand in in_order(filter(core.is_answering, (*inputs, *kwargs.get("out", ())))):
        kind = type(operand)
        if kind.__array_ufunc__ is None:
            break  # NumPy raises
        known = face if knows_face(kind, "__array_ufunc__") else face.ufunc
        made = operand.__array_ufunc__(known, method, *inputs, **kwargs)
        if made is not NotImplemented:
            return made
    return NotImplemented


core.set_hook("override", call_override)
core.set_hook("ufunc_override", call_ufunc_override)
