"""Check whether this host computes functions by the algorithms that kernels use.

NumPy has several implementations of a function, for processors with and without fused multiply-add or 512-bit vectors,
and some of them call the C library. So a function is called on a sample on the host, and a digest of the results is
compared with that of a kernel's results.
"""

import functools
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

DIGESTS: Mapping[tuple[str, str], int] = {
    ("multiply", "FF"): 0xF8846B67,
    ("multiply", "DD"): 0xD23F4D4F,
    ("square", "F"): 0x1BFBC52E,
    ("square", "D"): 0x0D9F9950,
    ("absolute", "F"): 0x62612923,
    ("absolute", "D"): 0x7D646784,
    ("exp", "e"): 0xFC9BC486,
    ("exp", "f"): 0xDEB445BF,
    ("exp", "d"): 0xCEE4B5B9,
    ("log", "f"): 0x79A1EEC5,
    ("log", "d"): 0x62C649D0,
    ("power", "ee"): 0x606510E2,
    ("power", "ff"): 0x768F301C,
    ("power", "dd"): 0xF829EFF7,
    ("float_power", "dd"): 0xF829EFF7,
    ("sin", "e"): 0x288B0143,
    ("sin", "f"): 0x95669822,
    ("sin", "d"): 0xD115AA2B,
    ("cos", "e"): 0x2A07DD16,
    ("cos", "f"): 0x02C796FA,
    ("cos", "d"): 0xC24B1B46,
    ("tanh", "e"): 0x0E6960F6,
    ("tanh", "f"): 0xA2F369ED,
    ("tanh", "d"): 0x9F3EBA5B,
}
"""What kernels give for the sample, by operation and dtypes."""


def sample(char: str) -> np.ndarray[Any, Any]:
    """Return operands of every magnitude, most of them common ones; for float16, all values."""
    if char == "e":
        return np.arange(65536, dtype=np.uint16).view("e")
    if char in "FD":
        pairs = np.empty(sample(char.lower()).size, char)
        pairs.real, pairs.imag = sample(char.lower()), sample(char.lower())[::-1]
        return pairs
    bits = np.arange(1, 4097, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # evenly spread
    any_size = (bits >> np.uint64(32)).astype(np.uint32).view("f") if char == "f" else bits.view("d")
    unit = (bits >> np.uint64(11)).astype("d") * 2.0**-53
    usual = [(unit * reach - reach / 4).astype(char) for reach in (1, 4, 16, 200, 1e5)]
    return np.concatenate([np.where(np.isnan(any_size), 0, any_size), *usual])


def digest(results: np.ndarray[Any, Any]) -> int:
    """Return a hash of every bit, except those of NaNs."""
    parts = results.view(results.real.dtype)
    return zlib.crc32(np.where(np.isnan(parts), 0, parts).astype(parts.dtype).tobytes())


@functools.cache
def agrees(op: str, chars: str) -> bool:
    """Return whether the host's results for these dtypes match those of kernels, judging by a sample."""
    known = DIGESTS.get((op, chars))
    return known is None or digest(on_sample(op, chars)) == known


def on_sample(op: str, chars: str) -> np.ndarray[Any, Any]:
    """Return the host's results on the sample."""
    x = sample(chars[0])
    operands: Sequence[np.ndarray[Any, Any]] = [x, x[::-1].copy()][: len(chars)]
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, op)(*operands))
