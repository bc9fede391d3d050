"""Fourier transforms, one launch for each small factor of a length.

A pass of Stockham's algorithm reads as many elements as its radix, as far apart as possible, multiplies them by powers
of a root of unity, transforms them, and stores them in the order that the next pass reads. The first pass reads the
operand, whatever its dtype and strides, and the last one stores the scaled result. Transforms of real numbers are
complex ones of which half is stored, or half is read.

If a prime factor is too large for a pass, Bluestein's algorithm turns the transform into a convolution: elements are
multiplied by a *chirp*, whose phase grows with the square of the position, convolved with its conjugate, and multiplied
by it again. The convolution uses transforms of a longer length with small factors.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls.text import CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

RADICES = (8, 4, 2, 3, 5, 7, 11, 13)
_KINDS = {"f": "f32", "F": "f32", "d": "f64", "D": "f64"}

NAMES = tuple([f"fft.{kind}{axes}" for kind in ("fft", "ifft", "rfft", "irfft") for axes in ("", "2", "n")])
"""Names of such calls."""


class Form(NamedTuple):
    """Parameters of a pass.

    Attributes
    ----------
    kind : str
        Real type in which it computes.
    source : str
        Dtype character of its operand.
    is_half : bool
        Whether it reads half a Hermitian spectrum.
    target : str
        Dtype character of its result.
    radix : int
        Radix 1 multiplies elements by a table.
    is_inverse : bool
    looks : bool
        Whether it reports non-finite numbers.
    axes : int
        Number of axes besides the transformed one.
    """

    kind: str
    source: str
    is_half: bool
    target: str
    radix: int
    is_inverse: bool
    looks: bool
    axes: int


@functools.cache
def pass_text(form: Form) -> Text:
    """Return the kernel of a pass."""
    kind, radix = form.kind, form.radix
    text = CallText(f"fft{radix}", ["out", "x", "roots"], int(form.looks))
    items, columns, n, span, length, count, scale = text.numbers(7)
    extents = text.numbers(form.axes)
    first, step, *strides = text.numbers(2 + form.axes)
    out_first, out_step, *out_strides = text.numbers(2 + form.axes)
    if form.looks:
        text.write("u32 found = 0;")
    text.write(f"const {kind} factor = {kind}_of_bits({scale});")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {columns}), j = e - line * {columns};")
    text.write(f"const i64 run = quotient(j, {span}), k = j - run * {span}, turn = k * quotient({columns}, {span});")
    place = text.coordinates("line", extents)[: form.axes]
    text.write(f"GLOBAL char *from = {address(f'x + {first}', place, strides)};")
    text.write(f"GLOBAL char *to = {address(f'out + {out_first}', place, out_strides)};")
    for q in range(radix):
        _load(text, form, q, f"j + {q} * {columns}", n, length, step)
        if q or radix == 1:
            root = "2 * j" if radix == 1 else f"2 * {q} * turn"
            text.write(f"const {kind} c{q} = ((GLOBAL {kind} *)roots)[{root}];")
            text.write(f"const {kind} s{q} = {'-' if form.is_inverse else ''}((GLOBAL {kind} *)roots)[{root} + 1];")
            text.write(f"const {kind} x{q} = re{q} * c{q} - im{q} * s{q}, y{q} = re{q} * s{q} + im{q} * c{q};")
    values = [("x0", "y0") if radix == 1 else ("re0", "im0"), *[(f"x{q}", f"y{q}") for q in range(1, radix)]]
    for q, value in enumerate(_Butterfly(text, kind, form.is_inverse).transform(values)):
        _store(text, form, f"run * {span} * {radix} + k + {q} * {span}", value, count, out_step)
    text.close()
    if form.looks:
        text.write("if (found) atomic_or_u32(status, 1u);")
    return text.finish()


def _load(text: CallText, form: Form, q: int, place: str, n: str, length: str, step: str) -> None:
    """Emit the load of element `q`, zero beyond the operand's `length` and the transform's `n`."""
    kind, source = form.kind, TYPES[form.source]
    text.write(f"const i64 i{q} = {place};")
    if form.is_half:
        text.write(f"const i64 p{q} = 2 * i{q} > {n} ? {n} - i{q} : i{q};")
    at = f"p{q}" if form.is_half else f"i{q}"
    text.write(f"{kind} re{q} = 0, im{q} = 0;")
    text.open(f"if ({at} < {length}" + (f" && i{q} < {n})" if form.radix == 1 else ")"))
    text.write(f"const {source} element = *(GLOBAL {source} *)(from + {at} * {step});")
    if form.source in "FD":
        text.write(f"re{q} = element.x;")
        if form.is_half:    # self-conjugate coefficients are real
            text.write(f"im{q} = p{q} == 0 || 2 * p{q} == {n} ? 0 : p{q} < i{q} ? -element.y : element.y;")
        else:
            text.write(f"im{q} = element.y;")
    else:
        text.write(f"re{q} = {'element != 0' if form.source == '?' else f'({kind})element'};")
    text.close()


def _store(text: CallText, form: Form, place: str, value: tuple[str, str], count: str, step: str) -> None:
    target, (re, im) = TYPES[form.target], value
    text.open("")
    text.write(f"const i64 i = {place};")
    text.open(f"if (i < {count})")
    text.write(f"const {form.kind} re = {re} * factor, im = {im} * factor;")
    stored = f"complex_{target}(re, im)" if form.target in "FD" else "re"
    text.write(f"*(GLOBAL {target} *)(to + i * {step}) = {stored};")
    if form.looks:
        text.write("found |= !isfinite(re)" + (" || !isfinite(im);" if form.target in "FD" else ";"))
    text.close()
    text.close()


class _Butterfly:
    """Emits transforms of a few elements, each a pair of variables.

    Parameters
    ----------
    text : CallText
    kind : str
        The real type.
    is_inverse : bool
    """

    def __init__(self, text: CallText, kind: str, is_inverse: bool):
        self.text, self.kind, self.is_inverse, self.count = text, kind, is_inverse, 0

    def transform(self, values: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Emit a transform; return the names of its results."""
        n = len(values)
        if n == 1:
            return list(values)
        if n % 2:
            return self._odd(values)
        even, odd = self.transform(values[::2]), self.transform(values[1::2])
        turned = [self._turned(value, k, n) for k, value in enumerate(odd)]
        return [self._sum(a, b, sign) for sign in "+-" for a, b in zip(even, turned, strict=True)]

    def _odd(self, values: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Emit a transform of odd length, from sums and differences of elements with opposite roots."""
        n, (x0, y0) = len(values), values[0]
        pairs = [(values[j], values[n - j]) for j in range(1, n // 2 + 1)]
        sums, differences = ([self._sum(a, b, sign) for a, b in pairs] for sign in "+-")
        results = [values[0]] * n
        for pair in sums:
            results[0] = self._sum(results[0], pair, "+")
        for k in range(1, n // 2 + 1):
            cosines = [math.cos(2 * math.pi * (j * k % n) / n) for j in range(1, n // 2 + 1)]
            sines = [math.sin(2 * math.pi * (j * k % n) / n) for j in range(1, n // 2 + 1)]
            same = [self._combined(cosines, sums, part, [start]) for part, start in ((0, x0), (1, y0))]
            cross = [self._combined(sines, differences, part, []) for part in (0, 1)]
            a, b = self._named(same[0], same[1]), self._named(cross[1], f"-({cross[0]})")
            signs = "-+" if self.is_inverse else "+-"
            results[k], results[n - k] = self._sum(a, b, signs[0]), self._sum(a, b, signs[1])
        return results

    def _combined(self, factors: Sequence[float], values: Sequence[tuple[str, str]], part: int,
                  terms: list[str]) -> str:  # fmt: skip
        """Return the sum of terms and of factors times real or imaginary parts."""
        products = [f"{self._literal(c)} * {value[part]}" for c, value in zip(factors, values, strict=True)]
        return " + ".join([*terms, *products])

    def _turned(self, value: tuple[str, str], k: int, n: int) -> tuple[str, str]:
        """Return a value times the k-th power of the n-th root of unity."""
        x, y = value
        if k == 0:
            return value
        if 4 * k == n:
            return self._named(f"-{y}", x) if self.is_inverse else self._named(y, f"-{x}")
        c = self._literal(math.cos(2 * math.pi * k / n))
        s = self._literal(math.sin(2 * math.pi * k / n) * (1 if self.is_inverse else -1))
        return self._named(f"{x} * {c} - {y} * {s}", f"{x} * {s} + {y} * {c}")

    def _sum(self, a: tuple[str, str], b: tuple[str, str], sign: str) -> tuple[str, str]:
        return self._named(f"{a[0]} {sign} {b[0]}", f"{a[1]} {sign} {b[1]}")

    def _literal(self, number: float) -> str:
        return f"({float(np.float32(number))!r}f)" if self.kind == "f32" else f"({number!r})"

    def _named(self, x: str, y: str) -> tuple[str, str]:
        names = f"u{self.count}", f"v{self.count}"
        self.count += 1
        self.text.write(f"const {self.kind} {names[0]} = {x}, {names[1]} = {y};")
        return names


def radices_of(n: int) -> list[int] | None:
    """Return the radices of the passes for a length, or None if a prime factor is too large."""
    found, rest = [], n
    for radix in RADICES:
        while rest % radix == 0:
            found.append(radix)
            rest //= radix
    return None if rest > 1 else found


def padded_length(n: int) -> int:
    """Return the length of the transforms for a convolution with a chirp of `n` points."""
    least = 2 * n - 1
    odd = [3**i * 5**j for i in range(3) for j in range(3)]
    return min([factor << (-(-least // factor) - 1).bit_length() for factor in odd])


def _roots(n: int, kind: str) -> np.ndarray[Any, Any]:
    """Return the powers of the n-th root of unity."""
    return _rounded(_unit_numbers(np.arange(n), n), kind)


def _chirp(n: int, padded: int) -> np.ndarray[Any, Any]:
    """Return a chirp of `n` points, padded with zeros."""
    chirp = np.zeros(padded, np.clongdouble)
    chirp[:n] = _unit_numbers(np.arange(n) ** 2 % (2 * n), 2 * n)
    return chirp


def _spectrum(n: int, padded: int) -> np.ndarray[Any, Any]:
    """Return the scaled transform of the conjugate chirp, extended in both directions."""
    conjugate = _chirp(n, padded).conj()
    conjugate[padded - n + 1 :] = conjugate[n - 1 : 0 : -1]
    return np.fft.fft(conjugate) / padded


def _unit_numbers(steps: np.ndarray[Any, Any], n: int) -> np.ndarray[Any, Any]:
    """Return powers of the n-th root of unity."""
    angles = steps * (-2 * np.longdouble("3.14159265358979323846") / n)
    return np.cos(angles) + 1j * np.sin(angles)


def _rounded(numbers: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
    """Return complex numbers in the kernels' precision."""
    return numbers.astype("F" if kind == "f32" else "D")


class _Line(NamedTuple):
    """A transform along an axis: its number of points, and the factor of its results."""

    axis: int
    points: int
    scale: float


def _lines(call: Call) -> list[_Line]:
    """Return the transforms along the axes of a call, in order."""
    keywords, x, result = call.function.keywords, call.operands[0], call.result
    if "axis" in keywords:
        axes, lengths = [keywords["axis"]], [keywords["n"]]
    else:
        axes = list(range(x.ndim) if keywords["axes"] is None else keywords["axes"])
        lengths = list(keywords["s"] or [None] * len(axes))
    is_inverse, is_real = "ifft" in call.name or "irfft" in call.name, "rfft" in call.name
    points = [x.shape[axis] if n is None else n for axis, n in zip(axes, lengths, strict=True)]
    if is_inverse and is_real:
        points[-1] = result.shape[axes[-1]]
    norm = keywords["norm"] or "backward"
    power = -0.5 if norm == "ortho" else -1 if (norm == "backward") == is_inverse else 0
    lines = [_Line(axis, n, float(n) ** power) for axis, n in zip(axes, points, strict=True)]
    return lines if is_inverse and is_real else lines[::-1]     # for real numbers the halved axis comes first, or last


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    x, result = call.operands[0], call.result
    if not x.dtype.isnative or x.dtype.char not in TYPES or x.dtype.char == "e" or result.dtype.char not in _KINDS:
        return f"{call.name} {x.dtype.char}->{result.dtype.char} has no form on the device"
    return None


def transform(driver: Any, call: Call) -> None:
    """Transform along all axes."""
    source, result, lines = call.operands[0], call.result, _lines(call)
    is_inverse, is_real = "ifft" in call.name or "irfft" in call.name, "rfft" in call.name
    kind = _KINDS[result.dtype.char]
    for number, line in enumerate(lines):
        is_last = number == len(lines) - 1
        shape = list(source.shape)
        shape[line.axis] = line.points // 2 + 1 if is_real and not is_inverse and number == 0 else line.points
        target = result if is_last else _dense(driver, shape, kind)
        is_half = is_real and is_inverse and is_last
        _transform_lines(driver, call, source, target, line, is_inverse, is_half, is_last)
        source = target


def _transform_lines(driver: Any, call: Call, source: Operand, target: Operand, line: _Line, is_inverse: bool,
                     is_half: bool, is_last: bool) -> None:  # fmt: skip
    """Transform along one axis, with a pass per radix of the length, or by chirps."""
    n, axis = line.points, line.axis
    radices, kind = radices_of(n), _KINDS[call.result.dtype.char]
    if radices is None:
        _transform_by_chirps(driver, call, source, target, line, is_inverse, is_half, is_last)
        return
    roots = driver.table(("roots", n, kind), functools.partial(_roots, n, kind))
    span, length = 1, source.shape[axis]
    radices = radices or [1]    # a table of one 1
    spare: list[Operand] = []
    for number, radix in enumerate(radices):
        ends = number == len(radices) - 1
        if not ends and len(spare) < 2:
            spare.append(_dense(driver, [*target.shape[:axis], n, *target.shape[axis + 1 :]], kind))
        made = target if ends else spare[number % 2]
        form = _form_of(call, source, made, is_half and number == 0, radix, is_inverse, ends and is_last)
        _launch_pass(driver, call, form, source, made, axis, n // radix, n, span, min(length, n),
                     line.scale if ends else 1.0, roots)  # fmt: skip
        source, span, length = made, span * radix, n


def _transform_by_chirps(driver: Any, call: Call, source: Operand, target: Operand, line: _Line, is_inverse: bool,
                         is_half: bool, is_last: bool) -> None:  # fmt: skip
    """Transform along one axis by Bluestein's algorithm."""
    n, axis, kind = line.points, line.axis, _KINDS[call.result.dtype.char]
    padded = padded_length(n)
    shape = [*target.shape[:axis], padded, *target.shape[axis + 1 :]]
    chirped, transformed = _dense(driver, shape, kind), _dense(driver, shape, kind)
    chirp = driver.table(("chirp", n, kind), lambda: _rounded(_chirp(n, padded), kind))
    spectrum = driver.table(("spectrum of a chirp", n, kind), lambda: _rounded(_spectrum(n, padded), kind))
    convolution = _Line(axis, padded, 1.0)

    def multiply(source: Operand, made: Operand, is_half: bool, looks: bool, columns: int, points: int, scale: float,
                 table: Any) -> None:  # fmt: skip
        form = _form_of(call, source, made, is_half, 1, is_inverse, looks)
        length = min(source.shape[axis], points)
        _launch_pass(driver, call, form, source, made, axis, columns, points, 1, length, scale, table)

    multiply(source, chirped, is_half, False, padded, n, 1.0, chirp)
    _transform_lines(driver, call, chirped, transformed, convolution, False, False, False)
    multiply(transformed, chirped, False, False, padded, padded, 1.0, spectrum)
    _transform_lines(driver, call, chirped, transformed, convolution, True, False, False)
    multiply(transformed, target, False, is_last, n, n, line.scale, chirp)


def _form_of(call: Call, source: Operand, made: Operand, is_half: bool, radix: int, is_inverse: bool,
             looks: bool) -> Form:  # fmt: skip
    return Form(_KINDS[call.result.dtype.char], source.dtype.char, is_half, made.dtype.char, radix, is_inverse, looks,
                source.ndim - 1)  # fmt: skip


def _launch_pass(driver: Any, call: Call, form: Form, source: Operand, made: Operand, axis: int, columns: int, n: int,
                 span: int, length: int, scale: float, table: Any) -> None:  # fmt: skip
    """Launch a pass over lines along an axis, of `columns` work-items each; raise NoKernel for non-finite numbers."""
    extents = [*made.shape[:axis], *made.shape[axis + 1 :]]
    items, dtype = math.prod(extents) * columns, np.dtype("f4" if form.kind == "f32" else "f8")
    bits = int(np.array(scale, dtype).view(f"i{dtype.itemsize}"))
    numbers = [items, columns, n, span, length, made.shape[axis], bits, *extents]
    for array in (source, made):
        strides = array.strides
        numbers += [array.offset, strides[axis], *strides[:axis], *strides[axis + 1 :]]
    run = check if form.looks else launch
    if run(driver, call, pass_text(form), items, numbers, [made.block, source.block, table]):
        raise NoKernel("values that are not finite")


def _dense(driver: Any, shape: Sequence[int], kind: str) -> Operand:
    """Return a C-order workspace array of complex numbers."""
    dtype = np.dtype("F" if kind == "f32" else "D")
    strides, step = [], dtype.itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return Operand(driver.workspace(step), 0, tuple(shape), tuple(reversed(strides)), dtype)


ROW = Row(refusal, transform)
