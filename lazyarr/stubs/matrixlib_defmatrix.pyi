# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Mapping, Sequence
from lazyarr.stubs.aliases import Operand
from typing import Any, overload

import numpy as np


def bmat(
    obj: str | Sequence[Operand], ldict: Mapping[str, Any] | None = None, gdict: Mapping[str, Any] | None = None
) -> np.matrix[Any, Any]: ...
