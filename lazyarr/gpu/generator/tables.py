"""Lookup tables of kernels, as C text.

The coefficients of tanh are NumPy's, from Intel's SVML; the tables of exp, log and power are those of Arm's Optimized
Routines, also in glibc (https://github.com/ARM-software/optimized-routines, copyright 2018 Arm Limited, MIT license).
They are written as bit patterns.
"""

import struct
from collections.abc import Iterable, Mapping

from lazyarr._core.ir.inner_loops import exp_log_pow_tables, sincos_table

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
# b and c0, c1, ... c16
_TANH_F64 = """
0 0 3ff0000000000000 bbf0b3ea3fdfaa19 bfd5555555555555 bce6863ee44ed636 3fc1111111112ab5 bda1ea19ddddb3b4
bfaba1ba1990520b be351ca7f096011f 3f9664f94e6ac14e bea8c4c1fd7852fe bf822404577aa9dd befdd99a221ed573 3f6e3be689423841
bf2a1306713a4f3a bf55d7e76dc56871 3f35e67ab76a26e7 3fcc000000000000 3fcb8fd0416a7c92 3fee842ca3f08532 bfca48aaeb53bc21
bfd183afc292ba11 3fc04dcd0476c75e 3fb5c19efdfc08ad bfb0b8df995ce4df bf96e37bba52f6fc 3f9eaaf3320c3851 bf94d3343bae39dd
bfccce16b1046f13 403d8b07f7a82aa3 4070593a3735bab4 c0d263511f5baac1 c1045e509116b066 41528c38809c90c7 41848ee0627d8206
3fd4000000000000 3fd35f98a0ea650e 3fed11574af58f1b bfd19921f4329916 bfcc1a4b039c9bfa 3fc43d3449a80f08 3fa74c98dc34fbac
bfb2955cf41e8164 3ecff7df18455399 3f9cf823fe761fc1 bf7bc748e60df843 bf81a16f224bb7b6 bf9f44ab92fbab0a bfccab654e44835e
40169f73b15ebe5c 4041fab9250984ce c076d57fb5190b02 c0a216d618b489ec 3fdc000000000000 3fda5729ee488037 3fea945b9c24e4f9
bfd5e0f09bef8011 bfc16e1e6d8d0be6 3fc5c26f3699b7e7 bf790d6a8eff0a77 bfaf9d05c309f7c6 3f97362834d33a4e 3f9022271754ff1f
bf8c89372b43ba85 bf62cbf00406bc09 3fb2eac604473d6a 3fd13ed80037dbac c025c1dd41cd6cb5 c0458d090ec3de95 4085f09f888f8ada
40a5b89107c8af4f 3fe4000000000000 3fe1bf47eabb8f95 3fe6284c3374f815 bfd893b59c35c882 bf92426c751e48a2 3fc1a686f6ab2533
bfac3c021789a786 bf987d27ccff4291 3f9e7f8380184b45 bf731fe77c9c60af bf8129a092de747a 3f75b29bb02cf69b 3f45f87d903aaac8
bf6045b9076cc487 bf58fd89fe05e0d1 bf74949d60113d63 3fa246332a2fcba5 3fb69d8374520eda 3fec000000000000 3fe686650b8c2015
3fe02500a09f8d6e bfd6ba7cb7576538 3fb4f152b2bad124 3faf203c316ce730 bfae2196b7326859 3f8b2ca62572b098 3f869543e7c420d4
bf84a6046865ec7d 3f60c85b4d538746 3f607df0f9f90c17 bf5e104671036300 3f2085ee7e8ac170 3f73f7af01d5af7a 3f7c9fd6200d0ade
bfb29d851a896fcd bfbded519f981716 3ff4000000000000 3feb2523bb6b2dee 3fd1f25131e3a8c0 bfce7291743d7555 3fbbba40cbef72be
bf89c7a02788557c bf93a7a011ff8c2a 3f8f1cf6c7f5b00a bf7326bd4914222a bf4ca3f1f2b9192b 3f5be9392199ec18 bf4b852a6e0758d5
3f19bc98ddf0f340 3f23524622610430 bf1e40bdead17e6b 3f02cd40e0ad0a9f 3ed9065ae369b212 bef02d288b5b3371 3ffc000000000000
3fee1fbf97e33527 3fbd22ca1c24a139 bfbb6d85a01efb80 3fb01ba038be6a3d bf98157e26e0d541 3f6e4709c7e8430e 3f60379811e43dd5
bf5fc15b0a9d98fa 3f4c77dee0afd227 bf2a0c68a4489f10 bf0078c63d1b8445 3f0d4304bc9246e8 beff12a6626911b4 3ee224cd6c4513e5
be858ab8e019f311 beb8e1ba4c98a030 3eb290981209c1a6 4004000000000000 3fef9258260a71c2 3f9b3afe1fba5c76 bf9addae58c7141a
3f916df44871efc8 bf807b55c1c7d278 3f67682afa611151 bf4793826f78537e 3f14cffcfa69fbb6 3f04055bce68597a bf00462601dc2faa
3eec12eadd55be7a bed13c415f7b9d41 3eab9008bca408af be24b645e68eeaa3 be792fa6323b7cf8 3e6ffd0766ad4016 be567e924bf5ff6e
400c000000000000 3feff112c63a9077 3f6dd37d19b22b21 bf6dc59376c7aa19 3f63c6869dfc8870 bf53a18d5843190f 3f3ef2ee77717cbf
bf2405695e36240f 3f057e48e5b79d10 bee2bf0cb4a71647 3eb7b6a219dea9f4 be6fa600f593181b be722b8d9720cdb0 3e634df71865f620
be4abfebfb72bc83 3e2df04d67876402 be0c63c29f505f5b 3de3f7f7de6b0eb6 4014000000000000 3fefff419668df11 3f27ccec13a9ef96
bf27cc5e74677410 3f1fb9aef915d828 bf0fb6bbc89b1a5b 3ef95a4482f180b7 bee0e08de39ce756 3ec33b66d7d77264 bea31eaafe73efd5
3e80cbcc8d4c5c8a be5a3c935dce3f7d 3e322666d739bec0 be05bb1bcf83ca73 3dd51c38f8695ed3 bd95c72be95e4d2c bd7fab216b9e0e49
3d69ed18bae3ebbc 401c000000000000 3feffffc832750f2 3ecbe6c3f33250ae becbe6c0e8b4cc87 3ec299d1e27c6e11 beb299c9c684a963
3e9dc2c27da3b603 be83d709ba5f714e 3e66ac4e578b9b10 be46abb02c4368ed 3e2425bb231a5e29 be001c6d95e3ae96 3dd76a553d7e7918
bdaf2ac143fb6762 3d8313ac38c6832b bd55a89c30203106 3d2826b62056aa27 bcf7534c4f3dfa71 4024000000000000 3feffffffdc96f35
3e41b4865394f75f be41b486526b0565 3e379b5ddcca334c be279b5dd4fb3d01 3e12e2afd9f7433e bdf92e3fc5ee63e0 3ddcc74b8d3d5c42
bdbcc749ca8079dd 3d9992a4beac8662 bd74755a00ea1fd3 3d4de0fa59416a39 bd23eae52a3dbf57 3cf7787935626685 bccad6b3bb9eff65
3ca313e31762f523 bc730b73f1eaff20 402c000000000000 3fefffffffffcf58 3d8853f01bda5f28 bd8853f01bef63a4 3d8037f57bc62c9a
bd7037f57ae72aa6 3d59f320348679ba bd414cc030f2110e 3d23c589137f92b4 bd03c5883836b9d2 3ce191ba5ed3fb67 bcbc1c6c063bb7ac
3c948716cf3681b4 bc6b5e3e9ca0955e 3c401ffc49c6bc29 bc12705ccd3dd884 3bea37aa21895319 bbba2cff8135d462 4034000000000000
3ff0000000000000 3c73953c0197ef58 bc73955be519be31 3c6a2d4b50a2cff7 bc5a2ca2bba78e86 3c44b61d9bbcc940 bc2ba022e8d82a87
3c107f8e2c8707a1 bbf07a5416264aec 3bc892450bad44c4 bba3be9a4460fe00 3b873f9f2d2fda99 bb5eca68e2c1ba2e babf0b21acfa52ab
ba8e0a4c47ae75f5 3ae5c7f1fd871496 bab5a71b5f7d9035 0 3ff0000000000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
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
_EXP, _LOG, _LOG_AND_REST = exp_log_pow_tables()
TABLES: Mapping[str, str] = {
    "TANH_f32": _table("f32", "TANH_f32", _floats(_TANH_F32, ">f", 8), "f"),
    "TANH_f64": _table("f64", "TANH_f64", _floats(_TANH_F64, ">d", 16)),
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
