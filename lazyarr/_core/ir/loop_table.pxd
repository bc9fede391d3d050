"""Records of inner loops: what a tile program calls."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

cdef enum:
    MAX_ARGS = 8
    # Operand codes are NumPy's type numbers; weak Python scalars take the codes of types that have no native loop.
    WEAK_INT = 17
    WEAK_FLOAT = 18
    WEAK_COMPLEX = 19
    NPY_HALF = 23              # which NumPy's own declarations leave out
    NCODES = 24
    INTERLEAVED_LINES = 8          # lines whose running sums are computed side by side

cdef enum LoopFlags:
    LOOP_SERIAL = 1      # may raise a Python error or is not NumPy's own: only on the calling thread
    LOOP_STATUS = 2      # can set floating-point status flags (integer loops too: x // 0)
    LOOP_STICKY = 4      # leaves status flags that were up before it alone
    LOOP_ORDERED = 8     # folded from first to last: the order decides which of two zeros or NaNs it takes
    LOOP_COPY = 16       # moves elements and does nothing else
    LOOP_SEARCHES = 32   # tells the places of extrema along an axis
    LOOP_SCANS = 64      # running sums or products along an axis
    LOOP_STEADY = 128    # of one operand's values it always makes the same, however operands lie in memory
    LOOP_CHEAP = 256     # takes less time than its result's way to memory and back
    LOOP_QUIET = 512     # reports no error, whatever its operands

ctypedef void (*LoopFn)(char** args, npy_intp* count, npy_intp* strides, void* data) noexcept nogil

# Folds of runs and of many rows, as reduce.h describes them.
ctypedef void (*FoldRun)(char* x, npy_intp n, bint streams, char* out) noexcept nogil
ctypedef void (*FoldRows)(char* x, npy_intp rows, npy_intp length, bint streams, char* out) noexcept nogil
ctypedef void (*FoldColumns)(char* x, npy_intp stride, npy_intp rows, npy_intp width, bint streams, char* out,
                             bint fresh) noexcept nogil

# The place of the first extremum in a line, as NumPy finds it; `array` may be NULL for native types.
ctypedef int (*Search)(void* values, npy_intp n, npy_intp* place, void* array) noexcept nogil
# The same for lines across rows, as argreduce.h describes it.
ctypedef void (*SearchRows)(npy_intp* place, void* value, char* x, npy_intp step, npy_intp width, npy_intp n,
                            npy_intp first, bint fresh) noexcept nogil

# Running sums or products, as cumulative.h describes them.
cdef struct Scan:
    void (*lines)(char* out, npy_intp out_pitch, npy_intp out_step, char* x, npy_intp x_pitch, npy_intp x_step,
                  npy_intp lines, npy_intp n, bint fresh) noexcept nogil
    void (*rows)(char* out, npy_intp out_step, char* x, npy_intp x_step, npy_intp width, npy_intp n,
                 bint fresh) noexcept nogil

cdef struct Loop:
    int id
    LoopFn fn
    void* data
    LoopFn numpy_fn      # NumPy's own, where `fn` is a wider one, and its data: they add in NumPy's order
    void* numpy_data
    int nin
    int nout
    int types[MAX_ARGS]
    int sizes[MAX_ARGS]
    int flags
    int arithmetic       # 1 + which of + - * / it is, if a wide loop does it; else 0
    bint is_sum          # addition of float32 or float64, which NumPy folds pairwise
    bint has_start       # whether a fold of one element is not that element:
    char start[32]       # what NumPy begins folds with
    Loop* of_scalars     # what NumPy's scalars run in its place: integer arithmetic that reports overflow; or NULL
    FoldRun fold_run
    FoldRows fold_rows           # NULL: there are none
    FoldColumns fold_columns
    Search search                # of loops that do no more: these two, or the next
    SearchRows search_rows
    const Scan* scan
    int marks[2]         # constants that rewrite rules ask for, a bit each: exact rules, all; -1: not asked yet
    float cost           # ns an element, one core, operands in cache
    PyObject* ufunc      # NULL for cast, copy and select; lives for ever
    int traits           # of the ufunc: see ufunc_traits.pxd
    PyObject* name       # str

cdef Loop** all_loops
cdef int loop_count() noexcept
cdef Loop* new_loop(LoopFn fn, void* data, int nin, int nout, str name) except NULL
cdef void set_type(Loop* loop, int i, int code) noexcept
cdef int type_size(int code) noexcept
cdef int cheap_width(Loop* loop) noexcept
cdef bint is_native(int code) noexcept
cdef object descr_of(int code)
