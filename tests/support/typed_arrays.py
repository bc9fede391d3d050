"""Names of types and an array of each, shared by tests/typing, for type checkers and at run time."""

from typing import TYPE_CHECKING, Any

import numpy as np

import lazyarr as la

if TYPE_CHECKING:
    from typing import assert_type as assert_type
else:
    from support.static_checks import assert_type as assert_type

F32 = la.LazyArray[np.float32]
F64 = la.LazyArray[np.float64]
I64 = la.LazyArray[np.int64]
INT = la.LazyArray[np.intp]
BOOL = la.LazyArray[np.bool]
C128 = la.LazyArray[np.complex128]
ANY = la.LazyArray[Any]

x = la.linspace(0.5, 0.9, 6).astype(np.float32).reshape(2, 3)
d = la.linspace(0.5, 0.9, 6).reshape(2, 3)
i = la.arange(6).astype(np.int64).reshape(2, 3)
m = x > 0.6
z = d + 1j
any_ = la.asarray(d, "f8")
la.evaluate(x, d, i, m, z, any_)  # or the first test would appear to leak their values
