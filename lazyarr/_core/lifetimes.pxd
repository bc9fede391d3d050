"""The lifetimes of a plan's values, and where those lie that nobody else sees."""
from lazyarr._core.arena cimport Layout
from lazyarr._core.walk cimport Walk

cdef Layout find_layout(Walk* w, list steps, Layout known)
cdef set not_stored(Walk* w, list steps)
cdef dict places(Layout layout)
