"""Liveness of a plan's values, and their offsets in the arena."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.arena cimport Layout

cdef Layout find_layout(Walk* w, list steps, Layout known)
cdef set not_stored(Walk* w, list steps)
cdef dict places(Layout layout)
