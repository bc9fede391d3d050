from collections.abc import Sequence
from typing import SupportsIndex

from lazyarr._core.frontend.lazy_array import LazyArray, Operand
from lazyarr.nn.functional.conv import Padding, Sizes

def conv1d_input(
    input_shape: Sequence[SupportsIndex],
    w: Operand,
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv1d_weight(
    x: Operand,
    weight_shape: Sequence[SupportsIndex],
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv2d_input(
    input_shape: Sequence[SupportsIndex],
    w: Operand,
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv2d_weight(
    x: Operand,
    weight_shape: Sequence[SupportsIndex],
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv3d_input(
    input_shape: Sequence[SupportsIndex],
    w: Operand,
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv3d_weight(
    x: Operand,
    weight_shape: Sequence[SupportsIndex],
    g: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
