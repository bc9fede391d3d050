"""Tracebacks end at the user's line: they omit lazyarr's frames, but keep those of the user's functions.

`test_messages.py` has many mistakes with the lines at which their tracebacks end.
"""
import json
import traceback

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp


@pytest.fixture(autouse=True)
def filtered():
    with la.config(traceback_filtering=True):  # which debug builds do not
        yield


def caught(function, kind=Exception):
    with pytest.raises(kind) as raised:
        function()
    return raised.value


def functions(error):
    """Return the names of the functions in a traceback, starting at the call in `caught`."""
    frames = list(traceback.extract_tb(error.__traceback__))
    assert frames[0].name == "caught"
    assert {frame.filename for frame in frames} == {__file__}
    return [frame.name for frame in frames[1:]]


def fails(*args):
    raise LookupError("of the user's")


FAILING = {
    "operator": lambda: la.ones(3) + la.ones(4),
    "operator of the drop-in face": lambda: lnp.ones(3) + lnp.ones(4),
    "NumPy's function": lambda: np.concatenate([la.ones(3), la.ones((3, 3))]),
    "index": lambda: la.ones(3)[7],
    "assignment": lambda: la.ones(3).__setitem__(7, 1),
    "method": lambda: la.ones(3).reshape(4),
    "function that NumPy computes": lambda: la.pad(la.ones(3), "x"),
    "function in Python": lambda: la.grad(lambda x: x)(la.ones(3)),
    "method of a ufunc": lambda: la.add.reduce(la.ones(3), axis=4),
    "class": lambda: la.nn.Linear(3, "x"),
    "layer": lambda: la.nn.Linear(3, 4)(la.ones((2, 5))),
    "setting": lambda: setattr(la.config, "num_threads", "many"),
    "name": lambda: la.nonsense,
    "evaluation": lambda: la.linalg.inv(la.zeros((3, 3))).numpy(),
    "evaluation by a kernel": lambda: la.take(la.arange(3.0), la.arange(5) + 1).numpy(),
    "future": lambda: la.linalg.inv(la.zeros((3, 3))).evaluate_async().result(),
    "native code of NumPy": lambda: la.random.default_rng(0).normal(scale=-1),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_traceback_ends_at_the_line(name):
    assert functions(caught(FAILING[name])) == ["<lambda>"]


@pytest.mark.parametrize("name", FAILING)
def test_all_frames_are_there_without_filtering(name):
    with la.config(traceback_filtering=False):
        error = caught(FAILING[name])
    assert any("lazyarr/" in frame.filename for frame in traceback.extract_tb(error.__traceback__)[2:])


def test_a_failed_value_raises_at_the_line_of_each_look():
    x = la.linalg.inv(la.zeros((3, 3)))
    for _ in range(2):
        error = caught(lambda: x.numpy(), np.linalg.LinAlgError)
        assert functions(error) == ["<lambda>"]
        assert "created at" in error.__notes__[0]


@pytest.mark.parametrize("call", [
    lambda: la.jit(fails)(la.ones(3)),
    lambda: la.grad(fails)(1.0),
    lambda: la.vmap(fails)(la.ones(3)),
    lambda: la.checkpoint(fails)(la.ones(3)),
    lambda: la.fori_loop(0, 3, fails, 1.0),
    lambda: la.vectorize(fails)(la.ones(3)),
    lambda: la.apply_along_axis(fails, 0, la.ones(3)),
    lambda: la.fromfunction(fails, (3,)),
    lambda: la.delay(fails, la.ones(3), shape=(), dtype=float).numpy(),
    lambda: la.frompyfunc(fails, 1, 1)(la.ones(3)).numpy(),
    lambda: la.nn.value_and_grad(la.nn.Linear(1, 1), fails)(),
], ids=["jit", "grad", "vmap", "checkpoint", "fori_loop", "vectorize", "apply_along_axis", "fromfunction", "delay",
        "frompyfunc", "value_and_grad"])
def test_functions_of_the_user_stay(call):
    assert functions(caught(call, LookupError)) == ["<lambda>", "fails"]


def test_functions_that_call_each_other_through_lazyarr_stay():
    def outer(x):
        return la.grad(inner)(x)

    def inner(x):
        return (x + la.ones(4)).sum()

    assert functions(caught(lambda: la.jit(outer)(la.ones(3)))) == ["<lambda>", "outer", "inner"]


def test_what_a_users_function_calls_of_numpy_stays():
    def calls(x):
        return np.linalg.inv(np.zeros((2, 2)))

    error = caught(lambda: la.jit(calls)(la.ones(3)))
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert names[1:3] == ["<lambda>", "calls"]
    assert names[3:]


def test_the_error_is_the_one_that_was_raised():
    mine = LookupError("of the user's")

    def raises(x):
        raise mine

    assert caught(lambda: la.jit(raises)(la.ones(3))) is mine
    assert caught(lambda: la.vectorize(raises)(la.ones(3))) is mine


def test_errors_that_were_handled_inside_are_left_out():
    error = caught(lambda: la.ones(3).sum(axis=5))
    assert error.__context__ is None or error.__suppress_context__
    text = "".join(traceback.format_exception(error))
    assert "During handling" not in text


def test_errors_that_the_user_handled_stay():
    def retry():
        try:
            raise KeyError("of the user's")
        except KeyError:
            la.ones(3) + la.ones(4)

    error = caught(retry)
    assert isinstance(error, ValueError)
    assert isinstance(error.__context__, KeyError)
    assert error.__context__.__traceback__ is not None


def test_an_error_of_lazyarr_that_the_user_handled_stays():
    def wrap(x):
        try:
            x + la.ones(4)
        except ValueError as error:
            raise RuntimeError("of the user's") from error

    error = caught(lambda: la.jit(wrap)(la.ones(3)), RuntimeError)
    assert functions(error) == ["<lambda>", "wrap"]
    assert [frame.name for frame in traceback.extract_tb(error.__cause__.__traceback__)] == ["wrap"]


def test_an_error_that_the_standard_library_alone_has_passed_stays():
    try:
        json.loads("{")
    except ValueError as handled:
        earlier = handled
        earlier.__traceback__ = trace = earlier.__traceback__.tb_next  # as that of a task that asyncio runs
        error = caught(FAILING["operator"])
    assert error.__context__ is earlier
    assert earlier.__traceback__ is trace


def test_a_cause_stays_without_frames_of_lazyarr():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("of the user's")

    error = caught(lambda: la.asarray(Broken()), RuntimeError)
    assert functions(error) == ["<lambda>", "__array__"]


def test_ctrl_c_ends_at_the_line():
    def interrupted(x):
        raise KeyboardInterrupt

    assert functions(caught(lambda: la.delay(interrupted, la.ones(2), shape=(), dtype=float).numpy(),
                            KeyboardInterrupt)) == ["<lambda>", "interrupted"]


def test_the_environment_sets_it(run_python):
    program = """
        import traceback
        import lazyarr as la
        print(la.config.traceback_filtering)
        try:
            la.ones(3) + la.ones(4)
        except ValueError as error:
            print(len(traceback.extract_tb(error.__traceback__)) > 1)
    """
    assert run_python(program, LAZYARR_TRACEBACK_FILTERING="1").split() == ["True", "False"]
    assert run_python(program, LAZYARR_TRACEBACK_FILTERING="0").split() == ["False", "True"]


def test_wrapped_functions_are_what_they_were():
    import inspect
    import pickle

    assert list(inspect.signature(la.grad).parameters) == ["f", "argnums", "has_aux"]
    assert pickle.loads(pickle.dumps(la.grad)) is la.grad
    assert inspect.isfunction(la.nn.conv2d)


def test_errors_that_native_code_catches(run_python):
    """By `with`, and by leaving `except` with `return`: both need a traceback."""
    assert run_python("""
        import numpy as np
        import lazyarr as la
        x = la.ones((300, 300)).to_device("cpu:1") + 1
        with la.config(memory_limit=1):
            try:
                la.evaluate(x)
            except MemoryError as error:
                print("memory")
        with np.errstate(all="raise"):
            try:
                la.linalg.inv(la.zeros((3, 3))).numpy()
            except np.linalg.LinAlgError:
                print("singular")
    """).split() == ["memory", "singular"]
