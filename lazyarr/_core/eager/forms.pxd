"""Common imports of native forms: arguments, operands, results, loops, status flags, registration."""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset
from numpy cimport npy_intp

from lazyarr._core.eager.arguments cimport (
    as_doubles, axis_argument, axis_number, is_number, read_element, read_flag, read_integer, read_number, read_shape,
    ready_array, small_array, strong)
from lazyarr._core.frontend.eager cimport (
    LARGE, SMALL_ELEMENTS, first_of, is_enabled, is_ready, must_report, new_base, new_leaf, note_write, own_storage,
    scalar_at, show, take_over)
from lazyarr._core.frontend.eager_loop cimport as_line, cast_elements, copy_elements, run_loop
from lazyarr._core.frontend.eager_ufunc cimport Operand, fill_weak, read_operand
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport add_native, bind
from lazyarr._core.frontend.views cimport new_view, window_view
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.inner_loops cimport Ufunc, exact_loop, find_ufunc, resolve
from lazyarr._core.ir.loop_table cimport WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Loop, descr_of
from lazyarr._core.ir.node cimport MAX_DIMS, Node, new_window

ctypedef fused real:
    float
    double

ctypedef fused number:
    float
    double
    long
