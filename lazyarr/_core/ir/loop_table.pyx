"""The table of inner loops: one permanent record for each loop in use."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc, realloc

cimport numpy as cnp

import numpy as np

cnp.import_array()

cdef Loop** all_loops = NULL
cdef int _loop_count = 0
cdef int _loop_room = 0
cdef int _sizes[NCODES]             # 0: not native
cdef PyObject* _descrs[NCODES]      # borrowed from _DESCR
_DESCR = {}

for _char in "?bBhHiIlLqQefdgFDG":
    _d = np.dtype(_char)
    _sizes[_d.num] = _d.itemsize
    _DESCR[_d.num] = _d
    _descrs[<int>_d.num] = <PyObject*>_d


cdef int loop_count() noexcept:
    """Return the number of loops; ids are below it."""
    return _loop_count


cdef int type_size(int code) noexcept:
    """Return the itemsize of a native type, 0 for any other."""
    return _sizes[code]


cdef bint is_native(int code) noexcept:
    """Return whether a NumPy type number has native loops (bool, integers, floats, complex)."""
    return 0 <= code < NCODES and _sizes[code] != 0


cdef object descr_of(int code):
    return <object>_descrs[code]


cdef Loop* new_loop(LoopFn fn, void* data, int nin, int nout, str name) except NULL:
    global all_loops, _loop_count, _loop_room
    cdef Loop** grown
    if _loop_count == _loop_room:
        grown = <Loop**>realloc(all_loops, (_loop_room * 2 + 64) * sizeof(Loop*))
        if grown is NULL:
            raise MemoryError()
        all_loops = grown
        _loop_room = _loop_room * 2 + 64
    cdef Loop* loop = <Loop*>calloc(1, sizeof(Loop))
    if loop is NULL:
        raise MemoryError()
    loop.id = _loop_count
    loop.fn = loop.numpy_fn = fn
    loop.data = loop.numpy_data = data
    loop.nin = nin
    loop.nout = nout
    loop.cost = 0.15
    loop.marks[0] = loop.marks[1] = -1
    Py_INCREF(name)
    loop.name = <PyObject*>name
    all_loops[_loop_count] = loop
    _loop_count += 1
    return loop


cdef void set_type(Loop* loop, int i, int code) noexcept:
    """Set the type of a loop's operand or result."""
    loop.types[i] = code
    loop.sizes[i] = _sizes[code]
    if code >= cnp.NPY_FLOAT:
        loop.flags |= LOOP_STATUS


cdef int cheap_width(Loop* loop) noexcept:
    """Return the itemsize of a cheap loop's widest operand, 0 for other loops."""
    cdef int i, width = 0
    if loop.flags & LOOP_CHEAP:
        for i in range(loop.nin + 1):
            width = max(width, loop.sizes[i])
    return width


def describe(int loop_id):
    """Return (name, operand types) of a loop, for printed plans."""
    if not 0 <= loop_id < _loop_count:
        raise IndexError(f"there is no loop {loop_id}")
    cdef Loop* loop = all_loops[loop_id]
    return <object>loop.name, "".join([_DESCR[loop.types[i]].char for i in range(loop.nin + loop.nout)])


def dtype_of(int code):
    """Return the dtype of a type number."""
    return _DESCR[code]
