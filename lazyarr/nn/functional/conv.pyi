from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

from lazyarr._core.frontend.lazy_array import LazyArray, Operand

Sizes: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Padding: TypeAlias = Literal["same", "valid"] | SupportsIndex | Sequence[SupportsIndex | Sequence[SupportsIndex]]

def conv1d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv2d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv3d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv_transpose1d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv_transpose2d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def conv_transpose3d(
    x: Operand,
    w: Operand,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
) -> LazyArray: ...
def im2col(
    x: Operand,
    window: Sequence[SupportsIndex],
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
) -> LazyArray: ...
def col2im(
    cols: Operand,
    input_shape: Sequence[SupportsIndex],
    window: Sequence[SupportsIndex],
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
) -> LazyArray: ...
