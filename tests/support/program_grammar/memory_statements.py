"""More statements of random programs: views, writes, and arrays of other dtypes.

Like those of :mod:`.statements`, each function takes the writer and returns a line or None.
"""

import numpy as np

from support.program_grammar.writer import basic_key, broadcasts, castable, error_free, is_array, overlaps

TRICKS = "xp.lib.stride_tricks"
INTEGERS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}
RECORD = "[('a', 'i4'), ('b', 'f8'), ('c', 'f4', (2,)), ('d', 'U2')]"


def other_view(w):
    """Use one of the less frequent functions that return views."""
    if (x := w.pick(lambda value: isinstance(value, np.ndarray))) is None:
        return None
    value = w.value(x)
    shape, ndim, size = value.shape, value.ndim, value.size
    y = w.operand(shape)
    order = w.random.choice("CFAK")
    choices = [f"{x}.imag", f"xp.real({x})", f"xp.atleast_{w.random.randint(1, 3)}d({x})", f"{x}.ravel({order!r})",
               f"xp.reshape({x}, -1, order={w.random.choice('CFA')!r})", f"{x}.flatten({order!r})", f"{x}.view()",
               f"{x}.copy({order!r})", f"xp.asarray({x})", f"xp.array({x}, copy=None)", f"xp.einsum('...->...', {x})",
               f"xp.broadcast_arrays({x}, {y})[0]", f"xp.ascontiguousarray({x})", f"xp.asfortranarray({x})",
               f"{x}.astype({x}.dtype, copy=False)", f"xp.squeeze({x}, axis=())", f"{x}[()]", f"xp.real_if_close({x})",
               f"xp.array({x}, order={order!r})", f"xp.zeros_like({x}, order={order!r})", f"{x}.conj()"]
    if ndim:
        first, last = w.random.randrange(ndim), w.random.randrange(-ndim, ndim)
        n = shape[first]
        count = w.random.randint(1, max(1, n))
        parts = w.random.choice((f"xp.array_split({x}, {count}, axis={first})", f"xp.split({x}, [1], axis={last})",
                                 f"xp.hsplit({x}, [1])", f"xp.unstack({x}, axis={first})"))
        window = min(n, w.random.randint(1, 3))
        writeable = w.random.choice((True, False))
        choices += [f"xp.rollaxis({x}, {last})", f"xp.flip({x})", f"{parts}[{w.random.choice((0, -1))}]",
                    f"xp.flipud({x})", f"xp.swapaxes({x}, {first}, {last})", f"xp.repeat({x}, 2, axis={last})",
                    f"xp.squeeze({x}, axis={last})", f"xp.moveaxis({x}, {first}, {last})", f"{x}.flat[1:{size}:2]",
                    f"{x}.flat[{w.random.randint(-size, max(0, size - 1))}]",
                    f"{TRICKS}.sliding_window_view({x}, {window}, axis={first}, writeable={writeable})",
                    *strided(w, x, writeable), *reinterpreted(w, x)]
    if ndim > 1:
        a, b = w.random.sample(range(ndim), 2)
        diagonal = f"{w.random.randint(-2, 2)}, {a}, {b}"
        choices += [f"{x}.diagonal({diagonal})", f"xp.diagonal({x}, {diagonal})", f"{x}.mT",
                    f"xp.rot90({x}, {w.random.randint(0, 4)}, ({a}, {b}))", f"xp.einsum('ij...->ji...', {x})",
                    f"xp.fliplr({x})", f"xp.matrix_transpose({x})"]
        if shape[0] == shape[1]:
            choices += [f"xp.einsum('ii...->i...', {x})"] * 2
    if ndim == 2:
        choices += [f"xp.diag({x}, {w.random.randint(-1, 1)})", f"xp.vsplit({x}, [1])[1]"]
    if ndim == 1:
        choices += [f"xp.trim_zeros({x})", f"xp.diag({x}[:99])", "xp.ix_(xp.arange(2), xp.arange(3))[0]"]
    return f"{w.new()} = {w.random.choice(choices)}"


def strided(w, x, writeable):
    """Take every second element along the first axis with as_strided."""
    value = w.value(x)
    if not value.size:
        return []
    shape = ((value.shape[0] + 1) // 2, *value.shape[1:])
    strides = (2 * value.strides[0], *value.strides[1:])
    return [f"{TRICKS}.as_strided({x}, {shape}, {strides}, writeable={writeable})"]


def overlapping_view(w):
    """Make a writeable view whose elements overlap."""
    if (x := w.pick(lambda value: is_array(value) and value.ndim)) is None:
        return None
    shape = w.value(x).shape
    axis = w.random.randrange(len(shape))
    window = min(shape[axis], w.random.randint(1, 3))
    return f"{w.new()} = " + w.random.choice((
        f"{TRICKS}.sliding_window_view({x}, {window}, axis={axis}, writeable=True)",
        f"xp.broadcast_arrays({x}, xp.zeros({(2, *shape)}))[0]", f"xp.broadcast_arrays({x}[:1], xp.zeros({shape}))[0]",
        f"xp.broadcast_arrays({x}[:, None], xp.zeros({(shape[0], 2, *shape[1:])}))[0]"))


def reinterpreted(w, x):
    """View bytes as another dtype, but not floats as integers, which would expose the payloads of NaNs."""
    dtype = w.value(x).dtype
    if dtype.kind == "c":
        part = {8: "float32", 16: "float64"}.get(dtype.itemsize, "longdouble")
        return [f"{x}.view({part!r})", f"{x}.getfield({part!r}, {dtype.itemsize // 2})"]
    if dtype in (np.float32, np.float64):
        return [f"{x}.view({'complex64' if dtype == np.float32 else 'complex128'!r})"]
    if dtype.kind in "iu":
        size = w.random.choice(list(INTEGERS))
        views = [f"{x}.view({w.random.choice(('', 'u')) + INTEGERS[size]!r})"]
        return views + [f"{x}.getfield({INTEGERS[size]!r}, {dtype.itemsize - size})"] * (size <= dtype.itemsize)
    return []


def mask_for(w, x):
    """Return a mask of x's shape: a variable or a comparison."""
    shape = w.value(x).shape
    mask = w.pick(lambda value: isinstance(value, np.ndarray) and value.dtype == bool and value.shape == shape)
    mask = None if mask is not None and overlaps(w, mask, x) else mask  # NumPy reads the mask while writing
    return mask if mask is not None and w.chance(0.4) else f"({x} {w.random.choice(('>', '<=', '!='))} 1)"


def masked(w):
    """Write `x[m] = f(x[m])`, `x[m] op= y[m]` and the like."""
    if (x := w.pick(lambda value: is_array(value) and value.ndim)) is None:
        return None
    value, mask = w.value(x), mask_for(w, x)
    y = w.pick(lambda other: np.shape(other) == value.shape and np.can_cast(other.dtype, value.dtype, "same_kind"))
    chance = w.random.random()
    if chance < 0.3:
        functions = "negative square absolute conjugate".split() if value.dtype != bool else ["logical_not"]
        return f"{x}[{mask}] = xp.{w.random.choice(functions)}({x}[{mask}])"
    if value.dtype == bool:
        return f"{x}[{mask}] ^= True"
    op = w.exact(("+", "-", "*"), x, y or x)
    if chance < 0.6 and y is not None:
        return f"{x}[{mask}] {op}= {y}[{mask}]"
    if chance < 0.8:
        return f"{x}[{mask}] {op}= {w.random.choice(('1', '2', '3'))}"
    return f"{x}[{mask}] = {y}[{mask}]" if y is not None else f"{x}[{mask}] = {x}[{mask}][::-1]"


def write_by_function(w):
    """Write into an array by a function or method."""
    if (x := w.pick(is_array)) is None:
        return None
    value = w.value(x)
    shape, size, dtype = value.shape, value.size, value.dtype
    y = w.operand(shape)
    if not error_free(lambda: castable(w.value(y), dtype), False) or (dtype.kind != "c" and error_free(
            lambda: np.iscomplexobj(w.value(y)), True)):
        y = "1"
    if overlaps(w, x, y):
        y += ".copy()"  # some of these read elements just written
    choices = [f"{x}.flat = {y}", f"xp.copyto({x}, {y}, 'unsafe')",
               f"xp.copyto({x}, {y}, 'unsafe', where={mask_for(w, x)})",
               f"xp.putmask({x}, {mask_for(w, x)}, [1, 0])", f"xp.place({x}, {mask_for(w, x)}, [1, 0, 1])",
               f"{x}.real = 1", f"{x}.imag = 1", f"{x}.setfield(1, {x}.dtype)", f"xp.nan_to_num({x}, copy=False)",
               f"xp.clip({x}, 0, 1, out={x})"]
    # NumPy 2.4 has a bug in in-place negation of 4-byte elements with stride 16 and 8-byte elements with stride 64.
    if all(abs(stride) not in (16, 64) for stride in value.strides):
        choices.append(f"xp.negative({x}, out={x})")
    if size:
        places = [w.random.randint(-size, size - 1) for _ in range(w.random.randint(1, 4))]
        mode = w.random.choice(("raise", "wrap", "clip"))
        choices += [f"xp.put({x}, {places}, [1, 0, 1], mode={mode!r})", f"{x}.put({places[:2]}, {places[0] % 2})",
                    f"{x}.flat[{places}] = 1", f"{x}.flat[{places[0]}] = 0", f"{x}.flat[::2] = [1, 0]"]
    if value.ndim:
        n, axis = shape[0], w.random.randrange(-value.ndim, value.ndim)
        choices += [f"{x}.sort({axis})", f"{x}.sort()", f"xp.random.default_rng(1).shuffle({x})",
                    f"xp.cumsum({x}, axis={axis}, out={x})", f"{x}[{basic_key(w.random, shape)}].sort()"]
        if n:
            rows = [w.random.randint(-n, n - 1) for _ in range(w.random.randint(0, 3))]
            function = w.random.choice(("add", "subtract", "maximum", "multiply"))
            choices += [f"xp.{function}.at({x}, {rows}, 1)", f"xp.add.at({x}, xp.array({rows}, 'int64'), {x}[{rows}])",
                        f"{x}[{rows}] += 1", f"xp.put_along_axis({x}, xp.argmax({x}, 0, keepdims=True), 1, 0)",
                        f"xp.take({x}, {rows}, 0, out={x}[:{len(rows)}])"]
        if value.ndim > 1:
            choices += [f"xp.fill_diagonal({x}, 1)", f"xp.maximum.reduce({x}, 0, out={x}[0])",
                        f"xp.maximum.accumulate({x}, 1, out={x})"]
    return w.random.choice(choices)


def masked_output(w):
    """Call a ufunc with a mask and a new output, whose operands and mask have no other readers."""
    if (x := w.pick(lambda value: is_array(value) and value.ndim and value.dtype in (np.float32, np.float64))) is None:
        return None
    made = [f"xp.flip({x})", f"xp.roll({x}, 1)", f"xp.sort({x}, 0)", x]
    a, b = w.random.sample(made, 2)
    out = w.random.choice((f"xp.zeros_like({x})", f"xp.flip({x}).copy()"))
    mask = w.random.choice((mask_for(w, x), f"xp.flip({x}) > 0"))
    function = w.random.choice(("add", "subtract", "multiply"))
    name = w.new()
    return w.random.choice((f"{name} = xp.{function}({a}, {b}, out={out}, where={mask})",
                            f"{name} = xp.negative({a}, out={out}, where={mask})",
                            f"{x}[...] = xp.{function}({a}, {b}, out={out}, where={mask})",
                            f"{name} = xp.less({a}, 0, out=xp.flip({mask}), where={mask})"))


def several_outputs(w):
    """Call a ufunc with several outputs, some of them views."""
    if (x := w.pick(lambda value: is_array(value) and value.dtype in (np.float32, np.float64))) is None:
        return None
    value = w.value(x)
    others = [w.pick(lambda other: is_array(other) and other.shape == value.shape and other.dtype == value.dtype)
              for _ in range(2)]
    if others[0] == others[1] or overlaps(w, *others):
        others[1] = "None"
    a, b = others
    return w.random.choice((f"xp.modf({x}, out=({a}, {b}))", f"xp.divmod({x}, 2, out=({a}, {b}))",
                            f"xp.divmod({x}, {x}, {a}, {b})", f"xp.frexp({x}, out=({a}, None))"))


def memory(w):
    """Show attributes of arrays that describe their memory."""
    x, y = w.pick(), w.pick()
    if x is None:
        return None
    # NumPy's two bools are singletons: whether two bools are identical depends on their values.
    z = w.pick(lambda value: not isinstance(value, np.bool))
    unlocked = w.pick(lambda value: not made_by_as_strided(value))
    return w.random.choice((f"show(xp.shares_memory({x}, {y}))", f"show(xp.may_share_memory({x}, {y}))",
                            f"show({x} is {z})", f"show({x}.flags.writeable)", f"{x}.flags.writeable = False",
                            f"{unlocked}.flags.writeable = True", f"{x}.shape = -1", f"{x}.shape = (2, -1)"))


def made_by_as_strided(value):
    """Return whether NumPy put an object between array and base, through which the array cannot be made writeable."""
    while value is not None and type(value).__name__ != "DummyArray":
        value = getattr(value, "base", None)
    return value is not None


def other_dtype(w):
    """Make, index or write an array of records, strings, dates or objects."""
    s = w.pick(lambda value: isinstance(value, np.ndarray), "s")
    if s is None or w.chance(0.2):
        n = w.random.randint(1, 4)
        made = (f"xp.zeros({n}, {RECORD})", f"xp.array([(i, i / 2, (i, -i), str(i)) for i in range({n})], {RECORD})",
                f"xp.array(['ab', 'c', '', 'dé'])[:{n}].copy()", f"xp.array([1, None, 'x', 2.5][:{n}], object)",
                f"xp.arange('2020-01', '2020-09', dtype='M8[M]')[:{n * 2}].copy()",
                f"xp.arange({n}) * xp.timedelta64(1, 's')",
                f"xp.array(make('float64', ({n},), 3), '>f8')", f"xp.array([b'x', b'yz'][:{n}])")
        return f"{w.new('s')} = {w.random.choice(made)}"
    value = w.value(s)
    t = w.pick(lambda other: other.dtype == value.dtype, "s")
    key = basic_key(w.random, value.shape)
    if value.dtype.kind in "OV" and not isinstance(error_free(lambda: value[eval(f"np.s_[{key}]")], None), np.ndarray):
        key = "..."  # NumPy's records are views, and an object may be the array itself
    views = [f"{s}[{key}]", f"{s}.T", f"{s}.reshape(1, -1)", f"{s}.ravel()", f"xp.flip({s})" if value.ndim else s,
             f"xp.broadcast_to({s}, {(2, *value.shape)})", f"{s}.copy()", f"{s}.view()", f"{s}[{key}].copy('K')",
             f"{s}.flatten('F')", f"xp.concatenate([{s}, {t}])", f"{s}.astype({s}.dtype, copy=False)", f"{s}[[0]]"]
    writes = [f"{s}[{key}] = {t}", f"{s}[{key}] = {s}[{key}]", f"{s}[...] = {t}[:1]", f"{s}[[0]] = {t}[:1]",
              f"{s}.sort()", f"{s}[{key}] = {t}[{key}]", f"{s}.flat[0] = {t}.flat[0]", f"xp.copyto({s}, {t})"]
    if value.dtype.names:
        field = w.random.choice([name for name in value.dtype.names if name != "d"])
        number = w.pick(lambda other: broadcasts(other.shape, value[field].shape) and castable(other, "int32")
                        and other.dtype.kind != "c") or "2"
        writes += [f"{s}[{field!r}] = {number}", f"{s}[{field!r}] += 1", f"{s}[{field!r}][{key}] *= 2",
                   f"{s}[{key}][{field!r}] = 3", f"{s}[0] = (1, 2.5, (3, 4), 'ef')", f"{s}['d'] = 'gh'",
                   f"xp.add({s}[{field!r}], 1, out={s}[{field!r}])", f"{s}[['a', 'b']] = (7, 8.5)",
                   f"{s}[{field!r}].sort()", f"{s}[['b']] = {t}[['b']]",
                   f"xp.add.at({s}['a'], [0, 0], 1)" if is_array(value) else "0",  # NumPy ignores read-only here
                   f"{s}[{s}['a'] > 1] = {s}[0]"]
        if w.chance(0.4):
            return f"{w.new()} = {s}[{field!r}]" + w.random.choice(("", "", f"[{key}]", " * 2", ".sum()", ".T"))
        views += [f"{s}[['a', 'b']]", f"{s}[['b']]", f"{s}['d']"] * 2
    elif value.dtype.kind in "mM":
        views += [f"{s} + xp.timedelta64(1, 'D')" if value.dtype.kind == "M" else f"{s} * 2"]
        writes += [f"{s} += xp.timedelta64(30, 's')" if value.dtype.kind == "m" else f"{s}[0] = 'NaT'"]
        if w.chance(0.3):
            return f"{w.new()} = {s}.view('int64')"
    elif value.dtype.kind == "f":
        writes += [f"{s} += 1", f"{s}[...] *= 2", f"xp.add({s}, 1, out={s})"]
        if w.chance(0.3):
            return f"{w.new()} = {s} + 1"
    elif value.dtype.kind in "US" and w.chance(0.3):
        return f"{w.new()} = {s} {w.random.choice(('==', '!=', '<'))} {t}"
    return w.random.choice(writes) if w.chance(0.5) else f"{w.new('s')} = {w.random.choice(views)}"


def lent(w):
    """Make an ndarray that shares an array's memory, or write through it."""
    n = w.pick(lambda value: is_array(value) and value.flags.num >= 0 and value.flags.writeable, "n")
    if n is None or w.chance(0.4):
        if (x := w.pick(lambda value: is_array(value) and value.flags.num >= 0)) is None:  # no warning on writes
            return None
        return f"{w.new('n')} = " + w.random.choice((f"np.asarray({x})[...]", f"np.array({x}, copy=None).view()"))
    value, number = w.value(n), w.random.randint(0, 5)
    key = basic_key(w.random, value.shape)
    return w.random.choice((f"{n}[{key}] = {number}", f"{n}[...] = {number}", f"{n}.sort()",
                            f"np.multiply({n}, {n}, out={n})", f"{n}[...] = {n}[::-1].copy()" if value.ndim else "0"))


KINDS = {"other_view": (other_view, 8), "overlapping_view": (overlapping_view, 1), "masked": (masked, 5),
         "write_by_function": (write_by_function, 6), "several_outputs": (several_outputs, 2),
         "masked_output": (masked_output, 4), "memory": (memory, 3), "lent": (lent, 2),
         "other_dtype": (other_dtype, 5)}
