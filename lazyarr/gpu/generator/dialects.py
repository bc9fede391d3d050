"""C dialects of devices, as data.

A kernel's text is the same in every dialect except for a few names: lower case for types (``f32``) and functions
(``bits_of_f32``), upper case for names related to the launch (``GROUP_ID``). A dialect gives their spellings, and a
text begins with the definitions that it uses.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

TYPES = {
    "?": "bool8", "b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "L": "u64",
    "q": "i64", "Q": "u64", "e": "f16", "f": "f32", "d": "f64", "F": "c64", "D": "c128",
}  # fmt: skip
"""Names of types in kernels, by the character of the dtype. An ``f16`` has the bits of one, and no arithmetic."""


@dataclass(frozen=True)
class Dialect:
    """A C dialect, and the capabilities of devices that understand it.

    Attributes
    ----------
    name : str
    opening : str
        Prologue of each text.
    double_opening : str
        Prologue of texts that use float64.
    types : mapping of str to str
        C types of the names in `TYPES`.
    macros : mapping of str to str
        Definitions of all other names, possibly with parameters.
    parameter_bytes : int
        Limit on the bytes of a kernel's parameters.
    has_double : bool
        Whether the device computes in float64.
    has_float_denormals : bool
        Whether it supports subnormal float32 numbers. If it flushes them to 0, no float32 operation matches NumPy.
    rounds_float_division : bool
        Whether float32 quotients and square roots are correctly rounded.
    """

    name: str
    opening: str
    double_opening: str
    types: Mapping[str, str] = field(hash=False)
    macros: Mapping[str, str] = field(hash=False)
    parameter_bytes: int
    has_double: bool = True
    has_float_denormals: bool = True
    rounds_float_division: bool = True

    def spellings(self, text: str) -> str:
        """Return the definitions of the names that a text uses, one per line."""
        used, wanted = set(), set(re.findall(r"\w+", text))
        bodies = {**self.types, **{key.partition("(")[0]: body for key, body in self.macros.items()}}
        while wanted:
            name = wanted.pop()
            if name in bodies and name not in used:
                used.add(name)
                wanted.update(re.findall(r"\w+", bodies[name]))
        lines = [f"typedef {spelled} {name};" for name, spelled in self.types.items() if name in used]
        lines += [f"#define {key} {body}" for key, body in self.macros.items() if key.partition("(")[0] in used]
        double = {"f64", "c128"} & used
        return "\n".join([self.opening, *([self.double_opening] if double and self.double_opening else []), *lines])


_INTEGERS = {"i8": "char", "u8": "uchar", "i16": "short", "u16": "ushort", "i32": "int", "u32": "uint", "i64": "long",
             "u64": "ulong"}  # fmt: skip
# Not the dialects' vector types, which are aligned to their size.
_COMPLEX = {"c64": "struct { float x, y; }", "c128": "struct { double x, y; }"}

OPENCL = Dialect(
    name="opencl",
    opening="#pragma OPENCL FP_CONTRACT OFF",
    double_opening="#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
    types={"bool8": "uchar", **_INTEGERS, "f16": "ushort", "f32": "float", "f64": "double", **_COMPLEX},
    macros={
        "KERNEL": "__kernel void",
        "DEVICE": "static inline",
        "GLOBAL": "__global",
        "LOCAL": "__local",
        "CONSTANT": "__constant",
        "GROUP_ID": "get_group_id(0)",
        "GROUPS": "get_num_groups(0)",
        "LOCAL_ID": "get_local_id(0)",
        "LOCAL_SIZE": "get_local_size(0)",
        "GLOBAL_ID": "get_global_id(0)",
        "GLOBAL_SIZE": "get_global_size(0)",
        "BARRIER": "barrier(CLK_LOCAL_MEM_FENCE)",
        "atomic_or_u32(at, bits)": "atomic_or((volatile __global uint *)(at), bits)",
        "atomic_max_u32(at, x)": "atomic_max((volatile __global uint *)(at), x)",
        "atomic_set_u32(at, x)": "atomic_xchg((volatile __global uint *)(at), x)",
        "atomic_add_u32(at, x)": "atomic_add((volatile __global uint *)(at), x)",
        "bits_of_f32(x)": "as_uint(x)",
        "f32_of_bits(x)": "as_float((u32)(x))",
        "bits_of_f64(x)": "as_ulong(x)",
        "f64_of_bits(x)": "as_double((u64)(x))",
        "complex_c64(re, im)": "((c64){re, im})",
        "complex_c128(re, im)": "((c128){re, im})",
        "popcount_u32(x)": "popcount((u32)(x))",
        "popcount_u64(x)": "popcount((u64)(x))",
        "high_product_u64(x, y)": "mul_hi(x, y)",
    },
    parameter_bytes=1024,
)  # fmt: skip
"""OpenCL C 1.2. Build with ``-cl-fp32-correctly-rounded-divide-sqrt`` where the device has that."""

CUDA = Dialect(
    name="cuda",
    opening="",
    double_opening="",
    types={"bool8": "unsigned char", "i8": "signed char", "u8": "unsigned char", "i16": "short",
           "u16": "unsigned short", "i32": "int", "u32": "unsigned int", "i64": "long long",
           "u64": "unsigned long long", "f16": "unsigned short", "f32": "float", "f64": "double", **_COMPLEX},
    macros={
        "KERNEL": 'extern "C" __global__ void',
        "DEVICE": "static __device__ inline",
        "GLOBAL": "",
        "LOCAL": "__shared__",
        "CONSTANT": "static __constant__ const",
        "GROUP_ID": "blockIdx.x",
        "GROUPS": "gridDim.x",
        "LOCAL_ID": "threadIdx.x",
        "LOCAL_SIZE": "blockDim.x",
        "GLOBAL_ID": "((i64)blockIdx.x * blockDim.x + threadIdx.x)",
        "GLOBAL_SIZE": "((i64)gridDim.x * blockDim.x)",
        "BARRIER": "__syncthreads()",
        "atomic_or_u32(at, bits)": "atomicOr(at, bits)",
        "atomic_max_u32(at, x)": "atomicMax(at, x)",
        "atomic_set_u32(at, x)": "atomicExch(at, x)",
        "atomic_add_u32(at, x)": "atomicAdd(at, x)",
        "bits_of_f32(x)": "__float_as_uint(x)",
        "f32_of_bits(x)": "__uint_as_float((u32)(x))",
        "bits_of_f64(x)": "(u64)__double_as_longlong(x)",
        "f64_of_bits(x)": "__longlong_as_double((i64)(x))",
        "complex_c64(re, im)": "(c64{re, im})",
        "complex_c128(re, im)": "(c128{re, im})",
        "popcount_u32(x)": "__popc((u32)(x))",
        "popcount_u64(x)": "__popcll((u64)(x))",
        "high_product_u64(x, y)": "__umul64hi(x, y)",
    },
    parameter_bytes=4096,
)  # fmt: skip
"""CUDA C++, as NVRTC takes it without headers. Compile with ``--fmad=false``."""
