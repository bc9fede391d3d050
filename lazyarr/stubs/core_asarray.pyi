# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Iterable
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import OutT
from numpy._typing import DTypeLike, _SupportsArrayFunc
from typing import Literal, TypeAlias, overload

import numpy as np

_Requirements: TypeAlias = Literal['C', 'C_CONTIGUOUS', 'CONTIGUOUS', 'F', 'F_CONTIGUOUS', 'FORTRAN', 'A', 'ALIGNED', 'W', 'WRITEABLE', 'O', 'OWNDATA']
_E: TypeAlias = Literal['E', 'ENSUREARRAY']
_RequirementsWithE: TypeAlias = _Requirements | _E

@overload
def require(
    a: OutT, dtype: None = None, requirements: _Requirements | Iterable[_Requirements] | None = None, *,
    like: _SupportsArrayFunc | None = None
) -> OutT: ...
@overload
def require(
    a: object, dtype: DTypeLike | None = None, requirements: _E | Iterable[_RequirementsWithE] | None = None, *,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...
@overload
def require(
    a: object, dtype: DTypeLike | None = None, requirements: _Requirements | Iterable[_Requirements] | None = None, *,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...
