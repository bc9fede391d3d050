"""Floating-point errors: NumPy's messages, handled by the errstate in force when the operation was created."""

import operator
import re
import traceback
import warnings

import numpy as np
import pytest

import lazyarr as la
from support.call_outcomes import warned
from support.lazy_helpers import compile_line, pending
from support.script_folder import Folder

BIG, TINY = 1e300, 1e-300
FLOATING = {
    "divide by zero encountered in divide": lambda x: x / 0,
    "divide by zero encountered in reciprocal": lambda x: np.reciprocal(x * 0),
    "divide by zero encountered in log": lambda x: np.log(x - 1),
    "divide by zero encountered in log10": lambda x: np.log10(x - 1),
    "divide by zero encountered in log1p": lambda x: np.log1p(x - 2),
    "divide by zero encountered in power": lambda x: (x - 1) ** -1.5,
    "divide by zero encountered in arctanh": lambda x: np.arctanh(x / x),
    "divide by zero encountered in floor_divide": lambda x: x // 0.0,
    "divide by zero encountered in remainder": lambda x: x.astype("int64") % 0,
    "invalid value encountered in divide": lambda x: (x - x) / 0,
    "invalid value encountered in sqrt": lambda x: np.sqrt(-x),
    "invalid value encountered in log": lambda x: np.log(-x),
    "invalid value encountered in subtract": lambda x: (x + np.inf) - np.inf,
    "invalid value encountered in add": lambda x: (x + np.inf) + -np.inf,
    "invalid value encountered in multiply": lambda x: (x - x) * np.inf,
    "invalid value encountered in arcsin": lambda x: np.arcsin(x + 5),
    "invalid value encountered in sin": lambda x: np.sin(x + np.inf),
    "invalid value encountered in fmod": lambda x: np.fmod(x, 0.0),
    "invalid value encountered in cast": lambda x: (x + np.nan).astype("int32"),
    "overflow encountered in multiply": lambda x: (x * BIG) * BIG,
    "overflow encountered in add": lambda x: (x + 1.7e308) + 1.7e308,
    "overflow encountered in exp": lambda x: np.exp(x + 1000),
    "overflow encountered in power": lambda x: (x * BIG) ** 2.5,
    "overflow encountered in square": lambda x: np.square(x * BIG),
    "overflow encountered in cast": lambda x: (x * BIG).astype("float32"),
    "overflow encountered in cosh": lambda x: np.cosh(x * 1000),
    "overflow encountered in reduce": lambda x: np.sum(x + 1.7e308),
    "underflow encountered in multiply": lambda x: (x * TINY) * TINY,
    "underflow encountered in exp": lambda x: np.exp(x - 1000),
    "underflow encountered in divide": lambda x: (x * TINY) / BIG,
}


@pytest.mark.parametrize("size", [2, 3000, 100_000])
@pytest.mark.parametrize("message", FLOATING)
def test_warning(message, size):
    data = np.linspace(1, 2, size)
    with np.errstate(all="warn"):
        expected = warned(lambda: FLOATING[message](data.copy()))
        assert message in expected
        assert warned(lambda: FLOATING[message](pending(data)).numpy()) == expected


def test_a_warning_points_at_the_line_that_created_the_operation():
    with np.errstate(all="warn"):
        y = compile_line("y = x / 0", x=pending([1.0]))["y"]
        with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
            y.numpy()
    assert (caught[0].filename, caught[0].lineno) == ("user_script.py", 3)


@pytest.mark.parametrize("message", FLOATING)
def test_floating_point_error(message):
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError) as expected:
            FLOATING[message](np.linspace(1, 2, 5))
        x = pending(np.linspace(1, 2, 5))
        with pytest.raises(FloatingPointError) as got:
            FLOATING[message](x).numpy()
    assert str(got.value).splitlines()[0] == str(expected.value).replace("scalar ", "")
    assert x.tolist() == np.linspace(1, 2, 5).tolist()


@pytest.mark.parametrize("operation", [operator.floordiv, operator.mod, operator.truediv])
@pytest.mark.parametrize("left", [np.array(3), 3], ids=["array", "python"])
@pytest.mark.parametrize("right", [np.array(0), np.array([0])[0]], ids=["array", "scalar"])
def test_scalars_are_called_scalars_and_0d_arrays_are_not(operation, left, right):
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError) as expected:
            operation(left, right)
        lazy = la.array(right) if isinstance(right, np.ndarray) else pending([0])[0]
        with pytest.raises(FloatingPointError) as got:
            operation(left, lazy).item()
    assert str(got.value).splitlines()[0] == str(expected.value)


def test_an_error_names_the_operation_and_its_line_and_leaves_handles_usable():
    x = pending([1.0, 0.0])
    with np.errstate(all="raise"):
        variables = compile_line("y = 1 + 3 / x; z = y * 2", x=x)
    good = x + 5
    for array_ in (variables["z"], variables["y"], variables["z"]):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide") as caught:
            array_.numpy()
        text = "".join(traceback.format_exception(caught.value))
        assert re.search(r"divide.*user_script\.py\D+3\b", text, re.DOTALL), text
    with pytest.raises(FloatingPointError):
        la.evaluate(good, variables["z"])
    assert good.tolist() == [6, 5]
    assert x.tolist() == [1, 0]
    assert variables["z"].shape == (2,)
    with np.errstate(all="ignore"):
        x += 1
        assert (3 / x).tolist() == [1.5, 3]


def test_errstate_is_that_of_the_line_that_created_the_operation():
    x = pending([1.0])
    with np.errstate(divide="ignore"):
        quiet = x / 0
    with np.errstate(divide="raise"):
        loud = x / 0
    with np.errstate(divide="warn"):
        warning = x / 0
    with np.errstate(divide="raise"):
        assert warned(quiet.numpy) == []
        assert warned(warning.numpy) == ["divide by zero encountered in divide"]
    with np.errstate(divide="ignore"), pytest.raises(FloatingPointError):
        loud.numpy()


def test_one_plan_serves_each_errstate():
    for mode, expected in (("warn", 1), ("ignore", 0), ("warn", 1)):
        with np.errstate(all=mode):
            assert len(warned((pending([1.0, 2.0]) / 0).numpy)) == expected


def test_errstate_call():
    seen = []
    with np.errstate(all="call", call=lambda text, flag: seen.append((text, flag))):
        np.array([1.0]) / 0
        np.array([-1.0]) ** 0.5
        y, z = pending([1.0]) / 0, pending([-1.0]) ** 0.5
    y.numpy(), z.numpy()
    assert len(seen) == 4
    assert seen[2:] == seen[:2]


def test_errstate_log():
    class Log:
        def __init__(self):
            self.text = []

        def write(self, text):
            self.text.append(text)

    logs = Log(), Log()
    for log, make in zip(logs, (np.array, pending), strict=True):
        with np.errstate(all="log", call=log):
            y = make([1.0]) / 0
        np.asarray(y)
    assert logs[0].text == logs[1].text == ["Warning: divide by zero encountered in divide\n"]


def test_errstate_print(capfd):
    with np.errstate(all="print"):
        np.array([1.0]) / 0
        expected = capfd.readouterr()
        y = pending([1.0]) / 0
    y.numpy()
    assert capfd.readouterr() == expected
    assert "divide by zero encountered in divide" in expected.out + expected.err


CLEAN = {
    "add": lambda x: x + 1, "divide": lambda x: x / 2, "floor_divide": lambda x: x // 2, "log2": np.log2,
    "fmod": lambda x: np.fmod(x, 2), "cast": lambda x: x.astype("int32"), "float cast": lambda x: x.astype("float32"),
    "integer floor_divide": lambda x: x.astype("int16") // 2, "integer add": lambda x: x.astype("int16") + 1,
    "integer to float": lambda x: x.astype("int16") / 2, "comparison": lambda x: x > 1,
    "copy": lambda x: x[::-1].copy(), "sum": lambda x: x.sum(), "max": lambda x: x.max(), "sort": np.sort,
    "where": lambda x: np.where(x > 1, x, 0), "frexp": lambda x: np.frexp(x)[0], "power": lambda x: x ** 3,
    "longdouble": lambda x: x.astype("longdouble") * 2,
}


@pytest.mark.parametrize("name", CLEAN)
def test_status_left_behind_by_other_arithmetic_is_not_reported(name):
    for _ in range(2):  # once while the plan is made, once with the plan from the cache
        y = CLEAN[name](pending([1.0, 2.0, 3.0]))
        with np.errstate(all="ignore"):
            np.array([1.0, 0.0, 1e308, 1e-308]) ** -3 / 0.0 - np.inf * 0
        with np.errstate(all="warn"):
            assert warned(y.numpy) == []


INTEGER = {
    "floor_divide": lambda x: x // (x - x), "remainder": lambda x: x % (x - x), "fmod": lambda x: np.fmod(x, x - x),
    "reciprocal": lambda x: np.reciprocal(x - x), "divmod": lambda x: np.divmod(x, x - x)[0],
    "overflow": lambda x: (x - x - 127 - 1) // -1, "ldexp": lambda x: np.ldexp(x, 2000),
}


@pytest.mark.parametrize("name", INTEGER)
def test_integer_operations_warn_under_their_own_name(name):
    data = np.array([1, 2, 3], "int8")
    with np.errstate(all="warn"):
        expected = warned(lambda: INTEGER[name](data) * 2.0 + 1)
        assert expected
        assert warned(lambda: (INTEGER[name](la.asarray(data)) * 2.0 + 1).numpy()) == expected


def test_a_warning_made_an_error():
    x = pending([1.0])
    y = x / 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            y.numpy()
    assert x.tolist() == [1]
    assert (x + 1).tolist() == [2]


def test_masked_elements_do_not_warn():
    x = pending([1.0, 0.0, -1.0])
    with np.errstate(all="raise"):
        y = la.divide(1, x, out=la.zeros(3), where=x != 0)
        z = la.sqrt(x, out=la.zeros(3), where=x >= 0)
        assert (y.tolist(), z.tolist()) == ([1, 0, -1], [1, 0, 0])


@pytest.mark.parametrize("size", [1, 3, 17, 65, 4097])
def test_memory_beyond_the_last_element_does_not_warn(size):
    x = pending(np.full(size, 2.0))
    with np.errstate(all="raise"):
        la.evaluate(1 / x + np.log(x) / np.sqrt(x), 1 / x[::-1], np.log(x[:, None]) / x[:3])


def test_a_mask_keeps_the_warning_of_a_complex_array_away():
    for xp in (np, la):
        x, value = xp.ones(3), np.array(2 + 1j)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x[x > 5] = value
        with pytest.warns(np.exceptions.ComplexWarning):
            x[x > 0] = value
        assert x.tolist() == [2, 2, 2]


def test_opaque_calls_run_under_the_errstate_they_were_written_in():
    x = la.array([1e200, 1e200]) * 1
    with np.errstate(over="ignore"):
        ignored = la.cumprod(x)
    with np.errstate(over="raise"):
        raising = la.cumprod(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(ignored.numpy()[1])
    with np.errstate(over="ignore"), pytest.raises(FloatingPointError, match="overflow"):
        raising.numpy()


UNARY = sorted({ufunc.__name__ for ufunc in vars(np).values() if isinstance(ufunc, np.ufunc) and ufunc.nin == 1})


@pytest.mark.parametrize("name", UNARY)
def test_flags_of_one_element_are_those_of_the_loop_numpy_takes(name):
    # numbers use NumPy's scalar loops, arrays of length one its vector loops, in which float16 underflows differently
    def results(xp, x):
        result = getattr(xp, name)(x)
        return result if isinstance(result, tuple) else (result,)

    for data in (np.array([6.104e-05], "f2"), np.array([1e-7], "f2"), np.array([1e-40], "f4")):
        for shape in ((), (1,), (1, 1)):
            x = data.reshape(shape)
            with np.errstate(all="warn"):
                try:
                    expected = warned(lambda x=x: results(np, x.copy()))
                except TypeError:
                    continue
                for y in (la.array(x), la.array(x).copy()):
                    assert warned(lambda y=y: la.evaluate(*results(la, y))) == expected, x
                if shape:  # something else reads what the loop writes
                    assert warned(lambda y=y: la.evaluate(*[z.any(axis=0) for z in results(la, y)])) == expected


def test_one_element_rounds_as_numpys_whatever_else_the_program_does():
    v = np.array([0.5 + 2.2250738585072014e-308j])
    number = np.arcsin(v[0])
    product = la.array(v).copy() * la.array(number)
    la.evaluate(la.any(product, axis=(0,)))
    assert product.tolist() == (v * number).tolist()


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint32, np.complex128])
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_means_of_nothing_tell_of_a_division_as_numpys_do(shape, dtype):
    for axis in (None, 0):
        texts = []
        for x in (np.zeros(shape, dtype), la.zeros(shape, dtype)):
            with np.errstate(all="raise"):
                try:
                    np.asarray(np.mean(x, axis=axis))
                    texts.append("")
                except FloatingPointError as error:
                    texts.append(str(error))
        assert texts[0] == texts[1]


def test_a_flush_loses_no_error_of_values_that_are_there():
    """Values written in place cannot be recomputed, and are kept when their error is reported."""
    with la.config(budget_nodes=1):  # flushes find nothing that repeats, and come early from then on
        x = la.ones((2, 2), "f4").T
        seen = la.broadcast_to(x[:, None], (2, 2, 2))
        kept = [seen, la.where(x > 0, seen, la.ones((2, 2)))]
    x = np.arange(4.0)
    with np.errstate(divide="ignore"):
        kept.append(np.concatenate([la.asarray(x) + 1, 1 / la.asarray(x)]))
    with np.errstate(divide="raise"):
        again = np.concatenate([la.asarray(x) + 1, 1 / la.asarray(x)])
    with pytest.raises(FloatingPointError, match="divide by zero"):
        again.numpy()


def test_flags_that_were_ignored_so_far_are_told_of_from_then_on(tmp_path):
    with Folder(tmp_path) as folder:
        folder.write(underflow="""
            import warnings
            import numpy as np
            import lazyarr as la

            x = la.array([1e-200, 1.0])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                print((x * x + 1 / (x - 1)).tolist(), [str(w.message) for w in told])
            with np.errstate(under="warn"), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                ignored, y = x * x + 2, x * x + 1
                print(la.asarray(y).tolist(), [str(w.message) for w in told])
            with np.errstate(under="raise"):
                z = x * x * 3
            try:
                z.numpy()
            except FloatingPointError as error:
                print(error)
        """)
        printed = folder.printed("underflow.py")
    assert printed == [
        "[-1.0, inf] ['divide by zero encountered in divide']",
        "[1.0, 2.0] ['underflow encountered in multiply']",
        "underflow encountered in multiply"]
