"""Memory shared with NumPy, C or other objects: all see all writes, as with ndarrays."""

import array
import ctypes
import multiprocessing.sharedctypes
import pickle
import struct

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp
from support import lazy_helpers

SIZES = (5, 50_000)  # done at once, and by a graph


class Derived(np.ndarray):
    pass


# ---- lent: others write to our memory --------------------------------------------------------------------

WRITERS = {
    "ctypes.data": lambda x: ctypes.memmove(x.ctypes.data, struct.pack("d", 5), 8),
    "ctypes.data_as": lambda x: x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)).__setitem__(0, 5),
    "__array_interface__": lambda x: ctypes.memmove(x.__array_interface__["data"][0], struct.pack("d", 5), 8),
    "__array_struct__": lambda x: np.asarray(_Struct(x)).__setitem__(0, 5),
    "memoryview": lambda x: memoryview(x).__setitem__(0, 5.0),
    "data": lambda x: x.data.__setitem__(0, 5.0),
    "pack_into": lambda x: struct.pack_into("d", x, 0, 5),
    "asarray": lambda x: np.asarray(x).__setitem__(0, 5),
    "matrix": lambda x: x.view(np.matrix).__setitem__((0, 0), 5),
    "masked": lambda x: np.ma.array(x, copy=False).__setitem__(0, 5),
    "view": lambda x: x.view(Derived).__setitem__(0, 5),
    "view as": lambda x: x.view(np.ma.MaskedArray).__setitem__(0, 5),
    "a view": lambda x: np.asarray(x[:3]).__setitem__(0, 5),
}


class _Struct:
    def __init__(self, x):
        self.x, self.__array_struct__ = x, x.__array_struct__


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_others_write_is_seen_and_does_not_reach_what_waits(writer, size):
    x = xp.zeros(size)
    view, waits = x[:2], la.add(x, 1)
    WRITERS[writer](x)
    assert x[0] == 5
    assert view[0] == 5
    assert waits.sum() == size
    assert (x + 1)[0] == 6


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lend", [
    np.asarray, memoryview, lambda x: x.view(Derived), lambda x: np.ma.array(x, copy=False), lambda x: x.data,
    lambda x: x.view("i8", Derived).view("f8"), np.frombuffer,
])
def test_what_is_lent_sees_all_writes(lend, size):
    x = xp.zeros(size)
    lent = lend(x)
    x[0] = 1
    assert lent[0] == 1
    x += 1
    assert (lent[0], lent[1]) == (2, 1)
    x[1:3] = la.arange(2)
    assert (lent[1], lent[2]) == (0, 1)
    x[x == 2] = 7
    assert lent[0] == 7
    x[[0, 2]] = [8, 9]
    assert (lent[0], lent[2]) == (8, 9)
    np.multiply(x, 2, out=x)
    assert lent[0] == 16
    x[::-1].sort()
    assert lent[0] == 18
    lent[0] = 3
    assert x[0] == 3


def test_lending_copies_nothing():
    x = la.zeros(1000) + 1
    assert np.asarray(x).ctypes.data == x.numpy().ctypes.data


def test_pending_arrays_are_lent_their_values():
    x = lazy_helpers.pending([1.0, 2.0])
    lent = np.asarray(x)
    x *= 3
    assert lent.tolist() == [3, 6]


def test_memory_is_no_longer_shared_when_nobody_has_it():
    x = la.zeros(3) + 1
    lent = np.asarray(x)
    del lent
    before = x.numpy()
    x += 1
    assert before.tolist() == [1, 1, 1]


def test_what_waits_reads_what_was_there():
    x = xp.ones(50_000)
    lent = np.asarray(x)
    waits = x * 2
    lent[:] = 9
    later = x * 2
    assert waits.sum() == 100_000
    assert later.sum() == 18 * 50_000


def test_another_shape_or_dtype_keeps_the_memory():
    x = xp.zeros(6)
    lent = np.asarray(x)
    x.shape = (2, 3)
    x[1, 2] = 4
    assert lent[5] == 4
    x.dtype = "i8"
    x[0, 0] = 0
    lent[1] = 1.0
    assert x.view("f8")[0, 1] == 1


def test_values_that_derivatives_need_are_not_lent():
    x = la.array([1.0, 2.0])

    def f(x):
        y = x * x
        assert not np.asarray(y).flags.writeable
        return y.sum()

    assert la.grad(f)(x).tolist() == [2, 4]


def test_read_only_arrays_are_lent_to_be_read():
    x = xp.zeros(3)
    x.flags.writeable = False
    assert not np.asarray(x).flags.writeable
    assert memoryview(x).readonly
    with pytest.raises((TypeError, BufferError, ValueError)):
        struct.pack_into("d", x, 0, 5)


def test_arrays_made_of_scalars_are_their_own():
    scalar = la.array([1.0]).sum()
    for made in np.asarray(scalar), np.array(scalar, copy=None), np.asarray(scalar, dtype="f4"):
        made += 1
        assert (made, scalar) == (2, 1)


def test_a_function_that_keeps_its_argument_shares_it():
    class Keeper:
        def __array_function__(self, func, types, args, kwargs):
            return NotImplemented

    x = xp.zeros((2, 2))
    kept = []
    np.apply_over_axes(lambda a, axis: kept.append(a) or a, x, 0)
    x[0, 0] = 4
    assert np.asarray(kept[0])[0, 0] == 4


def test_arrays_of_objects_are_written_from_themselves():
    x = xp.array([1, None, "x"], dtype=object)
    x[...] = x[:1]
    assert x.tolist() == [1, 1, 1]
    x[0] = x
    assert x[0] is x
    x[1:] = [x[:2], None]
    assert x[1].base is x
    x[:2] = None  # refers to itself no longer


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("key", [[0], ([0],), slice(0, 1), 0, np.array(0), (0, ...), [True, False, False], [5], 5])
def test_an_array_written_to_elements_of_objects(n, key):
    """The whole array to an element that is named by its number, its elements to all else; NumPy's error."""
    def written(xp):
        x, value = xp.array([1, None, "x"][:n], dtype=object), xp.arange(3).astype(object)[:n]
        try:
            x[key] = value
        except (IndexError, ValueError) as error:
            return type(error), str(error)
        return repr(x)
    assert written(xp) == written(np)


def test_arrays_that_warn_of_writes_are_lent_so():
    x, _ = xp.broadcast_arrays(xp.zeros(1), xp.zeros(3))
    lent = x.view(Derived)
    with pytest.warns(DeprecationWarning, match="overlapping memory"):
        lent[0] = 1


# ---- borrowed: memory of others --------------------------------------------------------------------------

SOURCES = {
    "ndarray": lambda: np.zeros(5),
    "a view": lambda: np.zeros(10)[::2],
    "RawArray": lambda: multiprocessing.sharedctypes.RawArray("d", 5),
    "array.array": lambda: array.array("d", [0] * 5),
    "ctypes": lambda: (ctypes.c_double * 5)(),
    "memoryview": lambda: memoryview(bytearray(40)).cast("d"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_memory_of_others_is_shared(source):
    given = SOURCES[source]()
    x = xp.asarray(given)
    x[0] = 3
    assert given[0] == 3
    given[1] = 4
    assert x[1] == 4
    xp.array(given, copy=False)[2] = 7
    assert given[2] == 7
    x += 1
    assert list(given) == [4, 5, 8, 1, 1]
    copied = xp.array(given)
    copied[0] = 99
    assert given[0] == 4
    for convert in (xp.array, xp.asarray):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            convert(given, dtype="f4", copy=False)


def test_nobody_writes_to_bytes():
    x = xp.asarray(memoryview(bytes(8)))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    for give in (xp.frombuffer(bytes(8)), x):
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
            give.setflags(write=True)
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
            give.flags.writeable = True


READERS = {
    "a read-only view": lambda d: _read_only(d.view()),
    "a view of that": lambda d: _read_only(d.view())[::2],
    "broadcast_to": lambda d: np.broadcast_to(d, (2, d.size)),
    "sliding_window_view": lambda d: np.lib.stride_tricks.sliding_window_view(d, 3),
    "a buffer": lambda d: np.frombuffer(memoryview(d).toreadonly()),
}


def _read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reader", READERS)
def test_read_only_arrays_on_writeable_memory_are_copied(reader, size):
    d = np.arange(float(size))
    r = READERS[reader](d)
    expected = np.sqrt(r).sum()
    waits = [la.sqrt(r), xp.sqrt(r), la.sqrt(la.array(r)), xp.sqrt(xp.asarray(r))]
    d[:] = 9
    for x in waits:
        np.testing.assert_allclose(np.asarray(x.sum()), expected)


def test_memory_maps_are_copied(tmp_path):
    d = np.memmap(tmp_path / "map", "f8", "w+", shape=(50_000,))
    d[:] = 4
    waits = xp.sqrt(np.memmap(tmp_path / "map", "f8", "r", shape=(50_000,)))
    d[:] = 9
    assert waits.sum() == 100_000


def test_buffers_of_an_iterator_are_copied():
    found = []
    with xp.nditer(np.arange(20), ["buffered", "external_loop"], op_dtypes=["f8"], buffersize=7) as iterator:
        for part in iterator:
            found.append(np.sqrt(part) + xp.ones(1))
    np.testing.assert_array_equal(np.concatenate([np.asarray(x) for x in found]), np.sqrt(np.arange(20)) + 1)


def test_la_asarray_leaves_the_memory_alone():
    given = np.zeros(3)
    x = la.asarray(given)
    x[0] = 1
    assert given[0] == 0


def test_empty_parts_lie_where_they_are_cut():
    x = xp.zeros(8, "u1")
    assert x[3:4][:-1].ctypes.data == x.ctypes.data + 3


def test_arrays_tell_whose_memory_they_are_on():
    buffer = memoryview(bytearray(8))
    x = xp.asarray(buffer)
    assert not x.flags.owndata
    assert x.base is not None
    given = np.zeros(4)
    assert xp.asarray(given[1:]).base is given
    with pytest.raises(ValueError, match="does not own its data"):
        x.resize(20)
    y = xp.zeros(3)
    lent = np.asarray(y)
    with pytest.raises(ValueError, match="cannot resize an array that"):
        y.resize(4)
    assert lent.shape == (3,)


def test_pointers_keep_the_array():
    x = xp.zeros(3)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    x += 2
    del x
    assert pointer[0] == 2


@pytest.mark.parametrize("line", [
    "xp.arange(10)", "xp.arange(12).reshape(3, 4)[:, :2]", "xp.arange(24).reshape(3, 4, 2).transpose(1, 0, 2)",
    "xp.zeros((3, 4)).T", "xp.arange(3).astype(object)", "xp.zeros(3, 'i4,f8')", "xp.arange(3, dtype='>i4')",
    "xp.array(3.0)", "xp.arange(20_000.0) + 1", "xp.broadcast_to(xp.arange(3), (2, 3))", "xp.float64(3)",
])
def test_buffers_beside_a_pickle_are_the_memory(line):
    def loaded(xp):
        x, buffers = eval(line, {"xp": xp}), []
        pickled = pickle.dumps(x, 5, buffer_callback=buffers.append)
        found = pickle.loads(pickled, buffers=buffers)
        kept = pickle.loads(pickled, buffers=[bytes(buffer) for buffer in buffers])
        if buffers:
            x[...] = 9
        return (repr(found), found.strides, found.flags.writeable, [memoryview(buffer).readonly for buffer in buffers],
                repr(kept), kept.flags.writeable, repr(pickle.loads(pickle.dumps(x, 5))))
    assert loaded(xp) == loaded(np)
