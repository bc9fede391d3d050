"""Native forms of NumPy's functions for small arrays that have their values: computed at their line, without a graph.

Each module enters its functions in the table `frontend.native_forms` when it is imported. A function returns
NotImplemented for a call that it does not take; NumPy's own function, or the graph, takes that.
"""
import importlib

_FORMS = (
    "arrange axes bins compare creation einsum grid join metadata moments outer reductions rounding samples signal "
    "sorting statistics truth ufunc_methods view"
)

for _name in _FORMS.split():
    importlib.import_module(f"lazyarr._core.eager.{_name}")
