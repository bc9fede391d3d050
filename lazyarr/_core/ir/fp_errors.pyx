"""Floating-point error states, and the source locations of nodes.

A node stores the id of the errstate in force when it was made (states are interned), and the code object and
instruction that made it. Both are looked up only when something is reported. Reports follow NumPy: the same text, the
same order, the same six ways of handling (`ignore warn raise call print log`).
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_XDECREF

from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

import linecache
import opcode
import sys
import warnings
from operator import itemgetter

import numpy as np

cdef extern from "Python.h":
    int PyContextVar_Get(object var, PyObject* default, PyObject** value) except -1

cdef extern from "simd/frames.h":
    PyObject* lz_frame() noexcept
    int lz_line(object code, int offset) noexcept
    PyObject* lz_frame_code(PyObject* f) noexcept
    int lz_frame_lasti(PyObject* f) noexcept
    PyObject* lz_frame_back(PyObject* f) noexcept

cdef object _variable = np._core.umath._extobj_contextvar
cdef object _last_state = None    # kept alive, so that its address stays unique
cdef struct ErrorState:
    int last_id             # of `_last_state`
    npy_intp last_buffer_size
    int ever_reported_flags         # flags that at least one interned errstate reports
    bint debug              # whether errors quote source lines

cdef ErrorState _state = ErrorState(0, 0, 0, False)
cdef list _states = []
cdef dict _ids = {}
cdef list _reported_flags = []              # by state id: the flags that it reports
cdef list _raising = []           # by state id: whether any flag raises

cdef object _package = __name__.split(".")[0]
cdef dict _internal = {}          # address of a code object -> (the object, whether it belongs to this package)
# Direct-mapped cache in front of `_internal`: nodes are often made a dozen calls deep inside this package.
cdef PyObject* _seen_codes[256]
cdef bint _seen_internal[256]
cdef dict _registries = {}

cdef object _OPERATORS = frozenset([opcode.opmap["BINARY_OP"], opcode.opmap["COMPARE_OP"]])

# status flags, in the order NumPy reports them
_KINDS = ((1, "divide", "divide by zero"), (2, "over", "overflow"), (4, "under", "underflow"),
          (8, "invalid", "invalid value"))


cdef int current_errstate() except -1:
    """Return the id of the errstate in force; equal ids mean equal handling."""
    global _last_state
    cdef PyObject* value = NULL
    cdef npy_intp size
    cdef int found
    PyContextVar_Get(_variable, NULL, &value)
    Py_XDECREF(value)             # the context keeps it alive
    if value == <PyObject*>_last_state and _states:
        return _state.last_id
    state = <object>value if value is not NULL else None
    found = _intern_state()
    size = np.getbufsize()
    # set together: another thread may have run until here
    _state.last_id = found
    _state.last_buffer_size = size
    _last_state = state
    return found


cdef npy_intp buffer_size() except -1:
    """Return NumPy's ufunc buffer size, in elements; it is part of the errstate."""
    current_errstate()
    return _state.last_buffer_size


cdef object in_errstate(int number, object function, list values):
    """Return function(*values), called under the errstate with this id."""
    if number == current_errstate():
        return function(*values)
    modes, call = _states[number]
    with np.errstate(**modes, call=call):
        return function(*values)


cdef object raising_flags(int number, object function, list values):
    """Call function(*values); raise FloatingPointError for each flag that the errstate reports."""
    modes, _ = _states[number]
    with np.errstate(**{kind: "ignore" if mode == "ignore" else "raise" for kind, mode in modes.items()}):
        return function(*values)


cdef int reported_flags(int err) except -1:
    """Return the status flags that errstate `err` does not ignore."""
    return _reported_flags[err]


cdef int ever_reported_flags() noexcept:
    """Return the status flags that any interned errstate reports; underflow is rarely among them."""
    return _state.ever_reported_flags


cdef int _intern_state() except -1:
    cdef object found
    modes = np.geterr()
    call = np.geterrcall()
    try:
        key = (*modes.items(), id(call))
        found = _ids.get(key)
    except TypeError:
        key, found = None, None
    if found is None:
        found = len(_states)
        _states.append((modes, call))
        _reported_flags.append(sum([bit for bit, key, _ in _KINDS if modes[key] != "ignore"]))
        _state.ever_reported_flags |= <int>_reported_flags[found]
        _raising.append("raise" in modes.values())
        if key is not None:
            _ids[key] = found
    return found


cdef bint _is_internal(object code):
    cdef size_t address = <size_t><PyObject*>code, slot = (address >> 4 ^ address >> 12) & 255
    if _seen_codes[slot] == <PyObject*>code:
        return _seen_internal[slot]
    cdef tuple known = _internal.get(address)  # hashing the object itself reads all its constants
    if known is None:
        path = code.co_filename.replace("\\", "/")
        # NumPy's functions written in Python also run on lazy arrays
        known = code, bool("/lazyarr/" in path and _lies_in(path, _package)
                           or "/numpy/" in path and _lies_in(path, "numpy"))
        _internal[address] = known
    _seen_internal[slot] = known[1]
    _seen_codes[slot] = <PyObject*>code  # which the dict keeps alive
    return known[1]


cdef bint _lies_in(str path, str package):
    module = sys.modules.get(package)
    root = (getattr(module, "__path__", None) or [""])[0].replace("\\", "/")
    return bool(root) and path.startswith(root + "/")


cdef bint runs_operator():
    """Return whether the running Python function called native code by a binary operator."""
    cdef PyObject* frame = lz_frame()
    cdef object code
    if frame is NULL:
        return False
    code = <object>lz_frame_code(frame)
    Py_DECREF(code)               # as in mark_origin
    return code.co_code[lz_frame_lasti(frame)] in _OPERATORS


cdef int mark_origin(Node node) except -1:
    """Record the innermost user frame: its code object and instruction."""
    cdef PyObject* frame = lz_frame()
    cdef PyObject* back
    cdef bint owned = False
    cdef object code
    while frame is not NULL:
        code = <object>lz_frame_code(frame)
        Py_DECREF(code)           # PyFrame_GetCode returned a new reference, and the cast took another
        if not _is_internal(code):
            node.code = code
            node.lasti = lz_frame_lasti(frame)
            break
        back = lz_frame_back(frame)
        if owned:
            Py_XDECREF(frame)
        frame = back
        owned = True
    if owned:
        Py_XDECREF(frame)
    return 0


cdef tuple origin(Node node):
    """Return (file name, line, function) of the statement that made a node."""
    if node.code is None:
        return "<unknown>", 0, "<unknown>"
    line = lz_line(node.code, node.lasti)
    return node.code.co_filename, line, node.code.co_qualname


cdef object annotate(object error, str what, Node node):
    """Add a note to an exception: the operation that failed and the line that created it."""
    cdef str note = f"lazyarr: in {what}"
    if node.code is not None:
        filename, line, function = origin(node)
        note += f", created at {filename}:{line} in {function}"
        if _state.debug:
            note += f"\n    {linecache.getline(filename, line).strip()}"
    error.add_note(note.rstrip())
    return error


def set_debug(bint on):
    """Set whether errors quote the source line of the failed operation, and `explain` those of all nodes."""
    _state.debug = on


def get_debug():
    """Return whether errors quote source lines."""
    return bool(_state.debug)


cdef int report_status(list raised) except -1:
    """Handle the status flags of one evaluation, [(serial, status, name, node)], in order of creation."""
    cdef Node node
    raised.sort(key=itemgetter(0))
    for _, status, name, n in raised:
        node = n
        modes, call = _states[node.err]
        for bit, key, text in _KINDS:
            if status & bit:
                mode = modes[key]
                if mode != "ignore":
                    _handle(mode, call, f"{text} encountered in {name}", text, status, node, name)
    return 0


cdef int _handle(str mode, object call, str message, str text, int status, Node node, str name) except -1:
    if mode == "raise":
        error = FloatingPointError(message)
        raise error if node.at_once else annotate(error, name, node)  # an eager call's traceback has its line
    filename, line, _ = origin(node)
    if mode == "warn":
        warnings.warn_explicit(message, RuntimeWarning, filename, line, registry=_registries.setdefault(filename, {}))
    elif mode == "print":
        print(f"Warning: {message}", file=sys.stderr)
    elif mode == "call":
        if call is None:
            raise annotate(NameError(f"python callback specified for {text} (in  {name}) but no function found."),
                           name, node)
        call(text, status)
    elif mode == "log":
        if call is None:
            raise annotate(NameError(f"log specified for {text} (in {name}) but no object with write method found."),
                           name, node)
        call.write(f"Warning: {message}\n")
    return 0


cdef bint may_raise(int err) except -1:
    """Return whether any status flag raises under errstate `err`."""
    return _raising[err]


cpdef bint raises(int err, int status):
    """Return whether these status flags raise under errstate `err`."""
    modes = _states[err][0]
    for bit, key, _ in _KINDS:
        if status & bit and modes[key] in ("raise", "call", "log"):
            return modes[key] == "raise"
    return False
