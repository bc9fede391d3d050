"""Errors of common mistakes: their class, their message, and the line at which the traceback ends.

Each row is a statement over `la`, `np` (`lazyarr.numpy`) and the arrays below. Where NumPy raises, the text is its own:
those rows say nothing, and are compared with NumPy itself.
"""
import re
import traceback

import numpy
import pytest

import lazyarr as la
import lazyarr.numpy as lnp

FILE = "<mistake>"

NUMPYS = """
    m + v
    m @ m
    v @ m
    np.dot(m, m)
    np.add(m, v)
    np.add(v, v, out=m)
    np.concatenate([m, v])
    np.stack([m, v])
    np.split(v, 2)
    np.reshape(m, (5, 5))
    m.reshape(7)
    np.sum(m, axis=5)
    m.max(axis=(0, 0))
    np.sort(m, axis=4)
    np.sum(m, axiss=1)
    np.sum(m, dtype='nonsense')
    m.astype('nonsense')
    m[7]
    m[0, 9]
    m[1, 2, 3]
    m['a']
    m[np.array([True, False])]
    np.take(v, 10)
    m.__setitem__(9, 1)
    m.__setitem__(0, v)
    bool(m)
    float(m)
    int(m)
    m.item(99)
    np.array([[1], [1, 2]])
    np.zeros(-1)
    np.linalg.inv(m)
    np.linalg.solve(s, v)
    np.einsum('ij,jk', m, m)
    np.einsum('ij->k', m)
    np.pad(m, 'x')
    np.percentile(v, 200)
    np.histogram(v, bins='nonsense')
    np.broadcast_to(m, (2, 2))
    np.swapaxes(m, 0, 5)
    np.moveaxis(m, 0, 5)
    np.linspace(0, 1, -1)
    np.arange(0, 1, 0)
    np.vstack([])
    np.random.default_rng(0).normal(scale=-1)
    np.random.default_rng(0).choice(3, p=[1])
    locked.__setitem__(0, 1)
    locked.sort()
    locked.__iadd__(1)
    m.numpy_nonsense
    np.loadtxt('/nonsense')
    np.load('/nonsense')
"""

OWN = {
    # What is misspelt.
    "la.sqroot": (AttributeError, "module 'lazyarr' has no attribute 'sqroot'"),
    "np.sqroot": (AttributeError, "module 'lazyarr.numpy' has no attribute 'sqroot'"),
    "la.linalg.invv": (AttributeError, "module 'lazyarr.numpy.linalg' has no attribute 'invv'"),
    "la.nn.Liner": (AttributeError, "module 'lazyarr.nn' has no attribute 'Liner'"),
    "setattr(la.config, 'num_thread', 4)": (AttributeError, "no setting 'num_thread'; did you mean 'num_threads'?"),
    "la.config(num_thread=4)": (TypeError, "no setting 'num_thread'; did you mean 'num_threads'?"),
    "la.config.num_thread": (AttributeError, "has no attribute 'num_thread'"),
    "la.config.tuning['gemm.block_byte']": (KeyError, "did you mean 'gemm.block_bytes'?"),
    "la.device('cpuu:1')": (ValueError, "there is no device 'cpuu:1'; there are 'cpu', 'cpu:1'"),
    "la.device('Cpu:1')": (ValueError, "did you mean 'cpu:1'?"),
    "la.backend('numpi')": (ValueError, "did you mean 'numpy'?"),
    "la.backend('numpy', ops='matmull')": (ValueError, "did you mean 'matmul'?"),
    "la.nn.Linear(2, 3, bia=False)": (TypeError, "unexpected keyword argument 'bia'"),
    # Settings.
    "setattr(la.config, 'num_threads', 'many')": (TypeError, "config.num_threads must be an integer, got str"),
    "setattr(la.config, 'num_threads', 0)": (ValueError, "config.num_threads must be at least 1, got 0"),
    "setattr(la.config, 'debug', 1)": (TypeError, "config.debug must be True or False, got int"),
    "setattr(la.config, 'small_work', 'later')": (ValueError, 'must be "auto", "wait" or "now", got \'later\''),
    # Evaluations.
    "forbidden(lambda: print(m + 1))": (la.EvaluationForbidden, "the value of add is needed, of shape (3, 4) and dtype "
                                        "float64, created at <mistake>:1"),
    "forbidden(lambda: (m @ m.T).numpy())": (la.EvaluationForbidden, "the value of matmul is needed"),
    "la.evaluate(3)": (TypeError, "evaluate takes LazyArrays, got int"),
    "la.evaluate_async(3)": (TypeError, "evaluate_async takes LazyArrays, got int"),
    "la.explain(3)": (TypeError, "expected a LazyArray, got int"),
    "la.linalg.inv(la.zeros((2, 2))).numpy()": (numpy.linalg.LinAlgError, "Singular matrix"),
    "nans(lambda: la.log(la.array([-1.0, 1.0])).numpy())": (FloatingPointError, "log"),
    "limited(lambda: (la.ones(10**6) + 1).numpy())": (MemoryError, ""),
    # Derivatives.
    "la.grad(lambda x: x)(v)": (TypeError, "grad: the function must return one real number, got shape (5,) of float64"),
    "la.grad(lambda x: x.sum())(la.arange(3))": (TypeError, "argument 0 must be of floats or complex numbers"),
    "la.grad(lambda x: x.sum(), argnums=3)(v)": (TypeError, "there is no argument 3 to differentiate by"),
    "la.vjp(lambda x: x, 'a')": (TypeError, "vjp: argument 0 must be of floats or complex numbers"),
    "la.jvp(lambda x: x, (v,), (m,))": (ValueError, "the tangent of argument 0 must have shape (5,), got (3, 4)"),
    # Traced functions.
    "la.vmap(lambda x: float(x))(v)": (la.TracedValueError, "a traced function cannot read values"),
    "la.vmap(lambda x: 1 if x > 0 else 2)(v)": (la.TracedValueError, "Branch with lazyarr.cond or where"),
    "la.vmap(lambda x, y: x)(la.ones(3), la.ones(4))": (ValueError, "argument 1 has length 4 along axis 0"),
    "la.while_loop(lambda x: x < 3, lambda x: bool(x), v[0])": (la.TracedValueError, "a traced function cannot read"),
    "la.cond(m, lambda: 1, lambda: 2)": (TypeError, "cond: the condition must be one boolean, got shape (3, 4)"),
    "la.jit(3)": (TypeError, "jit takes a function, got int"),
    # Layers.
    "la.nn.Linear(3, 'x')": (TypeError, "outputs must consist of integers, got 'x'"),
    "la.nn.Linear(3, 4)(la.ones((2, 5)))": (ValueError, "x must have shape (..., 3)"),
    "la.nn.conv2d(m, m)": (ValueError, "x must have 4 axes, not 2"),
    "la.nn.Dropout(3)": (ValueError, "rate must be at least 0 and less than 1, got 3"),
    "la.nn.SGD(0.1).update({'a': m}, {'b': m})": (ValueError, "the gradient of parameter a is missing"),
    # Values handed out.
    "m.numpy().__setitem__(0, 1)": (ValueError, "assignment destination is read-only"),
    "la.symbolic.load_graph('/nonsense')": (FileNotFoundError, "/nonsense"),
}


@pytest.fixture(autouse=True)
def filtered():
    with la.config(traceback_filtering=True):
        yield


def variables(module):
    values = {"m": numpy.arange(12.0).reshape(3, 4), "v": numpy.arange(5.0), "s": numpy.ones((3, 3)),
              "locked": numpy.arange(4.0)}
    if module is not numpy:
        values = {name: la.array(x) for name, x in values.items()}
    values["locked"].flags.writeable = False
    return values | {"np": module, "la": la, "forbidden": _forbidden, "nans": _nans, "limited": _limited}


def _forbidden(look):
    with la.no_evaluation():
        look()


def _nans(look):
    with la.config(debug_nans=True), numpy.errstate(all="ignore"):
        look()


def _limited(look):
    with la.config(memory_limit=1):
        look()


def mistake(statement, module):
    """Return the error that a statement raises, at once or when its value is needed."""
    names = variables(module)
    try:
        numpy.asarray(eval(compile(statement, FILE, "eval"), names))
    except Exception as error:
        return error
    raise AssertionError(f"{statement} raises nothing")


def ends_at(error):
    """The file in which a traceback ends, as it is printed."""
    return traceback.extract_tb(error.__traceback__)[-1].filename


@pytest.mark.parametrize("statement", [line.strip() for line in NUMPYS.strip().splitlines()])
def test_mistakes_have_numpys_text(statement):
    want, got = mistake(statement, numpy), mistake(statement, lnp)
    assert type(got) is type(want)
    expected = str(want).replace("'numpy.ndarray' object", "'lazyarr.LazyArray' object")
    assert str(got).strip() == expected.strip()
    assert ends_at(got) in (FILE, __file__)
    assert not any("/lazyarr/" in frame.filename for frame in traceback.extract_tb(got.__traceback__))


@pytest.mark.parametrize("statement", OWN)
def test_mistakes_that_numpy_does_not_know(statement):
    kind, text = OWN[statement]
    error = mistake(statement, lnp)
    assert type(error) is kind
    assert text in " ".join([str(error), *getattr(error, "__notes__", [])])
    assert ends_at(error) in (FILE, __file__)


@pytest.mark.parametrize("line, name", [
    ("la.sqroot", "sqrt"), ("la.numpy.sqroot", "sqrt"), ("la.nn.Liner", "Linear"),
    ("la.config.num_thread", "num_threads"),
])
def test_python_suggests_names_once(run_python, line, name):
    text = run_python(f"""
        import contextlib, io, sys
        import lazyarr as la
        try:
            {line}
        except AttributeError as error:
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                sys.__excepthook__(type(error), error, error.__traceback__)
            print(shown.getvalue())
    """)
    assert re.findall(r"[Dd]id you mean:? '(\w+)'", text) == [name]
