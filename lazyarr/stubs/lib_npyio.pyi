# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from _typeshed import StrPath, SupportsRead, SupportsWrite
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import ScalarT
from numpy._typing import ArrayLike, DTypeLike, _DTypeLike, _SupportsArrayFunc
from typing import Any, Literal, Pattern, TypeAlias, overload

import numpy as np

_FNameRead: TypeAlias = StrPath | SupportsRead[str] | SupportsRead[bytes]
_FName: TypeAlias = StrPath | Iterable[str] | Iterable[bytes]
_FNameWriteBytes: TypeAlias = StrPath | SupportsWrite[bytes]
_FNameWrite: TypeAlias = _FNameWriteBytes | SupportsWrite[str]

@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: _DTypeLike[ScalarT], encoding: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: type[bool], encoding: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: type[int], encoding: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: type[float], encoding: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: type[complex], encoding: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def fromregex(
    file: _FNameRead, regexp: str | bytes | Pattern[Any], dtype: DTypeLike | None, encoding: str | None = None
) -> LazyArray: ...

@overload
def genfromtxt(
    fname: _FName, dtype: None = None, comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...
@overload
def genfromtxt(
    fname: _FName, dtype: _DTypeLike[ScalarT], comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def genfromtxt(
    fname: _FName, dtype: type[bool], comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def genfromtxt(
    fname: _FName, dtype: type[int], comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def genfromtxt(
    fname: _FName, dtype: type[float], comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def genfromtxt(
    fname: _FName, dtype: type[complex], comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def genfromtxt(
    fname: _FName, dtype: DTypeLike | None, comments: str = '#', delimiter: str | int | Iterable[int] | None = None,
    skip_header: int = 0, skip_footer: int = 0, converters: Mapping[int | str, Callable[[str], Any]] | None = None,
    missing_values: Any = None, filling_values: Any = None, usecols: Sequence[int] | None = None,
    names: Literal[True] | str | Collection[str] | None = None, excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = '_', autostrip: bool = False,
    case_sensitive: bool | Literal['upper', 'lower'] = True, defaultfmt: str = 'f%i', unpack: bool | None = None,
    usemask: bool = False, loose: bool = True, invalid_raise: bool = True, max_rows: int | None = None,
    encoding: str | None = None, *, ndmin: Literal[0, 1, 2] = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

def load(
    file: Any, mmap_mode: Literal['r', 'r+', 'w+', 'c'] | None = None, allow_pickle: bool = False,
    fix_imports: bool = True, encoding: Literal['ASCII', 'latin1', 'bytes'] = 'ASCII', *, max_header_size: int = 10000
) -> Any: ...

@overload
def loadtxt(
    fname: _FName, dtype: None = None, comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def loadtxt(
    fname: _FName, dtype: _DTypeLike[ScalarT], comments: str | Sequence[str] | None = '#',
    delimiter: str | None = None, converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str],
    Any] | None = None, skiprows: int = 0, usecols: int | Sequence[int] | None = None, unpack: bool = False,
    ndmin: Literal[0, 1, 2] = 0, encoding: str | None = None, max_rows: int | None = None, *,
    quotechar: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def loadtxt(
    fname: _FName, dtype: type[bool], comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def loadtxt(
    fname: _FName, dtype: type[int], comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def loadtxt(
    fname: _FName, dtype: type[float], comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def loadtxt(
    fname: _FName, dtype: type[complex], comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def loadtxt(
    fname: _FName, dtype: DTypeLike | None, comments: str | Sequence[str] | None = '#', delimiter: str | None = None,
    converters: Mapping[int | str, Callable[[str], Any]] | Callable[[str], Any] | None = None, skiprows: int = 0,
    usecols: int | Sequence[int] | None = None, unpack: bool = False, ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None, max_rows: int | None = None, *, quotechar: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

def save(file: _FNameWriteBytes, arr: ArrayLike, allow_pickle: bool = True) -> None: ...

def savetxt(
    fname: _FNameWrite, X: ArrayLike, fmt: str | Sequence[str] = '%.18e', delimiter: str = ' ', newline: str = '\n',
    header: str = '', footer: str = '', comments: str = '# ', encoding: str | None = None
) -> None: ...

def savez(file: _FNameWriteBytes, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None: ...

def savez_compressed(
    file: _FNameWriteBytes, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None: ...
