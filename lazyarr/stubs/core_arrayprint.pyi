# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Callable
from lazyarr.stubs.aliases import Array
from numpy._typing import _CharLike_co, _FloatLike_co
from typing import Any, Literal, SupportsIndex, TypeAlias, TypedDict

import numpy as np

class _FormatDict(TypedDict, total=False):
    bool: Callable[[np.bool], str]
    int: Callable[[np.integer], str]
    timedelta: Callable[[np.timedelta64], str]
    datetime: Callable[[np.datetime64], str]
    float: Callable[[np.floating], str]
    longfloat: Callable[[np.longdouble], str]
    complexfloat: Callable[[np.complexfloating], str]
    longcomplexfloat: Callable[[np.clongdouble], str]
    void: Callable[[np.void], str]
    numpystr: Callable[[_CharLike_co], str]
    object: Callable[[object], str]
    all: Callable[[object], str]
    int_kind: Callable[[np.integer], str]
    float_kind: Callable[[np.floating], str]
    complex_kind: Callable[[np.complexfloating], str]
    str_kind: Callable[[_CharLike_co], str]
_Sign: TypeAlias = Literal['-', '+', ' ']
_FloatMode: TypeAlias = Literal['fixed', 'unique', 'maxprec', 'maxprec_equal']
_LegacyNoStyle: TypeAlias = Literal['1.21', '1.25', '2.1', False]
_Legacy: TypeAlias = Literal['1.13', _LegacyNoStyle]
_Trim: TypeAlias = Literal['k', '.', '0', '-']

def array2string(
    a: Array[Any], max_line_width: int | None = None, precision: SupportsIndex | None = None,
    suppress_small: bool | None = None, separator: str = ' ', prefix: str = '', *,
    formatter: _FormatDict | None = None, threshold: int | None = None, edgeitems: int | None = None,
    sign: _Sign | None = None, floatmode: _FloatMode | None = None, suffix: str = '', legacy: _Legacy | None = None
) -> str: ...

def array_repr(
    arr: Array[Any], max_line_width: int | None = None, precision: SupportsIndex | None = None,
    suppress_small: bool | None = None
) -> str: ...

def array_str(
    a: Array[Any], max_line_width: int | None = None, precision: SupportsIndex | None = None,
    suppress_small: bool | None = None
) -> str: ...

def format_float_positional(
    x: _FloatLike_co, precision: int | None = None, unique: bool = True, fractional: bool = True, trim: _Trim = 'k',
    sign: bool = False, pad_left: int | None = None, pad_right: int | None = None, min_digits: int | None = None
) -> str: ...

def format_float_scientific(
    x: _FloatLike_co, precision: int | None = None, unique: bool = True, trim: _Trim = 'k', sign: bool = False,
    pad_left: int | None = None, exp_digits: int | None = None, min_digits: int | None = None
) -> str: ...
