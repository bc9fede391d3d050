# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from lazyarr.stubs.core_arrayprint import array2string as array2string
from lazyarr.stubs.core_arrayprint import array_repr as array_repr
from lazyarr.stubs.core_arrayprint import array_str as array_str
from lazyarr.stubs.core_arrayprint import format_float_positional as format_float_positional
from lazyarr.stubs.core_arrayprint import format_float_scientific as format_float_scientific
from lazyarr.stubs.core_asarray import require as require
from lazyarr.stubs.core_einsumfunc import einsum as einsum
from lazyarr.stubs.core_einsumfunc import einsum_path as einsum_path
from lazyarr.stubs.core_fromnumeric import all as all
from lazyarr.stubs.core_fromnumeric import amax as amax
from lazyarr.stubs.core_fromnumeric import amin as amin
from lazyarr.stubs.core_fromnumeric import any as any
from lazyarr.stubs.core_fromnumeric import argmax as argmax
from lazyarr.stubs.core_fromnumeric import argmin as argmin
from lazyarr.stubs.core_fromnumeric import argpartition as argpartition
from lazyarr.stubs.core_fromnumeric import argsort as argsort
from lazyarr.stubs.core_fromnumeric import around as around
from lazyarr.stubs.core_fromnumeric import choose as choose
from lazyarr.stubs.core_fromnumeric import clip as clip
from lazyarr.stubs.core_fromnumeric import compress as compress
from lazyarr.stubs.core_fromnumeric import cumprod as cumprod
from lazyarr.stubs.core_fromnumeric import cumsum as cumsum
from lazyarr.stubs.core_fromnumeric import cumulative_prod as cumulative_prod
from lazyarr.stubs.core_fromnumeric import cumulative_sum as cumulative_sum
from lazyarr.stubs.core_fromnumeric import diagonal as diagonal
from lazyarr.stubs.core_fromnumeric import matrix_transpose as matrix_transpose
from lazyarr.stubs.core_fromnumeric import max as max
from lazyarr.stubs.core_fromnumeric import mean as mean
from lazyarr.stubs.core_fromnumeric import min as min
from lazyarr.stubs.core_fromnumeric import nanargmax as nanargmax
from lazyarr.stubs.core_fromnumeric import nanargmin as nanargmin
from lazyarr.stubs.core_fromnumeric import nancumprod as nancumprod
from lazyarr.stubs.core_fromnumeric import nancumsum as nancumsum
from lazyarr.stubs.core_fromnumeric import nanmax as nanmax
from lazyarr.stubs.core_fromnumeric import nanmean as nanmean
from lazyarr.stubs.core_fromnumeric import nanmin as nanmin
from lazyarr.stubs.core_fromnumeric import nanprod as nanprod
from lazyarr.stubs.core_fromnumeric import nanstd as nanstd
from lazyarr.stubs.core_fromnumeric import nansum as nansum
from lazyarr.stubs.core_fromnumeric import nanvar as nanvar
from lazyarr.stubs.core_fromnumeric import ndim as ndim
from lazyarr.stubs.core_fromnumeric import nonzero as nonzero
from lazyarr.stubs.core_fromnumeric import partition as partition
from lazyarr.stubs.core_fromnumeric import permute_dims as permute_dims
from lazyarr.stubs.core_fromnumeric import prod as prod
from lazyarr.stubs.core_fromnumeric import ptp as ptp
from lazyarr.stubs.core_fromnumeric import put as put
from lazyarr.stubs.core_fromnumeric import ravel as ravel
from lazyarr.stubs.core_fromnumeric import repeat as repeat
from lazyarr.stubs.core_fromnumeric import reshape as reshape
from lazyarr.stubs.core_fromnumeric import resize as resize
from lazyarr.stubs.core_fromnumeric import round as round
from lazyarr.stubs.core_fromnumeric import searchsorted as searchsorted
from lazyarr.stubs.core_fromnumeric import shape as shape
from lazyarr.stubs.core_fromnumeric import size as size
from lazyarr.stubs.core_fromnumeric import sort as sort
from lazyarr.stubs.core_fromnumeric import squeeze as squeeze
from lazyarr.stubs.core_fromnumeric import std as std
from lazyarr.stubs.core_fromnumeric import sum as sum
from lazyarr.stubs.core_fromnumeric import swapaxes as swapaxes
from lazyarr.stubs.core_fromnumeric import take as take
from lazyarr.stubs.core_fromnumeric import trace as trace
from lazyarr.stubs.core_fromnumeric import transpose as transpose
from lazyarr.stubs.core_fromnumeric import var as var
from lazyarr.stubs.core_function_base import geomspace as geomspace
from lazyarr.stubs.core_function_base import linspace as linspace
from lazyarr.stubs.core_function_base import logspace as logspace
from lazyarr.stubs.core_multiarray import arange as arange
from lazyarr.stubs.core_multiarray import array as array
from lazyarr.stubs.core_multiarray import asanyarray as asanyarray
from lazyarr.stubs.core_multiarray import asarray as asarray
from lazyarr.stubs.core_multiarray import ascontiguousarray as ascontiguousarray
from lazyarr.stubs.core_multiarray import asfortranarray as asfortranarray
from lazyarr.stubs.core_multiarray import bincount as bincount
from lazyarr.stubs.core_multiarray import busday_count as busday_count
from lazyarr.stubs.core_multiarray import busday_offset as busday_offset
from lazyarr.stubs.core_multiarray import can_cast as can_cast
from lazyarr.stubs.core_multiarray import concat as concat
from lazyarr.stubs.core_multiarray import concatenate as concatenate
from lazyarr.stubs.core_multiarray import copyto as copyto
from lazyarr.stubs.core_multiarray import datetime_as_string as datetime_as_string
from lazyarr.stubs.core_multiarray import datetime_data as datetime_data
from lazyarr.stubs.core_multiarray import dot as dot
from lazyarr.stubs.core_multiarray import empty as empty
from lazyarr.stubs.core_multiarray import empty_like as empty_like
from lazyarr.stubs.core_multiarray import from_dlpack as from_dlpack
from lazyarr.stubs.core_multiarray import frombuffer as frombuffer
from lazyarr.stubs.core_multiarray import fromfile as fromfile
from lazyarr.stubs.core_multiarray import fromiter as fromiter
from lazyarr.stubs.core_multiarray import fromstring as fromstring
from lazyarr.stubs.core_multiarray import inner as inner
from lazyarr.stubs.core_multiarray import is_busday as is_busday
from lazyarr.stubs.core_multiarray import lexsort as lexsort
from lazyarr.stubs.core_multiarray import may_share_memory as may_share_memory
from lazyarr.stubs.core_multiarray import min_scalar_type as min_scalar_type
from lazyarr.stubs.core_multiarray import ones as ones
from lazyarr.stubs.core_multiarray import packbits as packbits
from lazyarr.stubs.core_multiarray import promote_types as promote_types
from lazyarr.stubs.core_multiarray import putmask as putmask
from lazyarr.stubs.core_multiarray import ravel_multi_index as ravel_multi_index
from lazyarr.stubs.core_multiarray import result_type as result_type
from lazyarr.stubs.core_multiarray import shares_memory as shares_memory
from lazyarr.stubs.core_multiarray import unpackbits as unpackbits
from lazyarr.stubs.core_multiarray import unravel_index as unravel_index
from lazyarr.stubs.core_multiarray import vdot as vdot
from lazyarr.stubs.core_multiarray import where as where
from lazyarr.stubs.core_multiarray import zeros as zeros
from lazyarr.stubs.core_numeric import allclose as allclose
from lazyarr.stubs.core_numeric import argwhere as argwhere
from lazyarr.stubs.core_numeric import array_equal as array_equal
from lazyarr.stubs.core_numeric import array_equiv as array_equiv
from lazyarr.stubs.core_numeric import astype as astype
from lazyarr.stubs.core_numeric import base_repr as base_repr
from lazyarr.stubs.core_numeric import binary_repr as binary_repr
from lazyarr.stubs.core_numeric import convolve as convolve
from lazyarr.stubs.core_numeric import correlate as correlate
from lazyarr.stubs.core_numeric import count_nonzero as count_nonzero
from lazyarr.stubs.core_numeric import cross as cross
from lazyarr.stubs.core_numeric import flatnonzero as flatnonzero
from lazyarr.stubs.core_numeric import fromfunction as fromfunction
from lazyarr.stubs.core_numeric import full as full
from lazyarr.stubs.core_numeric import full_like as full_like
from lazyarr.stubs.core_numeric import identity as identity
from lazyarr.stubs.core_numeric import indices as indices
from lazyarr.stubs.core_numeric import isclose as isclose
from lazyarr.stubs.core_numeric import isfortran as isfortran
from lazyarr.stubs.core_numeric import isscalar as isscalar
from lazyarr.stubs.core_numeric import moveaxis as moveaxis
from lazyarr.stubs.core_numeric import ones_like as ones_like
from lazyarr.stubs.core_numeric import outer as outer
from lazyarr.stubs.core_numeric import roll as roll
from lazyarr.stubs.core_numeric import rollaxis as rollaxis
from lazyarr.stubs.core_numeric import tensordot as tensordot
from lazyarr.stubs.core_numeric import zeros_like as zeros_like
from lazyarr.stubs.core_shape_base import atleast_1d as atleast_1d
from lazyarr.stubs.core_shape_base import atleast_2d as atleast_2d
from lazyarr.stubs.core_shape_base import atleast_3d as atleast_3d
from lazyarr.stubs.core_shape_base import block as block
from lazyarr.stubs.core_shape_base import hstack as hstack
from lazyarr.stubs.core_shape_base import stack as stack
from lazyarr.stubs.core_shape_base import unstack as unstack
from lazyarr.stubs.core_shape_base import vstack as vstack
from lazyarr.stubs.lib_arraypad import pad as pad
from lazyarr.stubs.lib_arraysetops import ediff1d as ediff1d
from lazyarr.stubs.lib_arraysetops import intersect1d as intersect1d
from lazyarr.stubs.lib_arraysetops import isin as isin
from lazyarr.stubs.lib_arraysetops import setdiff1d as setdiff1d
from lazyarr.stubs.lib_arraysetops import setxor1d as setxor1d
from lazyarr.stubs.lib_arraysetops import union1d as union1d
from lazyarr.stubs.lib_arraysetops import unique as unique
from lazyarr.stubs.lib_arraysetops import unique_all as unique_all
from lazyarr.stubs.lib_arraysetops import unique_counts as unique_counts
from lazyarr.stubs.lib_arraysetops import unique_inverse as unique_inverse
from lazyarr.stubs.lib_arraysetops import unique_values as unique_values
from lazyarr.stubs.lib_function_base import angle as angle
from lazyarr.stubs.lib_function_base import append as append
from lazyarr.stubs.lib_function_base import asarray_chkfinite as asarray_chkfinite
from lazyarr.stubs.lib_function_base import average as average
from lazyarr.stubs.lib_function_base import bartlett as bartlett
from lazyarr.stubs.lib_function_base import blackman as blackman
from lazyarr.stubs.lib_function_base import copy as copy
from lazyarr.stubs.lib_function_base import corrcoef as corrcoef
from lazyarr.stubs.lib_function_base import cov as cov
from lazyarr.stubs.lib_function_base import delete as delete
from lazyarr.stubs.lib_function_base import diff as diff
from lazyarr.stubs.lib_function_base import digitize as digitize
from lazyarr.stubs.lib_function_base import extract as extract
from lazyarr.stubs.lib_function_base import flip as flip
from lazyarr.stubs.lib_function_base import gradient as gradient
from lazyarr.stubs.lib_function_base import hamming as hamming
from lazyarr.stubs.lib_function_base import hanning as hanning
from lazyarr.stubs.lib_function_base import i0 as i0
from lazyarr.stubs.lib_function_base import insert as insert
from lazyarr.stubs.lib_function_base import interp as interp
from lazyarr.stubs.lib_function_base import iterable as iterable
from lazyarr.stubs.lib_function_base import kaiser as kaiser
from lazyarr.stubs.lib_function_base import median as median
from lazyarr.stubs.lib_function_base import meshgrid as meshgrid
from lazyarr.stubs.lib_function_base import nanmedian as nanmedian
from lazyarr.stubs.lib_function_base import nanpercentile as nanpercentile
from lazyarr.stubs.lib_function_base import nanquantile as nanquantile
from lazyarr.stubs.lib_function_base import percentile as percentile
from lazyarr.stubs.lib_function_base import piecewise as piecewise
from lazyarr.stubs.lib_function_base import place as place
from lazyarr.stubs.lib_function_base import quantile as quantile
from lazyarr.stubs.lib_function_base import rot90 as rot90
from lazyarr.stubs.lib_function_base import select as select
from lazyarr.stubs.lib_function_base import sinc as sinc
from lazyarr.stubs.lib_function_base import sort_complex as sort_complex
from lazyarr.stubs.lib_function_base import trapezoid as trapezoid
from lazyarr.stubs.lib_function_base import trim_zeros as trim_zeros
from lazyarr.stubs.lib_function_base import unwrap as unwrap
from lazyarr.stubs.lib_histograms import histogram as histogram
from lazyarr.stubs.lib_histograms import histogram_bin_edges as histogram_bin_edges
from lazyarr.stubs.lib_histograms import histogramdd as histogramdd
from lazyarr.stubs.lib_index_tricks import diag_indices as diag_indices
from lazyarr.stubs.lib_index_tricks import diag_indices_from as diag_indices_from
from lazyarr.stubs.lib_index_tricks import fill_diagonal as fill_diagonal
from lazyarr.stubs.lib_index_tricks import ix_ as ix_
from lazyarr.stubs.lib_npyio import fromregex as fromregex
from lazyarr.stubs.lib_npyio import genfromtxt as genfromtxt
from lazyarr.stubs.lib_npyio import load as load
from lazyarr.stubs.lib_npyio import loadtxt as loadtxt
from lazyarr.stubs.lib_npyio import save as save
from lazyarr.stubs.lib_npyio import savetxt as savetxt
from lazyarr.stubs.lib_npyio import savez as savez
from lazyarr.stubs.lib_npyio import savez_compressed as savez_compressed
from lazyarr.stubs.lib_polynomial import poly as poly
from lazyarr.stubs.lib_polynomial import polyadd as polyadd
from lazyarr.stubs.lib_polynomial import polyder as polyder
from lazyarr.stubs.lib_polynomial import polydiv as polydiv
from lazyarr.stubs.lib_polynomial import polyfit as polyfit
from lazyarr.stubs.lib_polynomial import polyint as polyint
from lazyarr.stubs.lib_polynomial import polymul as polymul
from lazyarr.stubs.lib_polynomial import polysub as polysub
from lazyarr.stubs.lib_polynomial import polyval as polyval
from lazyarr.stubs.lib_polynomial import roots as roots
from lazyarr.stubs.lib_shape_base import apply_along_axis as apply_along_axis
from lazyarr.stubs.lib_shape_base import apply_over_axes as apply_over_axes
from lazyarr.stubs.lib_shape_base import array_split as array_split
from lazyarr.stubs.lib_shape_base import column_stack as column_stack
from lazyarr.stubs.lib_shape_base import dsplit as dsplit
from lazyarr.stubs.lib_shape_base import dstack as dstack
from lazyarr.stubs.lib_shape_base import expand_dims as expand_dims
from lazyarr.stubs.lib_shape_base import hsplit as hsplit
from lazyarr.stubs.lib_shape_base import kron as kron
from lazyarr.stubs.lib_shape_base import put_along_axis as put_along_axis
from lazyarr.stubs.lib_shape_base import split as split
from lazyarr.stubs.lib_shape_base import take_along_axis as take_along_axis
from lazyarr.stubs.lib_shape_base import tile as tile
from lazyarr.stubs.lib_shape_base import vsplit as vsplit
from lazyarr.stubs.lib_stride_tricks import broadcast_arrays as broadcast_arrays
from lazyarr.stubs.lib_stride_tricks import broadcast_to as broadcast_to
from lazyarr.stubs.lib_twodim_base import diag as diag
from lazyarr.stubs.lib_twodim_base import diagflat as diagflat
from lazyarr.stubs.lib_twodim_base import eye as eye
from lazyarr.stubs.lib_twodim_base import fliplr as fliplr
from lazyarr.stubs.lib_twodim_base import flipud as flipud
from lazyarr.stubs.lib_twodim_base import histogram2d as histogram2d
from lazyarr.stubs.lib_twodim_base import mask_indices as mask_indices
from lazyarr.stubs.lib_twodim_base import tri as tri
from lazyarr.stubs.lib_twodim_base import tril as tril
from lazyarr.stubs.lib_twodim_base import tril_indices as tril_indices
from lazyarr.stubs.lib_twodim_base import tril_indices_from as tril_indices_from
from lazyarr.stubs.lib_twodim_base import triu as triu
from lazyarr.stubs.lib_twodim_base import triu_indices as triu_indices
from lazyarr.stubs.lib_twodim_base import triu_indices_from as triu_indices_from
from lazyarr.stubs.lib_twodim_base import vander as vander
from lazyarr.stubs.lib_type_check import common_type as common_type
from lazyarr.stubs.lib_type_check import imag as imag
from lazyarr.stubs.lib_type_check import iscomplex as iscomplex
from lazyarr.stubs.lib_type_check import iscomplexobj as iscomplexobj
from lazyarr.stubs.lib_type_check import isreal as isreal
from lazyarr.stubs.lib_type_check import isrealobj as isrealobj
from lazyarr.stubs.lib_type_check import mintypecode as mintypecode
from lazyarr.stubs.lib_type_check import nan_to_num as nan_to_num
from lazyarr.stubs.lib_type_check import real as real
from lazyarr.stubs.lib_type_check import real_if_close as real_if_close
from lazyarr.stubs.lib_ufunclike import fix as fix
from lazyarr.stubs.lib_ufunclike import isneginf as isneginf
from lazyarr.stubs.lib_ufunclike import isposinf as isposinf
from lazyarr.stubs.lib_utils import info as info
from lazyarr.stubs.matrixlib_defmatrix import bmat as bmat
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from numpy import asmatrix as asmatrix
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import broadcast as broadcast
from numpy import broadcast_shapes as broadcast_shapes
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex128 as complex128
from numpy import complex256 as complex256
from numpy import complex64 as complex64
from numpy import complexfloating as complexfloating
from numpy import core as core
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import e as e
from numpy import emath as emath
from numpy import errstate as errstate
from numpy import euler_gamma as euler_gamma
from numpy import exceptions as exceptions
from numpy import f2py as f2py
from numpy import finfo as finfo
from numpy import flatiter as flatiter
from numpy import flexible as flexible
from numpy import float128 as float128
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import generic as generic
from numpy import get_include as get_include
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import half as half
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import inf as inf
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import isdtype as isdtype
from numpy import issubdtype as issubdtype
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import memmap as memmap
from numpy import nan as nan
from numpy import ndenumerate as ndenumerate
from numpy import ndindex as ndindex
from numpy import nditer as nditer
from numpy import nested_iters as nested_iters
from numpy import newaxis as newaxis
from numpy import number as number
from numpy import object_ as object_
from numpy import pi as pi
from numpy import poly1d as poly1d
from numpy import printoptions as printoptions
from numpy import recarray as recarray
from numpy import record as record
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall
from numpy import short as short
from numpy import show_config as show_config
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import strings as strings
from numpy import timedelta64 as timedelta64
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import typing as typing
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import vectorize as vectorize
from numpy import void as void
from lazyarr.numpy import char as char
from lazyarr.numpy import ctypeslib as ctypeslib
from lazyarr.numpy import fft as fft
from lazyarr.numpy import lib as lib
from lazyarr.numpy import linalg as linalg
from lazyarr.numpy import polynomial as polynomial
from lazyarr.numpy import random as random
from lazyarr.numpy import rec as rec
from lazyarr.numpy import testing as testing
from lazyarr.stubs.ufuncs import Absolute as _Absolute, Arithmetic as _Arithmetic, BitCount as _BitCount, Bitwise as _Bitwise, BitwiseNot as _BitwiseNot, Comparison as _Comparison, DivMod as _DivMod, Division as _Division, Divisor as _Divisor, Exponent as _Exponent, FloatFunction as _FloatFunction, FloatPair as _FloatPair, FloatPower as _FloatPower, Fraction as _Fraction, Power as _Power, Predicate as _Predicate, Product as _Product, RealFunction as _RealFunction, Remainder as _Remainder, Rounding as _Rounding, Scaling as _Scaling, Shift as _Shift, Sign as _Sign, Squaring as _Squaring, Subtraction as _Subtraction, TimePredicate as _TimePredicate

from typing import Any as _Any, Literal as _Literal
import numpy as _np
from lazyarr._core.frontend.lazy_array import LazyArray as _LazyArray
from lazyarr.stubs.ufuncs import AnyUfunc as _AnyUfunc

from lazyarr._core.frontend.lazy_array import LazyArray as ndarray
from lazyarr.stubs.ufuncs import Ufunc as ufunc

class _Joiner:
    def __getitem__(self, key: _Any) -> _LazyArray: ...
    def __len__(self) -> _Literal[0]: ...

class _OpenGrid:
    def __getitem__(self, key: _Any) -> tuple[_LazyArray, ...]: ...

c_: _Joiner
r_: _Joiner
mgrid: _Joiner
ogrid: _OpenGrid
index_exp: _np.lib._index_tricks_impl.IndexExpression[_Literal[True]]
s_: _np.lib._index_tricks_impl.IndexExpression[_Literal[False]]

def frompyfunc(func: _Any, /, nin: int, nout: int, **kwargs: _Any) -> _AnyUfunc: ...

abs: _Absolute
absolute: _Absolute
acos: _FloatFunction
acosh: _FloatFunction
add: _Arithmetic
arccos: _FloatFunction
arccosh: _FloatFunction
arcsin: _FloatFunction
arcsinh: _FloatFunction
arctan: _FloatFunction
arctan2: _FloatPair
arctanh: _FloatFunction
asin: _FloatFunction
asinh: _FloatFunction
atan: _FloatFunction
atan2: _FloatPair
atanh: _FloatFunction
bitwise_and: _Bitwise
bitwise_count: _BitCount
bitwise_invert: _BitwiseNot
bitwise_left_shift: _Shift
bitwise_not: _BitwiseNot
bitwise_or: _Bitwise
bitwise_right_shift: _Shift
bitwise_xor: _Bitwise
cbrt: _RealFunction
ceil: _Rounding
conj: _Squaring
conjugate: _Squaring
copysign: _FloatPair
cos: _FloatFunction
cosh: _FloatFunction
deg2rad: _RealFunction
degrees: _RealFunction
divide: _Division
divmod: _DivMod
equal: _Comparison
exp: _FloatFunction
exp2: _FloatFunction
expm1: _FloatFunction
fabs: _RealFunction
float_power: _FloatPower
floor: _Rounding
floor_divide: _Remainder
fmax: _Arithmetic
fmin: _Arithmetic
fmod: _Remainder
frexp: _Exponent
gcd: _Divisor
greater: _Comparison
greater_equal: _Comparison
heaviside: _FloatPair
hypot: _FloatPair
invert: _BitwiseNot
isfinite: _Predicate
isinf: _Predicate
isnan: _Predicate
isnat: _TimePredicate
lcm: _Divisor
ldexp: _Scaling
left_shift: _Shift
less: _Comparison
less_equal: _Comparison
log: _FloatFunction
log10: _FloatFunction
log1p: _FloatFunction
log2: _FloatFunction
logaddexp: _FloatPair
logaddexp2: _FloatPair
logical_and: _Comparison
logical_not: _Predicate
logical_or: _Comparison
logical_xor: _Comparison
matmul: _Product
matvec: _Product
maximum: _Arithmetic
minimum: _Arithmetic
mod: _Remainder
modf: _Fraction
multiply: _Arithmetic
negative: _Sign
nextafter: _FloatPair
not_equal: _Comparison
positive: _Sign
pow: _Power
power: _Power
rad2deg: _RealFunction
radians: _RealFunction
reciprocal: _Squaring
remainder: _Remainder
right_shift: _Shift
rint: _FloatFunction
sign: _Sign
signbit: _Predicate
sin: _FloatFunction
sinh: _FloatFunction
spacing: _RealFunction
sqrt: _FloatFunction
square: _Squaring
subtract: _Subtraction
tan: _FloatFunction
tanh: _FloatFunction
true_divide: _Division
trunc: _Rounding
vecdot: _Product
vecmat: _Product

__all__ = ['False_', 'ScalarType', 'True_', 'abs', 'absolute', 'acos', 'acosh', 'add', 'all', 'allclose', 'amax', 'amin', 'angle', 'any', 'append', 'apply_along_axis', 'apply_over_axes', 'arange', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'argmax', 'argmin', 'argpartition', 'argsort', 'argwhere', 'around', 'array', 'array2string', 'array_equal', 'array_equiv', 'array_repr', 'array_split', 'array_str', 'asanyarray', 'asarray', 'asarray_chkfinite', 'ascontiguousarray', 'asfortranarray', 'asin', 'asinh', 'asmatrix', 'astype', 'atan', 'atan2', 'atanh', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'average', 'bartlett', 'base_repr', 'binary_repr', 'bincount', 'bitwise_and', 'bitwise_count', 'bitwise_invert', 'bitwise_left_shift', 'bitwise_not', 'bitwise_or', 'bitwise_right_shift', 'bitwise_xor', 'blackman', 'block', 'bmat', 'bool', 'bool_', 'broadcast', 'broadcast_arrays', 'broadcast_shapes', 'broadcast_to', 'busday_count', 'busday_offset', 'busdaycalendar', 'byte', 'bytes_', 'c_', 'can_cast', 'cbrt', 'cdouble', 'ceil', 'char', 'character', 'choose', 'clip', 'clongdouble', 'column_stack', 'common_type', 'complex128', 'complex256', 'complex64', 'complexfloating', 'compress', 'concat', 'concatenate', 'conj', 'conjugate', 'convolve', 'copy', 'copysign', 'copyto', 'core', 'corrcoef', 'correlate', 'cos', 'cosh', 'count_nonzero', 'cov', 'cross', 'csingle', 'ctypeslib', 'cumprod', 'cumsum', 'cumulative_prod', 'cumulative_sum', 'datetime64', 'datetime_as_string', 'datetime_data', 'deg2rad', 'degrees', 'delete', 'diag', 'diag_indices', 'diag_indices_from', 'diagflat', 'diagonal', 'diff', 'digitize', 'divide', 'divmod', 'dot', 'double', 'dsplit', 'dstack', 'dtype', 'dtypes', 'e', 'ediff1d', 'einsum', 'einsum_path', 'emath', 'empty', 'empty_like', 'equal', 'errstate', 'euler_gamma', 'exceptions', 'exp', 'exp2', 'expand_dims', 'expm1', 'extract', 'eye', 'f2py', 'fabs', 'fft', 'fill_diagonal', 'finfo', 'fix', 'flatiter', 'flatnonzero', 'flexible', 'flip', 'fliplr', 'flipud', 'float128', 'float16', 'float32', 'float64', 'float_power', 'floating', 'floor', 'floor_divide', 'fmax', 'fmin', 'fmod', 'format_float_positional', 'format_float_scientific', 'frexp', 'from_dlpack', 'frombuffer', 'fromfile', 'fromfunction', 'fromiter', 'frompyfunc', 'fromregex', 'fromstring', 'full', 'full_like', 'gcd', 'generic', 'genfromtxt', 'geomspace', 'get_include', 'get_printoptions', 'getbufsize', 'geterr', 'geterrcall', 'gradient', 'greater', 'greater_equal', 'half', 'hamming', 'hanning', 'heaviside', 'histogram', 'histogram2d', 'histogram_bin_edges', 'histogramdd', 'hsplit', 'hstack', 'hypot', 'i0', 'identity', 'iinfo', 'imag', 'index_exp', 'indices', 'inexact', 'inf', 'info', 'inner', 'insert', 'int16', 'int32', 'int64', 'int8', 'int_', 'intc', 'integer', 'interp', 'intersect1d', 'intp', 'invert', 'is_busday', 'isclose', 'iscomplex', 'iscomplexobj', 'isdtype', 'isfinite', 'isfortran', 'isin', 'isinf', 'isnan', 'isnat', 'isneginf', 'isposinf', 'isreal', 'isrealobj', 'isscalar', 'issubdtype', 'iterable', 'ix_', 'kaiser', 'kron', 'lcm', 'ldexp', 'left_shift', 'less', 'less_equal', 'lexsort', 'lib', 'linalg', 'linspace', 'little_endian', 'load', 'loadtxt', 'log', 'log10', 'log1p', 'log2', 'logaddexp', 'logaddexp2', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'logspace', 'long', 'longdouble', 'longlong', 'ma', 'mask_indices', 'matmul', 'matrix', 'matrix_transpose', 'matvec', 'max', 'maximum', 'may_share_memory', 'mean', 'median', 'memmap', 'meshgrid', 'mgrid', 'min', 'min_scalar_type', 'minimum', 'mintypecode', 'mod', 'modf', 'moveaxis', 'multiply', 'nan', 'nan_to_num', 'nanargmax', 'nanargmin', 'nancumprod', 'nancumsum', 'nanmax', 'nanmean', 'nanmedian', 'nanmin', 'nanpercentile', 'nanprod', 'nanquantile', 'nanstd', 'nansum', 'nanvar', 'ndarray', 'ndenumerate', 'ndim', 'ndindex', 'nditer', 'negative', 'nested_iters', 'newaxis', 'nextafter', 'nonzero', 'not_equal', 'number', 'object_', 'ogrid', 'ones', 'ones_like', 'outer', 'packbits', 'pad', 'partition', 'percentile', 'permute_dims', 'pi', 'piecewise', 'place', 'poly', 'poly1d', 'polyadd', 'polyder', 'polydiv', 'polyfit', 'polyint', 'polymul', 'polynomial', 'polysub', 'polyval', 'positive', 'pow', 'power', 'printoptions', 'prod', 'promote_types', 'ptp', 'put', 'put_along_axis', 'putmask', 'quantile', 'r_', 'rad2deg', 'radians', 'random', 'ravel', 'ravel_multi_index', 'real', 'real_if_close', 'rec', 'recarray', 'reciprocal', 'record', 'remainder', 'repeat', 'require', 'reshape', 'resize', 'result_type', 'right_shift', 'rint', 'roll', 'rollaxis', 'roots', 'rot90', 'round', 's_', 'save', 'savetxt', 'savez', 'savez_compressed', 'sctypeDict', 'searchsorted', 'select', 'set_printoptions', 'setbufsize', 'setdiff1d', 'seterr', 'seterrcall', 'setxor1d', 'shape', 'shares_memory', 'short', 'show_config', 'show_runtime', 'sign', 'signbit', 'signedinteger', 'sin', 'sinc', 'single', 'sinh', 'size', 'sort', 'sort_complex', 'spacing', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'str_', 'strings', 'subtract', 'sum', 'swapaxes', 'take', 'take_along_axis', 'tan', 'tanh', 'tensordot', 'testing', 'tile', 'timedelta64', 'trace', 'transpose', 'trapezoid', 'tri', 'tril', 'tril_indices', 'tril_indices_from', 'trim_zeros', 'triu', 'triu_indices', 'triu_indices_from', 'true_divide', 'trunc', 'typecodes', 'typename', 'typing', 'ubyte', 'ufunc', 'uint', 'uint16', 'uint32', 'uint64', 'uint8', 'uintc', 'uintp', 'ulong', 'ulonglong', 'union1d', 'unique', 'unique_all', 'unique_counts', 'unique_inverse', 'unique_values', 'unpackbits', 'unravel_index', 'unsignedinteger', 'unstack', 'unwrap', 'ushort', 'vander', 'vdot', 'vecdot', 'vecmat', 'vectorize', 'void', 'vsplit', 'vstack', 'where', 'zeros', 'zeros_like']
