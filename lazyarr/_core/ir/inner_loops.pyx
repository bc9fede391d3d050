"""The one gate to inner loops.

`PyUFuncObject` is public C API: for the dtypes a call resolves to, `functions[i]` is the very loop NumPy
runs, chosen for this processor when NumPy was imported. A `Loop` keeps that pointer with what a tile program
needs to call it. `resolve` answers (ufunc, operand types) -> (loop, casts) and caches the answer in a table
indexed by type numbers, so that the fast path of an operator costs a few loads.

Casts, copies and `where` are not ufuncs; their loops (simd/) have the same signature.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc, realloc
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

import numpy as np

cnp.import_array()

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/npy_2_compat.h>
    #include <numpy/ufuncobject.h>
    #define lz_ufunc(o) ((PyUFuncObject *)(o))
    static int lz_nin(PyObject *u) { return lz_ufunc(u)->nin; }
    static int lz_nout(PyObject *u) { return lz_ufunc(u)->nout; }
    static int lz_core(PyObject *u) { return lz_ufunc(u)->core_enabled; }
    static int lz_ntypes(PyObject *u) { return lz_ufunc(u)->ntypes; }
    static const char *lz_types(PyObject *u) { return lz_ufunc(u)->types; }
    static void *lz_function(PyObject *u, int i) { return (void *)lz_ufunc(u)->functions[i]; }
    static void *lz_data(PyObject *u, int i) { return lz_ufunc(u)->data ? (void *)lz_ufunc(u)->data[i] : NULL; }
    static void *lz_search(PyObject *dtype, int largest)
    {
        PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs((PyArray_Descr *)dtype);
        return (void *)(largest ? functions->argmax : functions->argmin);
    }
    """
    int lz_nin(PyObject* u)
    int lz_nout(PyObject* u)
    int lz_core(PyObject* u)
    int lz_ntypes(PyObject* u)
    const char* lz_types(PyObject* u)
    void* lz_function(PyObject* u, int i)
    void* lz_data(PyObject* u, int i)
    void* lz_search(PyObject* dtype, int largest)

cdef extern from "simd/argreduce.h":
    void* lz_find_search_rows(int largest, char kind, npy_intp size) noexcept

cdef extern from "simd/cumulative.h":
    const void* lz_find_scan(int product, char kind, npy_intp size) noexcept

cdef extern from "simd/copy.h":
    void lz_copy_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil

cdef extern from "simd/mask.h":
    void lz_select_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil
    void lz_compress_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil
    void lz_expand_loop(char** args, npy_intp* n, npy_intp* strides, void* data) noexcept nogil

cdef extern from "simd/arith.h":
    ctypedef struct lz_arith:
        void* own
        void* data
    void* lz_wide_loop(const char* name, int is_double) noexcept
    void* lz_pair_loop(int first, int second, int is_right, int is_double) noexcept

cdef extern from "simd/reduce.h":
    ctypedef struct lz_fold:
        void* run
        void* rows
        void* columns
    const lz_fold* lz_find_fold(const char* name, int is_double) noexcept

cdef extern from "simd/sincos.h":
    void* lz_sincos_loop(const char* name, const lz_arith* numpy) noexcept

cdef extern from "simd/explog.h":
    void* lz_explog_loop(const char* name, const lz_arith* numpy) noexcept

cdef extern from "simd/checked_int.h":
    void* lz_checked_loop(const char* name, int typenum) noexcept

cdef extern from "simd/cast.h":
    void* lz_cast_loop(int source, int target) noexcept

cdef Loop** all_loops = NULL
cdef int _loop_count = 0
cdef int _loop_room = 0

cdef int _sizes[NCODES]
cdef PyObject* _descrs[NCODES]      # borrowed from _DESCR
cdef Ufunc** _ufuncs = NULL
cdef dict _ufunc_index = {}
cdef dict _costs = {}
cdef dict _costs_of_integers = {}
cdef Loop* _casts[NCODES][NCODES]
cdef Loop* _copies[NCODES]
cdef Loop* _selects[NCODES]
cdef Loop* _compresses[NCODES]
cdef Loop* _expands[NCODES]
cdef Loop* _searches[2][NCODES]
cdef Loop* _scans[2][NCODES]
memset(_casts, 0, sizeof(_casts))
memset(_copies, 0, sizeof(_copies))
memset(_selects, 0, sizeof(_selects))
memset(_compresses, 0, sizeof(_compresses))
memset(_expands, 0, sizeof(_expands))
memset(_searches, 0, sizeof(_searches))
memset(_scans, 0, sizeof(_scans))

_WEAK = {17: int, 18: float, 19: complex}
_DESCR = {}
_NUMPY_UFUNCS = frozenset(id(v) for v in vars(np).values() if isinstance(v, np.ufunc)) | {id(np._core.umath.clip)}
_ARITHMETIC = (b"add", b"subtract", b"multiply", b"divide")  # in the order of simd/arith.h
_CLASSES = (b"isnan", b"isinf", b"isfinite", b"signbit")
# Loops of NumPy that call back into Python's error state.
_RAISING = frozenset({"power"})
# Of loops for floats those that neither round nor choose between two NaNs, or round as IEEE 754 has it.
_STEADY = frozenset({
    "negative", "positive", "absolute", "fabs", "conjugate", "sign", "sqrt", "reciprocal", "floor", "ceil", "trunc",
    "rint", "isnan", "isinf", "isfinite", "signbit", "less", "less_equal", "greater", "greater_equal", "equal",
    "not_equal", "logical_and", "logical_or", "logical_xor", "logical_not"})
_EXTREMA = ("maximum", "minimum", "fmax", "fmin")
_CHEAP = frozenset("""add subtract multiply square negative absolute maximum minimum equal not_equal less less_equal
    greater greater_equal bitwise_and bitwise_or bitwise_xor invert logical_not signbit isnan isinf isfinite""".split())

for _code in range(NCODES):
    _sizes[_code] = 0
for _char in "?bBhHiIlLqQefdgFDG":
    _d = np.dtype(_char)
    _sizes[_d.num] = _d.itemsize
    _DESCR[_d.num] = _d
    _descrs[<int>_d.num] = <PyObject*>_d


cdef int loop_count() noexcept:
    """How many loops there are: the numbers below are theirs."""
    return _loop_count


cdef int type_size(int code) noexcept:
    return _sizes[code]


cdef bint is_native(int code) noexcept:
    """Whether a NumPy type number has native loops (bool, integers, floats, complex)."""
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


cdef int _set_type(Loop* loop, int i, int code) except -1:
    loop.types[i] = code
    loop.sizes[i] = _sizes[code]
    if code >= cnp.NPY_FLOAT:
        loop.flags |= LOOP_STATUS
    return 0


cdef Ufunc* find_ufunc(object u) except NULL:
    """The record of a ufunc, made at its first use; records live for ever, as ufuncs do but for the `passing` ones."""
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
    if record.nin <= 2:
        record.table = <Resolution**>calloc(NCODES * (NCODES if record.nin == 2 else 1), sizeof(void*))
    cdef dict cache = {}
    Py_INCREF(cache)
    record.cache = <PyObject*>cache
    _ufunc_index[u] = <size_t>record
    return record


cpdef bint passing(u) except -1:
    """Whether a ufunc has loops for objects alone, as those have that are made of Python functions and come and go."""
    return u not in _ufunc_index and all([set(types) <= {"O", "-", ">"} for types in u.types])


cdef Resolution* resolve(Ufunc* u, int* codes) except NULL:
    """The loop for operands of these codes; raises what NumPy raises where there is none."""
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
    cdef list operands = [_WEAK[codes[i]] if codes[i] in _WEAK else _DESCR[codes[i]] for i in range(u.nin)]
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
    """The loop with just these operand types, NULL where the ufunc has none that is native."""
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
                _set_type(loop, i, types[i])
            if id(<object>p) not in _NUMPY_UFUNCS:
                loop.flags |= LOOP_SERIAL
            elif name in _RAISING and types[0] < cnp.NPY_FLOAT:
                loop.flags |= LOOP_SERIAL
            elif name in _EXTREMA and (types[0] == NPY_HALF or cnp.NPY_FLOAT <= types[0] <= cnp.NPY_CLONGDOUBLE):
                loop.flags |= LOOP_ORDERED
            loop.cost = _cost_of(name, types[0])
            is_complex = cnp.NPY_CFLOAT <= types[0] <= cnp.NPY_CLONGDOUBLE
            if id(<object>p) in _NUMPY_UFUNCS and (_is_whole(loop) or name in _STEADY and not is_complex):
                loop.flags |= LOOP_STEADY
            if id(<object>p) in _NUMPY_UFUNCS:
                _widen(loop, name.encode())
                _add_checked(loop, name)
                loop.is_sum = name == "add" and types[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE)
                _set_start(loop, <object>p)
                if name in _CHEAP and types[0] <= cnp.NPY_DOUBLE:
                    loop.flags |= LOOP_CHEAP
            (<dict>u.cache)[key] = <size_t>loop
            return loop
    return NULL


cdef int _set_start(Loop* loop, ufunc) except -1:
    """What NumPy begins folds of floats with, where it counts: 0 + -0.0 is 0, 1 times a complex infinity is NaN."""
    cdef bytes start
    if loop.nin == 2 and loop.nout == 1 and ufunc.identity is not None and \
            loop.types[0] == loop.types[1] == loop.types[2] and _DESCR[loop.types[0]].kind in "fc" and \
            (ufunc is not np.multiply or _DESCR[loop.types[0]].kind == "c"):
        start = np.array(ufunc.identity, _DESCR[loop.types[0]]).tobytes()
        loop.has_start = True
        memcpy(loop.start, <char*>start, len(start))
    return 0


cdef bint _is_whole(Loop* loop) noexcept:
    """Whether all operands are bools or integers."""
    cdef int i
    for i in range(loop.nin + loop.nout):
        if loop.types[i] >= cnp.NPY_FLOAT:
            return False
    return True


cdef inline void _negate(char** args, npy_intp* n, npy_intp* steps, void* data, npy_intp size) noexcept nogil:
    """Negate elements of `size` bytes with NumPy's loop, one at a time where that loop errs.

    NumPy 2.4 takes neighbours in place of elements that lie four of four bytes apart, or eight of eight, if its output
    is not contiguous.
    """
    cdef lz_arith* numpy = <lz_arith*>data
    cdef npy_intp i, one = 1
    cdef char* at[2]
    if (steps[0] != size * size and steps[0] != -size * size) or steps[1] == size:
        (<LoopFn>numpy.own)(args, n, steps, numpy.data)
        return
    for i in range(n[0]):
        at[0], at[1] = args[0] + i * steps[0], args[1] + i * steps[1]
        (<LoopFn>numpy.own)(at, &one, steps, numpy.data)


cdef void _negate_4(char** args, npy_intp* n, npy_intp* steps, void* data) noexcept nogil:
    _negate(args, n, steps, data, 4)


cdef void _negate_8(char** args, npy_intp* n, npy_intp* steps, void* data) noexcept nogil:
    _negate(args, n, steps, data, 8)


cdef void _classify(char** args, npy_intp* n, npy_intp* steps, void* data) noexcept nogil:
    """NumPy's loop that makes a bool of each float32 or float64, into a buffer where the result is not contiguous.

    NumPy 2.4 mistakes the places of sixteen results at a time there.
    """
    cdef lz_arith* numpy = <lz_arith*>data
    cdef char buffer[256]
    cdef char* at[2]
    cdef npy_intp apart[2]
    cdef npy_intp done = 0, count, i
    if steps[1] == 1:
        (<LoopFn>numpy.own)(args, n, steps, numpy.data)
        return
    apart[0], apart[1] = steps[0], 1
    while done < n[0]:
        count = min(n[0] - done, <npy_intp>sizeof(buffer))
        at[0], at[1] = args[0] + done * steps[0], buffer
        (<LoopFn>numpy.own)(at, &count, apart, numpy.data)
        for i in range(count):
            args[1][(done + i) * steps[1]] = buffer[i]
        done += count


cdef int _widen(Loop* loop, bytes name) except -1:
    """Put a wider loop in the place of NumPy's where there is one with the same bits."""
    cdef lz_arith numpy
    cdef lz_arith* own
    cdef void* wide = NULL
    cdef bint sticky = loop.nin == 2
    cdef const lz_fold* fold
    numpy.own = <void*>loop.fn
    numpy.data = loop.data
    if name == b"negative":
        size = dtype_of(loop.types[0]).itemsize
        wide = <void*>_negate_4 if size == 4 else <void*>_negate_8 if size == 8 else NULL
    elif name in _CLASSES and loop.types[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        wide = <void*>_classify
    elif loop.nin == 1 and loop.types[0] == loop.types[1] == cnp.NPY_DOUBLE:
        wide = lz_sincos_loop(name, &numpy)
    elif loop.nin == 1 and loop.types[0] == loop.types[1] == cnp.NPY_FLOAT:
        wide = lz_explog_loop(name, &numpy)
        sticky = True
    elif loop.nin == 2 and loop.types[0] == loop.types[2] and loop.types[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        wide = lz_wide_loop(name, loop.types[0] == cnp.NPY_DOUBLE)
        fold = lz_find_fold(name, loop.types[0] == cnp.NPY_DOUBLE)
        if fold is not NULL:
            loop.fold_run = <FoldRun>fold.run
            loop.fold_rows = <FoldRows>fold.rows
            loop.fold_columns = <FoldColumns>fold.columns
    if wide is NULL:
        return 0
    own = <lz_arith*>calloc(1, sizeof(lz_arith))
    if own is NULL:
        raise MemoryError()
    own[0] = numpy
    loop.fn = <LoopFn>wide
    loop.data = own
    if loop.nin == 2:
        loop.arithmetic = 1 + _ARITHMETIC.index(name)
    if sticky:
        loop.flags |= LOOP_STICKY
    return 0


cdef void _remainder_of_scalars(char** args, npy_intp* n, npy_intp* steps, void* data) noexcept nogil:
    """As NumPy's scalars of half precision do it: the quotient is computed as well, and may overflow."""
    cdef Loop* divmod_ = <Loop*>data
    cdef double quotient
    cdef char* at[4]
    cdef npy_intp apart[4]
    at[0], at[1], at[2], at[3] = args[0], args[1], <char*>&quotient, args[2]
    apart[0], apart[1], apart[2], apart[3] = steps[0], steps[1], 0, steps[2]
    divmod_.fn(at, n, apart, divmod_.data)


cdef int _add_checked(Loop* loop, str name) except -1:
    """Give a loop for integers the one that tells of overflow, and one for remainders of halves the scalars' own."""
    cdef void* fn = lz_checked_loop(name.encode(), loop.types[0])
    cdef void* data = NULL
    cdef Loop* checked
    cdef int codes[2]
    cdef int i
    if name == "remainder" and loop.types[0] == NPY_HALF:
        codes[0] = codes[1] = NPY_HALF
        fn, data = <void*>_remainder_of_scalars, <void*>resolve(find_ufunc(np.divmod), codes).loop
    if fn is NULL or loop.types[loop.nin] != loop.types[0]:
        return 0
    checked = new_loop(<LoopFn>fn, data, loop.nin, 1, name)
    checked.ufunc = loop.ufunc
    checked.flags = LOOP_STATUS | LOOP_STICKY
    checked.cost = loop.cost
    for i in range(loop.nin + 1):
        _set_type(checked, i, loop.types[i])
    loop.of_scalars = checked
    return 0


def agrees_with_wide(str name, size_t loop, size_t data, bint is_double):
    """Whether a wide loop of one operand may stand for the loop at this address, called with this data.

    It is that of float64 "sin" or "cos", or of float32 "exp" or "log".
    """
    cdef lz_arith own
    cdef bytes known = name.encode()
    own.own = <void*>loop
    own.data = <void*>data
    return (lz_sincos_loop(known, &own) if is_double else lz_explog_loop(known, &own)) is not NULL


cdef LoopFn pair_loop(Loop* first, Loop* second, bint is_right) noexcept:
    """One loop for two operations, the second taking the first's result as its left or right operand; or NULL."""
    if not first.arithmetic or not second.arithmetic or first.types[0] != second.types[0]:
        return NULL
    return <LoopFn>lz_pair_loop(first.arithmetic - 1, second.arithmetic - 1, is_right, first.types[0] == cnp.NPY_DOUBLE)


cdef int cheap_width(Loop* loop) noexcept:
    """Bytes of the widest operand of a loop that is cheap; of others 0."""
    cdef int i, width = 0
    if loop.flags & LOOP_CHEAP:
        for i in range(loop.nin + 1):
            width = max(width, loop.sizes[i])
    return width


cdef float _cost_of(str name, int code):
    """ns an element: the registered figures are for types of 32 bits; wider types cost in proportion."""
    cdef float base = _costs.get(name, 0.06)
    if code < cnp.NPY_FLOAT:
        base = _costs_of_integers.get(name, base)
    return base * max(_sizes[code], 1) / 4


def get_cost(u):
    """What a float32 element of ufunc `u` is said to cost on one core, in nanoseconds."""
    return _costs[u.__name__]


def set_cost(u, double ns_per_element, ns_of_integer=None):
    """State what a float32 element of ufunc `u` costs on one core, in nanoseconds; for plans to come.

    An int32 costs as much, unless it is said to cost something else.
    """
    _costs[u.__name__] = ns_per_element
    if ns_of_integer is not None:
        _costs_of_integers[u.__name__] = ns_of_integer
    for i in range(_loop_count):
        if all_loops[i].ufunc is <PyObject*>u:
            all_loops[i].cost = _cost_of(u.__name__, all_loops[i].types[0])


cdef Loop* cast_loop(int source, int target) except? NULL:
    """The cast between two native types (NumPy's ComplexWarning is the caller's business)."""
    cdef Loop* loop = _casts[source][target]
    if loop is not NULL:
        return loop
    if source == target:
        return copy_loop(source)
    loop = new_loop(<LoopFn>lz_cast_loop(source, target), NULL, 1, 1, "cast")
    _set_type(loop, 0, source)
    _set_type(loop, 1, target)
    loop.flags |= LOOP_STICKY | LOOP_STEADY | (
        LOOP_CHEAP if source <= cnp.NPY_DOUBLE and target <= cnp.NPY_DOUBLE else 0)
    loop.cost = 0.1 * max(_sizes[source], _sizes[target]) / 4
    _casts[source][target] = loop
    return loop


cdef Loop* _mover(Loop** known, int code, LoopFn fn, str name, tuple masks, float cost) except NULL:
    """A loop that moves elements of one type without looking at them; `masks` says which operands are bools instead."""
    cdef Loop* loop = known[code]
    if loop is NULL:
        loop = new_loop(fn, <void*><size_t>_sizes[code], len(masks) - 1, 1, name)
        for i, is_mask in enumerate(masks):
            _set_type(loop, i, cnp.NPY_BOOL if is_mask else code)
        loop.flags = LOOP_STICKY | LOOP_STEADY | (LOOP_CHEAP if name == "where" else 0)
        loop.cost = cost * _sizes[code] / 4
        known[code] = loop
    return loop


cdef Loop* copy_loop(int code) except NULL:
    cdef Loop* loop = _mover(_copies, code, <LoopFn>lz_copy_loop, "copy", (False, False), 0.03)
    loop.flags |= LOOP_COPY
    return loop


cdef Loop* select_loop(int code) except NULL:
    """np.where: (bool, T, T) -> T."""
    return _mover(_selects, code, <LoopFn>lz_select_loop, "where", (True, False, False, False), 0.08)


cdef Loop* compress_loop(int code) except NULL:
    """Elements under a mask, packed to the front: (T, bool) -> T."""
    return _mover(_compresses, code, <LoopFn>lz_compress_loop, "compress", (False, True, False), 0.2)


cdef Loop* expand_loop(int code) except NULL:
    """Packed elements back to their places under a mask, elsewhere old ones: (T, bool, T) -> T."""
    return _mover(_expands, code, <LoopFn>lz_expand_loop, "expand", (False, True, False, False), 0.2)


cdef Loop* search_loop(int code, bint largest) except NULL:
    """The places of the first extrema along an axis: T -> NumPy's index type."""
    cdef Loop* loop = _searches[largest][code]
    if loop is NULL:
        loop = new_loop(NULL, NULL, 1, 1, "argmax" if largest else "argmin")
        loop.search = <Search>lz_search(_descrs[code], largest)
        dtype = _DESCR[code]
        loop.search_rows = <SearchRows>lz_find_search_rows(largest, ord(dtype.kind), dtype.itemsize)
        _set_type(loop, 0, code)
        _set_type(loop, 1, cnp.NPY_INTP)
        loop.flags = LOOP_SEARCHES
        loop.cost = 0.05 * _sizes[code]
        _searches[largest][code] = loop
    return loop


cdef Loop* scan_loop(int code, bint product) except? NULL:
    """Running sums or products along an axis: T -> T; NULL where NumPy's are better."""
    cdef Loop* loop = _scans[product][code]
    cdef object dtype = _DESCR[code]
    cdef const Scan* scan = <const Scan*>lz_find_scan(product, ord(dtype.kind), dtype.itemsize)
    if loop is NULL and scan is not NULL:
        loop = new_loop(NULL, NULL, 1, 1, "multiply.accumulate" if product else "add.accumulate")
        loop.scan = scan
        _set_type(loop, 0, code)
        _set_type(loop, 1, code)
        loop.flags |= LOOP_SCANS
        loop.cost = 0.5
        _scans[product][code] = loop
    return loop


def describe(int loop_id):
    """(name, operand characters) of a loop, for plans that are printed."""
    if not 0 <= loop_id < _loop_count:
        raise IndexError(f"there is no loop {loop_id}")
    cdef Loop* loop = all_loops[loop_id]
    return <object>loop.name, "".join([_DESCR[loop.types[i]].char for i in range(loop.nin + loop.nout)])


def loop_number(str name, str chars):
    """The number of the loop of one of NumPy's ufuncs, or of "cast", "copy" or "where", for these operand characters.

    -1 where there is none.
    """
    cdef int types[MAX_ARGS]
    cdef Loop* loop
    cdef Ufunc* u
    for i, char in enumerate(chars):
        types[i] = np.dtype(char).num
    if name in ("cast", "copy", "where"):
        return (cast_loop(types[0], types[1]) if name == "cast" else copy_loop(types[0]) if name == "copy"
                else select_loop(types[1])).id
    ufunc = np._core.umath.clip if name == "clip" else getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc):
        return -1
    u = find_ufunc(ufunc)
    loop = exact_loop(u, types) if len(chars) == u.nin + u.nout else NULL
    return -1 if loop is NULL else loop.id


def dtype_of(int code):
    """The dtype of a type number."""
    return _DESCR[code]
