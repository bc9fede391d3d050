"""The only gate to the inner loops of ufuncs.

`PyUFuncObject` is public C API: for the resolved dtypes, `functions[i]` is the loop that NumPy itself runs, chosen for
this processor when NumPy was imported. A `Loop` holds that pointer and what a tile program needs to call it. `resolve`
maps (ufunc, operand types) to (loop, casts) and caches the result in a table indexed by type numbers, so an operator's
fast path costs a few loads.

The properties of a loop follow from the row of its ufunc, which layers above state by `set_row`.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.data_loops cimport (
    cast_loop, compress_loop, copy_loop, expand_loop, scan_loop, search_loop, select_loop)
from lazyarr._core.ir.loop_table cimport (
    LOOP_CHEAP, LOOP_ORDERED, LOOP_QUIET, LOOP_SERIAL, LOOP_STATUS, LOOP_STEADY, LOOP_STICKY, MAX_ARGS, NCODES,
    NPY_HALF, FoldColumns, FoldRows, FoldRun, Loop, LoopFn, all_loops, descr_of, is_native, loop_count, new_loop,
    set_type, type_size)
from lazyarr._core.ir.ufunc_traits cimport (
    BY_DIVMOD, CHEAP, EXACT, EXTREMUM, QUIET, QUIET_OF_INTEGERS, RAISES, SUM, cost_of, keep_row, shows_start,
    traits_of)

import numpy as np

from lazyarr._core.ir.own_ufuncs import OWN, ufunc_named
from lazyarr._core.ir.ufunc_traits import revise_cost

cnp.import_array()

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/ufuncobject.h>
    #define lz_ufunc(o) ((PyUFuncObject *)(o))
    static int lz_nin(PyObject *u) { return lz_ufunc(u)->nin; }
    static int lz_nout(PyObject *u) { return lz_ufunc(u)->nout; }
    static int lz_core(PyObject *u) { return lz_ufunc(u)->core_enabled; }
    static int lz_ntypes(PyObject *u) { return lz_ufunc(u)->ntypes; }
    static const char *lz_types(PyObject *u) { return lz_ufunc(u)->types; }
    static void *lz_function(PyObject *u, int i) { return (void *)lz_ufunc(u)->functions[i]; }
    static void *lz_data(PyObject *u, int i) { return lz_ufunc(u)->data ? (void *)lz_ufunc(u)->data[i] : NULL; }
    """
    int lz_nin(PyObject* u)
    int lz_nout(PyObject* u)
    int lz_core(PyObject* u)
    int lz_ntypes(PyObject* u)
    const char* lz_types(PyObject* u)
    void* lz_function(PyObject* u, int i)
    void* lz_data(PyObject* u, int i)

cdef extern from "simd/arith.h":
    ctypedef struct lz_arith:
        void* own
        void* data
    void* lz_wide_loop(const char* name, int is_double) noexcept
    int lz_arith_number(const char* name) noexcept
    void* lz_pair_loop(int first, int second, int is_right, int is_double) noexcept

cdef extern from "simd/reduce.h":
    ctypedef struct lz_fold:
        void* run
        void* rows
        void* columns
    const lz_fold* lz_find_fold(const char* name, int is_double) noexcept

cdef extern from "simd/sincos.h":
    void* lz_sincos_loop(const char* name, const lz_arith* numpy) noexcept

cdef extern from "simd/sincos_table.h":
    const double lz_sincos_values[110][4]

cdef extern from "simd/four_loops.h":
    void* lz_four_loop(const char* name, int nin, const lz_arith* numpy) noexcept
    const unsigned long long lz_exp_rows[128][2]
    const unsigned long long lz_log_rows[128][2]
    const unsigned long long lz_power_rows[128][3]
    const unsigned long long lz_tanh_rows[16][18]

cdef extern from "simd/explog.h":
    void* lz_explog_loop(const char* name, const lz_arith* numpy) noexcept

cdef extern from "simd/checked_int.h":
    void* lz_checked_loop(const char* name, int typenum) noexcept

cdef extern from "simd/numpy_faults.h":
    void* lz_mended_loop(const char* name, int typenum, npy_intp size) noexcept

cdef dict _ufunc_index = {}

_WEAK = {17: int, 18: float, 19: complex}
_NUMPY_UFUNCS = frozenset(id(v) for v in vars(np).values() if isinstance(v, np.ufunc)) | {id(np._core.umath.clip)}
_OWN_UFUNCS = frozenset(map(id, OWN.values()))


cdef Ufunc* find_ufunc(object u) except NULL:
    """Return the record of a ufunc, made on first use. Records live for ever, as ufuncs do (see `passing`)."""
    cdef object address = _ufunc_index.get(u)
    cdef Ufunc* record
    if address is not None:
        return <Ufunc*><size_t>address
    if not isinstance(u, np.ufunc):
        raise TypeError(f"expected a ufunc, got {type(u).__name__}")
    record = <Ufunc*>calloc(1, sizeof(Ufunc))
    if record is NULL:
        raise MemoryError()
    cdef PyObject* p = <PyObject*>u
    record.ufunc = p
    Py_INCREF(u)
    record.nin = lz_nin(p)
    record.nout = lz_nout(p)
    record.elementwise = not lz_core(p)
    record.traits = traits_of(u)
    if record.nin <= 2:
        record.table = <Resolution**>calloc(NCODES * (NCODES if record.nin == 2 else 1), sizeof(void*))
    cdef dict cache = {}
    Py_INCREF(cache)
    record.cache = <PyObject*>cache
    _ufunc_index[u] = <size_t>record
    return record


cpdef bint passing(u) except -1:
    """Return whether a ufunc has object loops only: those made of Python functions are often temporary."""
    return u not in _ufunc_index and all([set(types) <= {"O", "-", ">"} for types in u.types])


cdef Resolution* resolve(Ufunc* u, int* codes) except NULL:
    """Return the loop for operands of these codes; raise NumPy's error if there is none."""
    cdef Resolution* found
    cdef int key
    if u.table is not NULL:
        key = codes[0] if u.nin == 1 else codes[0] * NCODES + codes[1]
        found = u.table[key]
        if found is NULL:
            found = _resolve(u, codes)
            u.table[key] = found
        return found
    cdef tuple names = tuple([codes[i] for i in range(u.nin)])
    cdef object address = (<dict>u.cache).get(names)
    if address is not None:
        return <Resolution*><size_t>address
    found = _resolve(u, codes)
    (<dict>u.cache)[names] = <size_t>found
    return found


cdef Resolution* _resolve(Ufunc* u, int* codes) except NULL:
    cdef list operands = [_WEAK[codes[i]] if codes[i] in _WEAK else descr_of(codes[i]) for i in range(u.nin)]
    cdef tuple resolved = (<object>u.ufunc).resolve_dtypes(tuple(operands + [None] * u.nout))
    cdef Resolution* answer = <Resolution*>calloc(1, sizeof(Resolution))
    cdef int types[MAX_ARGS]
    if answer is NULL:
        raise MemoryError()
    if u.elementwise and u.nin + u.nout <= MAX_ARGS:
        for i in range(u.nin + u.nout):
            types[i] = resolved[i].num
        answer.loop = exact_loop(u, types)
    if answer.loop is not NULL:
        for i in range(u.nin):
            if codes[i] != types[i]:
                answer.casts |= 1 << i
    return answer


cdef Loop* exact_loop(Ufunc* u, int* types) except? NULL:
    """Return the native loop with exactly these operand types, or NULL."""
    cdef PyObject* p = u.ufunc
    cdef int nargs = u.nin + u.nout
    cdef int ntypes = lz_ntypes(p)
    cdef const char* table = lz_types(p)
    cdef Loop* loop
    cdef object key = ("exact",) + tuple([types[i] for i in range(nargs)])
    cdef object address = (<dict>u.cache).get(key)
    if address is not None:
        return <Loop*><size_t>address
    for i in range(nargs):
        if not is_native(types[i]):
            return NULL
    for row in range(ntypes):
        for i in range(nargs):
            if table[row * nargs + i] != types[i]:
                break
        else:
            if lz_function(p, row) is NULL:
                return NULL
            name = (<object>p).__name__
            loop = new_loop(<LoopFn>lz_function(p, row), lz_data(p, row), u.nin, u.nout, name)
            loop.ufunc = p
            loop.flags = LOOP_STATUS
            for i in range(nargs):
                set_type(loop, i, types[i])
            if id(<object>p) in _NUMPY_UFUNCS:
                _widen(loop, name.encode())
                _add_checked(loop, name.encode())
            elif id(<object>p) in _OWN_UFUNCS:
                loop.flags |= LOOP_STICKY
            else:
                loop.flags |= LOOP_SERIAL
            _set_traits(loop)
            (<dict>u.cache)[key] = <size_t>loop
            return loop
    return NULL


cdef int _set_traits(Loop* loop) except -1:
    """Set the loop's flags from the row of its ufunc."""
    cdef object u = <object>loop.ufunc
    cdef int code = loop.types[0], traits
    loop.traits = traits = traits_of(u)
    loop.cost = _cost_of(u, code)
    if loop.of_scalars is not NULL:
        loop.of_scalars.cost = loop.cost
    if id(u) not in _NUMPY_UFUNCS and id(u) not in _OWN_UFUNCS:
        return 0
    if traits & RAISES and code < cnp.NPY_FLOAT:
        loop.flags |= LOOP_SERIAL
    if traits & EXTREMUM and (code == NPY_HALF or cnp.NPY_FLOAT <= code <= cnp.NPY_CLONGDOUBLE):
        loop.flags |= LOOP_ORDERED
    if _is_whole(loop) or traits & EXACT and not cnp.NPY_CFLOAT <= code <= cnp.NPY_CLONGDOUBLE:
        loop.flags |= LOOP_STEADY
    if traits & CHEAP and code <= cnp.NPY_DOUBLE:
        loop.flags |= LOOP_CHEAP
    if traits & QUIET and not cnp.NPY_CFLOAT <= code <= cnp.NPY_CLONGDOUBLE \
            or traits & QUIET_OF_INTEGERS and _is_whole(loop):
        loop.flags |= LOOP_QUIET
    loop.is_sum = traits & SUM and code in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE)
    if traits & BY_DIVMOD and code == NPY_HALF:
        _add_remainder_of_scalars(loop)
    return _set_start(loop, u)


cdef int _set_start(Loop* loop, ufunc) except -1:
    """Set NumPy's initial value of reductions where it matters: 0 + -0.0 is 0, 1 times complex inf is NaN."""
    cdef bytes start
    if loop.nin == 2 and loop.nout == 1 and loop.types[0] == loop.types[1] == loop.types[2] and \
            shows_start(ufunc, descr_of(loop.types[0]).kind):
        start = np.array(ufunc.identity, descr_of(loop.types[0])).tobytes()
        loop.has_start = True
        memcpy(loop.start, <char*>start, len(start))
    return 0


cdef bint _is_whole(Loop* loop) noexcept:
    """Return whether all operands are bools or integers."""
    cdef int i
    for i in range(loop.nin + loop.nout):
        if loop.types[i] >= cnp.NPY_FLOAT:
            return False
    return True


cdef void* _loop_of_doubles(bytes name, int nin, const lz_arith* numpy) noexcept:
    """Return a loop over float64 with the bits of NumPy's; NULL if there is none."""
    cdef void* wide = lz_sincos_loop(name, numpy) if nin == 1 else NULL
    return wide if wide is not NULL else lz_four_loop(name, nin, numpy)


cdef int _widen(Loop* loop, bytes name) except -1:
    """Replace NumPy's loop by a wider one with the same bits, if there is one."""
    cdef lz_arith numpy
    cdef lz_arith* own
    cdef void* wide = NULL
    cdef bint sticky, is_double = loop.types[0] == loop.types[loop.nin] == cnp.NPY_DOUBLE
    cdef const lz_fold* fold
    numpy.own = <void*>loop.fn
    numpy.data = loop.data
    wide = lz_mended_loop(name, loop.types[0], loop.sizes[0])
    if wide is NULL and loop.nin == 2 and loop.types[0] == loop.types[2] and \
            loop.types[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        wide = lz_wide_loop(name, is_double)
        fold = lz_find_fold(name, is_double)
        if fold is not NULL:
            loop.fold_run = <FoldRun>fold.run
            loop.fold_rows = <FoldRows>fold.rows
            loop.fold_columns = <FoldColumns>fold.columns
    sticky = wide is not NULL and loop.nin == 2
    if wide is NULL and loop.nin == 1 and loop.types[0] == loop.types[1] == cnp.NPY_FLOAT:
        wide = lz_explog_loop(name, &numpy)
        sticky = True
    if wide is NULL and is_double:
        wide = _loop_of_doubles(name, loop.nin, &numpy)
    if wide is NULL:
        return 0
    own = <lz_arith*>calloc(1, sizeof(lz_arith))
    if own is NULL:
        raise MemoryError()
    own[0] = numpy
    loop.fn = <LoopFn>wide
    loop.data = own
    if loop.nin == 2:
        loop.arithmetic = 1 + lz_arith_number(name)
    if sticky:
        loop.flags |= LOOP_STICKY
    return 0


cdef void _remainder_of_scalars(char** args, npy_intp* n, npy_intp* steps, void* data) noexcept nogil:
    """Remainder of NumPy's float16 scalars: the quotient is computed as well, and may overflow."""
    cdef Loop* divmod_ = <Loop*>data
    cdef double quotient
    cdef char* at[4]
    cdef npy_intp apart[4]
    at[0], at[1], at[2], at[3] = args[0], args[1], <char*>&quotient, args[2]
    apart[0], apart[1], apart[2], apart[3] = steps[0], steps[1], 0, steps[2]
    divmod_.fn(at, n, apart, divmod_.data)


cdef int _add_checked(Loop* loop, bytes name) except -1:
    """Attach the variant of an integer loop that reports overflow."""
    cdef void* fn = lz_checked_loop(name, loop.types[0])
    return 0 if fn is NULL else _add_loop_of_scalars(loop, <LoopFn>fn, NULL)


cdef int _add_remainder_of_scalars(Loop* loop) except -1:
    cdef int codes[2]
    codes[0] = codes[1] = NPY_HALF
    return _add_loop_of_scalars(loop, <LoopFn>_remainder_of_scalars, resolve(find_ufunc(np.divmod), codes).loop)


cdef int _add_loop_of_scalars(Loop* loop, LoopFn fn, void* data) except -1:
    cdef Loop* made
    cdef int i
    if loop.types[loop.nin] != loop.types[0]:
        return 0
    made = new_loop(fn, data, loop.nin, 1, <object>loop.name)
    made.ufunc = loop.ufunc
    made.flags = LOOP_STATUS | LOOP_STICKY
    for i in range(loop.nin + 1):
        set_type(made, i, loop.types[i])
    made.cost = _cost_of(<object>loop.ufunc, loop.types[0])
    loop.of_scalars = made
    return 0


def agrees_with_wide(str name, size_t loop, size_t data, str operands):
    """Return whether a wide loop gives the same bits as NumPy's loop at this address, with this data.

    Operands are "f", "d" or "dd".
    """
    cdef lz_arith own
    cdef bytes known = name.encode()
    own.own = <void*>loop
    own.data = <void*>data
    if operands == "f":
        return lz_explog_loop(known, &own) is not NULL
    return _loop_of_doubles(known, len(operands), &own) is not NULL


def sincos_table():
    """Return the accurate sines and cosines of simd/sincos_table.h, row by row."""
    cdef int k, j
    return [lz_sincos_values[k][j] for k in range(110) for j in range(4)]


def function_tables():
    """Return the bits of tables for float64 functions, row by row: those of exp, log, power and tanh."""
    cdef int k, j
    return ([lz_exp_rows[k][j] for k in range(128) for j in range(2)],
            [lz_log_rows[k][j] for k in range(128) for j in range(2)],
            [lz_power_rows[k][j] for k in range(128) for j in range(3)],
            [lz_tanh_rows[k][j] for k in range(16) for j in range(18)])


cdef LoopFn pair_loop(Loop* first, Loop* second, bint is_right) noexcept:
    """Return one loop for two operations, the second reading the first's result on the left or right; or NULL."""
    if not first.arithmetic or not second.arithmetic or first.types[0] != second.types[0]:
        return NULL
    return <LoopFn>lz_pair_loop(first.arithmetic - 1, second.arithmetic - 1, is_right, first.types[0] == cnp.NPY_DOUBLE)


cdef float _cost_of(u, int code) except -1:
    """Return ns per element: costs are registered for 32-bit types; wider types cost in proportion."""
    return cost_of(u, code < cnp.NPY_FLOAT) * max(type_size(code), 1) / 4


def set_row(u, double ns_per_element, ns_of_integers, traits, str start, operator):
    """State the row of ufunc `u` (see `lazyarr.ops.table.Op`) for plans to come."""
    cdef object known = _ufunc_index.get(u)
    cdef Ufunc* record
    keep_row(u, ns_per_element, ns_of_integers, traits, start, operator)
    if known is None:
        return
    record = <Ufunc*><size_t>known
    record.traits = traits_of(u)
    for key, address in (<dict>record.cache).items():  # loops that the core itself used
        if type(key) is tuple and key[0] == "exact":
            _set_traits(<Loop*><size_t>address)


def set_cost(u, double ns_per_element):
    """Set the cost in ns of a float32 element of ufunc `u` on one core, for plans to come.

    An int32 costs the same unless the row says otherwise.
    """
    revise_cost(u, ns_per_element)
    for i in range(loop_count()):
        if all_loops[i].ufunc is <PyObject*>u:
            all_loops[i].cost = _cost_of(u, all_loops[i].types[0])


def loop_number(str name, str chars):
    """Return the index of the loop of a registered ufunc or of `data_loops` for these operand types; -1 if none."""
    cdef int types[MAX_ARGS]
    cdef Loop* loop
    cdef Ufunc* u
    for i, char in enumerate(chars):
        types[i] = np.dtype(char).num
    if name in ("cast", "copy", "where"):
        return (cast_loop(types[0], types[1]) if name == "cast" else copy_loop(types[0]) if name == "copy"
                else select_loop(types[1])).id
    if name in ("compress", "expand"):
        return (compress_loop(types[0]) if name == "compress" else expand_loop(types[0])).id
    if name in ("argmax", "argmin"):
        return search_loop(types[0], name == "argmax").id
    if name in ("add.accumulate", "multiply.accumulate"):
        loop = scan_loop(types[0], name == "multiply.accumulate")
        return -1 if loop is NULL else loop.id
    ufunc = np._core.umath.clip if name == "clip" else ufunc_named(name)
    if ufunc is None:
        return -1
    u = find_ufunc(ufunc)
    loop = exact_loop(u, types) if len(chars) == u.nin + u.nout else NULL
    return -1 if loop is NULL else loop.id
