"""What most native forms are written with: operands, results, loops, floating-point flags, registration."""
from lazyarr._core.frontend.eager cimport (
    LARGE, SMALL_ELEMENTS, first_of, is_enabled, is_ready, must_report, new_base, new_leaf, note_write, own_storage,
    scalar_at, show, take_over)
from lazyarr._core.frontend.eager_loop cimport as_line, cast_elements, copy_elements, run_loop
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport add_native, bind
from lazyarr._core.frontend.views cimport new_view, window_view
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport MAX_DIMS, Node

ctypedef fused real:
    float
    double

ctypedef fused number:
    float
    double
    long
