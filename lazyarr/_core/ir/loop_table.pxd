"""Records of inner loops, which tile programs call."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

cdef enum:
    MAX_ARGS = 8
    # Operand codes are NumPy's type numbers; weak Python scalars take the codes of types that have no native loop.
    WEAK_INT = 17
    WEAK_FLOAT = 18
    WEAK_COMPLEX = 19
    NPY_HALF = 23              # missing in NumPy's declarations
    NCODES = 24
    INTERLEAVED_LINES = 8          # lines whose cumulative sums are computed side by side

cdef enum LoopFlags:
    LOOP_SERIAL = 1      # may raise a Python error or is not NumPy's own: only on the calling thread
    LOOP_STATUS = 2      # may set status flags (integer loops, too: x // 0)
    LOOP_STICKY = 4      # preserves status flags set earlier
    LOOP_ORDERED = 8     # reduced from first to last: the order decides which of two zeros or NaNs remains
    LOOP_COPY = 16       # only copies elements
    LOOP_SEARCHES = 32   # argmin or argmax along an axis
    LOOP_SCANS = 64      # cumulative sum or product along an axis
    LOOP_STEADY = 128    # unary, and its results do not depend on memory layout
    LOOP_CHEAP = 256     # takes less time than storing and loading its result
    LOOP_QUIET = 512     # never reports an error

ctypedef void (*LoopFn)(char** args, npy_intp* count, npy_intp* strides, void* data) noexcept nogil

# Folds of runs and of many rows, as reduce.h describes them.
ctypedef void (*FoldRun)(char* x, npy_intp n, bint streams, char* out) noexcept nogil
ctypedef void (*FoldRows)(char* x, npy_intp rows, npy_intp length, bint streams, char* out) noexcept nogil
ctypedef void (*FoldColumns)(char* x, npy_intp stride, npy_intp rows, npy_intp width, bint streams, char* out,
                             bint fresh) noexcept nogil

# Index of the first extremum of a line, as NumPy finds it; `array` may be NULL for native types.
ctypedef int (*Search)(void* values, npy_intp n, npy_intp* place, void* array) noexcept nogil
# The same across rows, as argreduce.h describes it.
ctypedef void (*SearchRows)(npy_intp* place, void* value, char* x, npy_intp step, npy_intp width, npy_intp n,
                            npy_intp first, bint fresh) noexcept nogil

# Cumulative sums or products, as cumulative.h describes them.
cdef struct Scan:
    void (*lines)(char* out, npy_intp out_pitch, npy_intp out_step, char* x, npy_intp x_pitch, npy_intp x_step,
                  npy_intp lines, npy_intp n, bint fresh) noexcept nogil
    void (*rows)(char* out, npy_intp out_step, char* x, npy_intp x_step, npy_intp width, npy_intp n,
                 bint fresh) noexcept nogil

cdef struct Loop:
    int id
    LoopFn fn
    void* data
    LoopFn numpy_fn      # NumPy's function and data where `fn` is wider, for sums in NumPy's order
    void* numpy_data
    int nin
    int nout
    int types[MAX_ARGS]
    int sizes[MAX_ARGS]
    int flags
    int arithmetic       # 1 + index in "+-*/" if a wide loop does it; else 0
    bint is_sum          # addition of float32 or float64, summed pairwise by NumPy
    bint has_start       # whether the initial value of reductions matters:
    char start[32]       # NumPy's initial value of reductions
    Loop* of_scalars     # loop of NumPy's scalars: integer arithmetic that reports overflow; or NULL
    FoldRun fold_run
    FoldRows fold_rows           # NULL: none
    FoldColumns fold_columns
    Search search                # only in search and scan loops
    SearchRows search_rows
    const Scan* scan
    int marks[2]         # marks that rewrite rules ask for: exact rules, all rules; -1: not looked up yet
    float cost           # ns per element on one core, operands in cache
    PyObject* ufunc      # NULL for cast, copy and select; lives for ever
    int traits           # the ufunc's traits, see ufunc_traits.pxd
    PyObject* name       # str

cdef Loop** all_loops
cdef int loop_count() noexcept
cdef Loop* new_loop(LoopFn fn, void* data, int nin, int nout, str name) except NULL
cdef void set_type(Loop* loop, int i, int code) noexcept
cdef int type_size(int code) noexcept
cdef int cheap_width(Loop* loop) noexcept
cdef bint is_native(int code) noexcept
cdef object descr_of(int code)
