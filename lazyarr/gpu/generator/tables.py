"""Lookup tables of kernels, as C text.

The coefficients of tanh are NumPy's, from Intel's SVML; the tables of exp, log and power are those of Arm's Optimized
Routines, also in glibc (https://github.com/ARM-software/optimized-routines, copyright 2018 Arm Limited, MIT license).
They are written as bit patterns.
"""

import struct
from collections.abc import Iterable, Mapping

from lazyarr._core.ir.inner_loops import function_tables, sincos_table

# c6, c5, ... c0 and b of a polynomial in |x| - b, for |x| in [2^k, 1.25 2^k), [1.25 2^k, 1.5 2^k), ...
_TANH_F32 = """
bc0e2f66 3e0910e9 b76dd6b9 beaaaaa5 b0343c7b 3f800000 0 0 460bda12 43761143 be1c276d beab0612 bd6ee69d 3f7f1f84
3d6fb9c9 3d700000 43d638ef 4165ecdc 3c1dcf2f bea7f01f bd8f0da7 3f7ebd11 3d8fc35f 3d900000 c3e11c3e c190f756 3dc1a78d
bea4e120 bdae477d 3f7e1e5f 3daf9169 3db00000 c2baa4e9 c08c097d 3d96f985 bea387b7 bdcd2a1f 3f7d609f 3dcf49ab 3dd00000
c249da2d c02ba813 3da2b61b bea15962 bdeba80d 3f7c842d 3deee849 3df00000 c1859b82 bf7f6bda 3dc13397 be9d57f7 be0c443b
3f7b00e5 3e0f0ee8 3e100000 40dd5b57 3f2b1dc0 3dd2f670 be976b5a be293cf3 3f789580 3e2e4984 3e300000 40494640 3ece105d
3df48a0a be90230d be44f282 3f75b8ad 3e4d2f8e 3e500000 40c730a8 3f426a94 3e06c5a8 be880dff be5f3651 3f726fd9 3e6bb32e
3e700000 bf0f160e badb0dc4 3e1a3aba be7479b3 be81c7c0 3f6cc59b 3e8c51cd 3e900000 3e30e76f 3da43b17 3e27c405 be4c3d88
be96d7ca 3f63fb92 3ea96163 3eb00000 bea81387 bd51ab88 3e2e78d0 be212482 bea7fb8e 3f59ff97 3ec543f1 3ed00000 bdb26a1c
bcaea23d 3e2c3e44 bdeb8cba beb50e9e 3f4f11d7 3edfd735 3ef00000 bd351e57 bd3b6d8d 3e1d3097 bd5e78ad bec12efe 3f3d7573
3f028438 3f100000 bb4c01a0 bd6caaad 3df4a8f4 3c6b5e6e bec4be92 3f24f360 3f18abf0 3f300000 3c1d7bfb bd795bed 3da38508
3d839143 bebce070 3f0cbfe7 3f2bc480 3f500000 3c722cd1 bd5fddda 3d31416a 3dc21ee1 bead510e 3eec1a69 3f3bec1c 3f700000
3c973f1c bd038f3b 3b562657 3de347af be8ef7d6 3eb0a801 3f4f2e5b 3f900000 3c33a31b bc1cad63 bcaeeac9 3dcbec96 be4b8704
3e6753a2 3f613c53 3fb00000 3b862ef4 3abb4766 bcce9419 3d99ef2d be083237 3e132f1a 3f6ce37d 3fd00000 3a27b3d0 3b95f10b
bcaaeac4 3d542ea1 bdaf7449 3db7e7d3 3f743c4f 3ff00000 ba3b5907 3b825873 bc49e7d0 3cdde701 bd2e1ec4 3d320845 3f7a5feb
40100000 ba0efc22 3afaea66 bba71ddd 3c2cca67 bc83bf06 3c84d3d4 3f7dea85 40300000 b97f9f0f 3a49f878 bb003b0e 3b81cb27
bbc3e0b5 3bc477b7 3f7f3b3d 40500000 b8c8af50 39996bf3 ba3f9a05 3ac073a1 bb10aadc 3b10d3da 3f7fb78c 40700000 b7bdddfb
388f3e6c b92c08a7 39ac3032 ba0157db 3a01601e 3f7fefd4 40900000 b64f2950 371bb0e3 b7ba9232 383a94d9 b88c18f2 388c1a3b
3f7ffdd0 40b00000 b4e085b1 35a8a5e6 b64a0b0f 36ca081d b717b096 3717b0da 3f7fffb4 40d00000 b3731dfa 34369b17 b4dac169
355abd4c b5a43bae 35a43bce 3f7ffff6 40f00000 b15a1f04 322487b0 b2ab78ac 332b3cb6 b383012c 338306c6 3f7fffff 41100000 0
0 0 0 0 0 3f800000 0
"""
# 1/c and the binary logarithm of c, for 16 intervals
_LOG2 = """
3ff661ec79f8f3be bfdefec65b963019 3ff571ed4aaf883d bfdb0b6832d4fca4 3ff49539f0f010b0 bfd7418b0a1fb77b 3ff3c995b0b80385
bfd39de91a6dcf7b 3ff30d190c8864a5 bfd01d9bf3f2b631 3ff25e227b0b8ea0 bfc97c1d1b3b7af0 3ff1bb4a4a1a343f bfc2f9e393af3c9f
3ff12358f08ae5ba bfb960cbbf788d5c 3ff0953f419900a7 bfaa6f9db6475fce 3ff0000000000000 0 3fee608cfd9a47ac
3fb338ca9f24f53d 3feca4b31f026aa0 3fc476a9543891ba 3feb2036576afce6 3fce840b4ac4e4d2 3fe9c2d163a1aa2d 3fd40645f0c6651c
3fe886e6037841ed 3fd88e9c2c1b9ff8 3fe767dcf5534862 3fdce0a44eb17bcc
"""


def _table(kind: str, name: str, values: Iterable[object], suffix: str = "") -> str:
    words = [f"{value}{suffix}" for value in values]
    lines = [", ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
    return f"\nCONSTANT {kind} {name}[{len(words)}] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _floats(words: str, code: str, size: int) -> list[float]:
    return [struct.unpack(code, bytes.fromhex(word.zfill(size)))[0] for word in words.split()]


def _doubles(words: list[int]) -> list[float]:
    return [struct.unpack("d", struct.pack("Q", word))[0] for word in words]


def _two_over_pi(bits: int) -> int:
    """Return 2/pi times a power of two, rounded down."""
    one = 1 << (bits + 64)

    def arctan_of_inverse(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= n * n
            k += 2
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))    # J. Machin's
    return (2 * one << bits) // pi


_WORDS = 40
_EXP, _LOG, _LOG_AND_REST, _TANH = function_tables()
TABLES: Mapping[str, str] = {
    "TANH_f32": _table("f32", "TANH_f32", _floats(_TANH_F32, ">f", 8), "f"),
    "TANH_f64": _table("f64", "TANH_f64", _doubles(_TANH)),
    "SINCOS_f64": _table("f64", "SINCOS_f64", sincos_table()),
    "EXP_BITS": _table("u64", "EXP_BITS", [f"0x{word:x}" for word in _EXP]),
    "LOG_f64": _table("f64", "LOG_f64", _doubles(_LOG)),
    "LOG_AND_REST_f64": _table("f64", "LOG_AND_REST_f64", _doubles(_LOG_AND_REST)),
    "LOG2_f64": _table("f64", "LOG2_f64", _floats(_LOG2, ">d", 16)),
    # 32-bit words, from the bit of 2^63 on
    "TWO_OVER_PI": _table("u32", "TWO_OVER_PI", [_two_over_pi(32 * _WORDS - 64) >> 32 * k & 0xffffffff
                                                 for k in reversed(range(_WORDS))], "u"),
}
"""Texts of all tables, by name."""
