"""`np.ndarray` as scripts use it: instances, subclasses, methods called through the class."""
import functools
import inspect
import types

import numpy as np
import pytest

import lazyarr.numpy as la
from lazyarr import LazyArray


def test_isinstance_ndarray():
    assert isinstance(la.zeros(2), la.ndarray)
    assert isinstance(np.zeros(2), la.ndarray)
    assert not isinstance([1], la.ndarray)
    assert issubclass(np.ndarray, la.ndarray)
    assert issubclass(LazyArray, la.ndarray)


def test_the_type_of_an_array_equals_ndarray():
    for kind in type(la.zeros(2)), type(np.zeros(2)), la.ndarray:
        assert kind == la.ndarray
        assert la.ndarray == kind
    for kind in list, type(None):
        assert kind != la.ndarray
    assert type(la.zeros(2)) in (list, la.ndarray)
    assert {la.ndarray: "array"}[type(la.zeros(2))] == "array"


def test_single_dispatch_finds_arrays():
    @functools.singledispatch
    def kind(x):
        return "other"

    kind.register(la.ndarray, lambda x: "array")
    assert kind(la.zeros(2)) == "array"
    assert kind([1]) == "other"


def test_calling_ndarray_makes_an_array():
    assert la.ndarray((2, 3), "f4").dtype == np.float32
    memory = bytearray(16)
    view = la.ndarray((2,), float, memory)
    view[0] = 3.0
    assert np.frombuffer(memory)[0] == 3.0
    assert isinstance(la.ndarray[int], types.GenericAlias)


def test_a_class_derived_from_ndarray_is_derived_from_numpys():
    class Tagged(la.ndarray):
        def __new__(cls, data):
            return np.asarray(data).view(cls)

    class Sized(la.ndarray):
        def __new__(cls, n):
            return super().__new__(cls, (n,))

    assert issubclass(Tagged, np.ndarray)
    assert type(Tagged([1, 2]) + 1) is Tagged
    assert Sized(3).shape == (3,)


def test_unbound_methods_of_ndarray():
    assert la.ndarray.sum(la.array([1, 2])) == 3
    assert la.ndarray.__add__(la.array([1, 2]), 1).tolist() == [2, 3]
    assert la.ndarray.shape.__get__(la.zeros((2, 3))) == (2, 3)
    assert la.ndarray.__repr__(la.zeros(1)) == "array([0.])"
    assert la.ndarray.sum(np.array([1, 2])) == 3
    assert la.ndarray.__doc__.startswith("The type of arrays")
    assert la.ndarray.__hash__ is None
    assert inspect.signature(la.ndarray.resize) == inspect.signature(np.ndarray.resize)
    for name in dir(np.ndarray):
        assert callable(getattr(la.ndarray, name)) or not callable(getattr(np.ndarray, name)), name


def test_types_of_numpys_scalars_take_a_scalar_of_an_array_without_axes():
    day, time, length = la.array("2020-01-01", "M8[D]"), la.array(5, "m8[s]"), la.array(5)
    with pytest.raises(ValueError, match="Could not convert"):
        np.datetime64(day)
    assert np.datetime64(day[()]) == np.datetime64("2020-01-01")
    assert np.timedelta64(time[()]) == np.timedelta64(5, "s")
    assert np.void(length[()]) == np.void(5)


def derived(xp):
    """A class that calls the methods of its base by name, as classes were written before `super()` was short."""
    class Derived(xp.ndarray):
        def __new__(cls, values):
            return xp.ndarray.__new__(cls, (len(values),)).filled(values)

        def __init__(self, values):
            xp.ndarray.__init__(self)

        def __array_finalize__(self, obj):
            xp.ndarray.__array_finalize__(self, obj)
            self.unit = getattr(obj, "unit", "m")

        def filled(self, values):
            xp.ndarray.__setitem__(self, slice(None), values)
            return self

        def __getitem__(self, key):
            return xp.ndarray.__getitem__(self, key)

        def __add__(self, other):
            return xp.ndarray.__add__(self, other)

        def __repr__(self):
            return f"{xp.ndarray.__repr__(self)} {self.unit}"

        def __reduce__(self):
            return xp.ndarray.__reduce__(self)[1][1:]

        def __eq__(self, other):
            return xp.ndarray.__eq__(self, other)

        def __len__(self):
            return 10 * xp.ndarray.__len__(self)

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            inputs = [x.view(xp.ndarray) if isinstance(x, Derived) else x for x in inputs]
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

        @property
        def shape(self):
            return xp.ndarray.shape.__get__(self)

        def mean(self, *args, **kwargs):
            return xp.ndarray.mean(self.view(type=xp.ndarray), *args, **kwargs)

    return Derived


@pytest.mark.parametrize("line", [
    "x", "x[1]", "x[1:]", "x + 1", "x * x", "-x", "x == 2", "len(x)", "x.shape", "x.mean()", "x.__reduce__()", "x.unit",
    "x.view(xp.ndarray)", "x.view(type=xp.ndarray) + 1", "xp.sqrt(x)", "xp.add.reduce(x)", "xp.ndarray.copy(x)",
    "type(x[:2]) is cls", "type(x.view(xp.ndarray)) is xp.ndarray", "cls.__mro__[1:]",
])
def test_a_derived_class_calls_methods_of_ndarray_by_name(line):
    def shown(xp):
        cls = derived(xp)
        return repr(eval(line, {"xp": xp, "cls": cls, "x": cls([1.0, 2.0, 4.0])}))

    assert shown(la) == shown(np)


OTHERS = {
    "matrix": lambda: np.matrix([[1.0, 2.0]]),
    "masked array": lambda: np.ma.array([[1.0, 2.0]], mask=[[0, 1]]),
    "masked values": lambda: np.ma.array([1.0, 2.0]).filled(0),
    "records": lambda: np.rec.array([(1, 2.0)], dtype="i4,f8"),
    "characters": lambda: np.char.chararray((2,), 1),
    "derived": lambda: np.ones((1, 2)).view(derived(la)),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_view_as_ndarray(make):
    """NumPy's own classes give what is an ndarray and nothing else, on the same memory."""
    array = make()
    view, real = array.view(la.ndarray), array.view(np.ndarray)
    assert type(view) is la.ndarray or type(array) is np.ndarray
    assert isinstance(view, np.ndarray)
    assert repr(view) == repr(real)
    assert str(view) == str(real)
    assert np.shares_memory(view, real)
    assert type(view[0]) is type(view) or not isinstance(view[0], np.ndarray)
    assert la.asarray(view).tolist() == real.tolist()
    if real.dtype.kind == "f":
        assert type(view + 1) is np.ndarray
        assert isinstance(view + la.ones(2), la.ndarray)
        assert isinstance(la.ones(2) + view, la.ndarray)
        assert type(view.sum()) is np.float64
        assert np.add(view, 1, out=view) is view
        assert np.divmod(view, 1, out=(view, view))[0] is view
        view[...] = 5
        assert (real == 5).all()
        target = la.zeros(real.shape)
        target[:] = view
        assert target.tolist() == real.tolist()
