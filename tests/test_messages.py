"""Errors for common mistakes: class, message, and the last line of the traceback.

Each row is a statement over `la`, `np` (`lazyarr.numpy`) and the arrays below. Rows without a message, in
:mod:`support.mistakes`, are errors in NumPy as well, and are compared with NumPy's text.
"""
import ast
import re
import traceback

import numpy
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from support.mistakes import NUMPYS

FILE = "<mistake>"

OWN = {
    # Misspellings.
    "la.nn.initialisers.he_norml": (AttributeError, "module 'lazyarr.nn.initialisers' has no attribute 'he_norml'"),
    "la.runtime.Engin": (AttributeError, "module 'lazyarr.runtime' has no attribute 'Engin'"),
    "la.array_api.sqroot": (AttributeError, "module 'lazyarr.array_api' has no attribute 'sqroot'"),
    "la.array_api.linalg.invv": (AttributeError, "module 'lazyarr.array_api.linalg' has no attribute 'invv'"),
    "la.float": (AttributeError, "`np.float` was a deprecated alias for the builtin `float`"),
    "la.Inf": (AttributeError, "Use `np.inf` instead"),
    "import lazyarr.nonsense": (ModuleNotFoundError, "No module named 'lazyarr.nonsense'"),
    "from lazyarr import gradd": (ImportError, "cannot import name 'gradd' from 'lazyarr'"),
    "v.nupmy()": (AttributeError, "'lazyarr.LazyArray' object has no attribute 'nupmy'"),
    "np.add.outr": (AttributeError, "'numpy.ufunc' object has no attribute 'outr'"),
    "la.jit(abs, static_argnum=0)": (TypeError, "jit() got an unexpected keyword argument 'static_argnum'"),
    "la.vmap(abs, in_axis=0)": (TypeError, "vmap() got an unexpected keyword argument 'in_axis'"),
    "la.nn.Conv2d(3, 4, 3, strides=2)": (TypeError, "Conv2d.__init__() got an unexpected keyword argument 'strides'"),
    "la.nn.LSTM(3)": (TypeError, "LSTM.__init__() missing 1 required positional argument: 'size'"),
    "la.nn.SGD(lr=0.1)": (TypeError, "SGD.__init__() got an unexpected keyword argument 'lr'"),
    "la.nn.Linear(3, 4, weight='he_norml')": (TypeError, "got 'he_norml'; did you mean 'he_normal'?"),
    "la.backends.register('matmull', 'mine', abs)": (ValueError, "cannot compute 'matmull'; did you mean 'matmul'?"),
    "la.graph([x := la.var((3,), name='left')], x)(Left=v)": (TypeError, "no input 'Left'; did you mean 'left'?"),
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
    "setattr(la.config, 'small_work', [])": (ValueError, 'must be "auto", "wait" or "now", got []'),
    "setattr(la.config, 'pool_limit', -1)": (ValueError, "config.pool_limit must be at least 0, got -1"),
    "setattr(la.config, 'memory_limit', '1GB')": (TypeError, "config.memory_limit must be an integer, got str"),
    "setattr(la.config, 'on_evaluate', 3)": (TypeError, "config.on_evaluate must be callable or None, got int"),
    "setattr(la.config, 'backend', {'matmul': 'numpi'})": (ValueError, "did you mean 'numpy'?"),
    "setattr(la.config, 'tuning', {})": (AttributeError, "config.tuning cannot be replaced"),
    "la.config.tuning['gemm.block_bytes'] = -1": (ValueError, "must be from 16384 to 4194304 bytes, got -1"),
    "la.backend('numpy', ops=3)": (TypeError, "backend: ops must be names of operations, got int"),
    # Devices, streams and engines.
    "la.device('gpu')": (ValueError, "there is no device 'gpu'; there are 'cpu', 'cpu:1'"),
    "la.zeros(3, device='cpu:9')": (ValueError, "there is no device 'cpu:9'; there are 'cpu', 'cpu:1'"),
    "v.to_device('cuda:77')": (ValueError, "there is no device 'cuda:77'"),
    "v.device = 'cpu:1'": (AttributeError, "attribute 'device' of 'numpy.ndarray' objects is not writable"),
    "la.Stream('cpu')": (TypeError, "Stream.__init__() takes 1 positional argument but 2 were given"),
    "la.runtime.Engine('threads')": (TypeError, "policy must be a Pool, ThreadPerDevice or Serial, got str"),
    "la.runtime.Pool('many')": (TypeError, "the threads of a pool must be an integer, got str"),
    "la.runtime.Pool(0)": (ValueError, "a pool needs a thread or more, not 0"),
    "la.runtime.add_virtual_device('cpu:2')": (TypeError, "latency must be a number, got str"),
    "setattr(la.config, 'num_threads', 'many')": (TypeError, "config.num_threads must be an integer, got str"),
    "setattr(la.config, 'num_threads', 0)": (ValueError, "config.num_threads must be at least 1, got 0"),
    "setattr(la.config, 'debug', 1)": (TypeError, "config.debug must be True or False, got int"),
    "setattr(la.config, 'small_work', 'later')": (ValueError, 'must be "auto", "wait" or "now", got \'later\''),
    # Evaluations.
    "forbidden(lambda: (m + 1).sum().item())": (la.EvaluationForbidden, "the value of add.reduce is needed"),
    "forbidden(lambda: [x for x in m + 1])": (la.EvaluationForbidden, "the value of add is needed"),
    "forbidden(lambda: la.evaluate(m + 1))": (la.EvaluationForbidden, "Look at values after the block"),
    "la.LazyArray([1, 2])": (TypeError, "a LazyArray is made by a function such as lazyarr.array"),
    "la.explain(v).save_html('/nonsense/x.html')": (FileNotFoundError, "/nonsense/x.html"),
    "la.delay(abs, v, shape=(2,), dtype=float).numpy()": (ValueError, "abs must return an array of shape (2,), got"),
    "la.delay(3, v, shape=(5,), dtype=float)": (TypeError, "delay: 3 is not callable"),
    "np.zeros(10**15).numpy()": (MemoryError, "Unable to allocate 7.11 PiB"),
    "np.take(v, i + 3).numpy()": (IndexError, "in take, created at <mistake>:1"),
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
    "la.grad(3)": (TypeError, "grad: f must be a function, got int"),
    "la.grad(lambda x: x.sum())()": (TypeError, "no argument 0 to differentiate by, the call has 0 arguments"),
    "la.grad(lambda x: x.sum(), argnums=1.5)": (TypeError, "grad: argnums must be an integer or several, got 1.5"),
    "la.grad(lambda x: (x.sum(), x))(v)": (TypeError, "grad: the function must return a lazy array, got tuple"),
    "la.grad(lambda x: (x > 0).sum())(v)": (TypeError, "grad: the function must return floats or complex numbers"),
    "la.grad(lambda x: x.sum(), has_aux=True)(v)": (TypeError, "with has_aux the function must return a pair"),
    "v.grad(m)": (TypeError, "grad: only one real number has a gradient, got shape (5,) of float64"),
    "v.sum().grad('x')": (TypeError, "grad: argument 0 must be a lazy array of floats, got str"),
    "v.sum().grad(m)": (ValueError, "grad: nothing leads from argument 0 to this number"),
    "la.vjp(lambda x: x, v)[1](m)": (ValueError, "vjp: the cotangent must have shape (5,), got (3, 4)"),
    "la.custom_vjp(3)": (TypeError, "custom_vjp: f must be a function, got int"),
    "la.custom_vjp(abs).defvjp(1, 2)": (TypeError, "custom_vjp of abs: forward must be a function, got int"),
    "la.checkpoint(3)": (TypeError, "checkpoint: f must be a function, got int"),
    "la.grad(lambda x: x)(v)": (TypeError, "grad: the function must return one real number, got shape (5,) of float64"),
    "la.grad(lambda x: x.sum())(la.arange(3))": (TypeError, "argument 0 must be of floats or complex numbers"),
    "la.grad(lambda x: x.sum(), argnums=3)(v)": (TypeError, "there is no argument 3 to differentiate by"),
    "la.vjp(lambda x: x, 'a')": (TypeError, "vjp: argument 0 must be of floats or complex numbers"),
    "la.jvp(lambda x: x, (v,), (m,))": (ValueError, "the tangent of argument 0 must have shape (5,), got (3, 4)"),
    "la.value_and_grad(lambda x: x)(v)": (TypeError, "value_and_grad: the function must return one real number"),
    "la.hessian(lambda x: x)(v)": (TypeError, "hessian: the function must return one real number, got shape (5,)"),
    "la.hessian(lambda x: x.sum())(la.arange(3))": (TypeError, "hessian: argument 0 must be of floats"),
    "la.hessian(lambda x: x.sum(), 3)(v)": (TypeError, "hessian: there is no argument 3 to differentiate by"),
    "la.laplacian(lambda x: x)(v)": (TypeError, "laplacian: the function must return one real number"),
    "la.laplacian(lambda x: x.sum())(la.arange(3))": (TypeError, "laplacian: argument 0 must be of floats"),
    "la.hvp(lambda x: x, (v,), (v,))": (TypeError, "hvp: the function must return one real number, got shape (5,)"),
    "la.hvp(lambda x: x.sum(), v, v)": (TypeError, "hvp: primals must be a tuple, one for each argument"),
    "la.hvp(lambda x: x.sum(), (v,), (m,))": (ValueError, "hvp: the tangent of argument 0 must have shape (5,)"),
    "la.jacobian(3)": (TypeError, "jacobian: f must be a function, got int"),
    "la.jacobian(lambda x: 3.0)(v)": (TypeError, "jacobian: the function must return a lazy array, got float"),
    "la.vjp(3, v)": (TypeError, "vjp: f must be a function, got int"),
    "la.jvp(3, (v,), (v,))": (TypeError, "jvp: f must be a function, got int"),
    # Traced functions.
    "la.vmap(3)": (TypeError, "vmap: f must be a function, got int"),
    "la.vmap(lambda x, y: x, in_axes=(0,))(v, v)": (ValueError, "vmap: in_axes has 1 items for 2 arguments"),
    "la.vmap(lambda x: x, in_axes=3)(v)": (ValueError, "vmap: argument 0 has no axis 3: its shape is (5,)"),
    "la.vmap(lambda x: x, in_axes=None)(v)": (ValueError, "vmap: no argument has an axis to go along"),
    "la.vmap(lambda x: np.unique(x))(m)": (la.TracedValueError, "a traced function cannot read values"),
    "la.scan(lambda c, x: c, v[0], v)": (TypeError, "must give the next state and what is collected, got LazyArray"),
    "la.scan(lambda c, x: (m, x), v[0], v)": (TypeError, "the state begins with shape () of float64, the function "
                                              "gives shape (3, 4) of float64"),
    "la.scan(lambda c, x: (c > 0, x), v[0], v)": (TypeError, "the function gives shape () of bool"),
    "la.scan(lambda c, x: (c, x), v[0])": (ValueError, "scan: without xs, length must be given"),
    "la.scan(lambda c, x: (c, x), v[0], [v, m])": (ValueError, "scan: xs[1] has length 3, where 5 is expected"),
    "la.scan(3, v[0], v)": (TypeError, "scan: f must be a function, got int"),
    "la.while_loop(True, lambda x: x, v)": (TypeError, "while_loop: cond must be a function, got bool"),
    "la.while_loop(lambda x: x, lambda x: x, v)": (TypeError, "the condition must give one boolean, got shape (5,)"),
    "la.fori_loop(0, 2.5, lambda n, x: x, v)": (TypeError, "fori_loop: upper must be one integer, got 2.5"),
    "la.fori_loop(0, 3, v, v)": (TypeError, "fori_loop: body must be a function, got LazyArray"),
    "la.cond(v[0] > 1, v, m)": (TypeError, "must be a function, got LazyArray"),
    "la.cond(v[0] > 1, lambda: v, lambda: m)": (TypeError, "g gives shape (3, 4) of float64, f gives shape (5,)"),
    "la.switch(1.5, [lambda: v])": (TypeError, "switch: the index must be one integer, got shape () of float64"),
    "la.switch(i[0], [v])": (TypeError, "switch: function 0 must be a function, got LazyArray"),
    # Graphs.
    "la.graph([x := la.var((3,), name='x')], x)()": (TypeError, "graph: nothing is assigned to 'x'"),
    "la.graph([x := la.var((3,), name='x')], x)(v, v)": (TypeError, "graph: takes 1 array, got 2"),
    "la.graph([x := la.var((3,), name='x')], x)(v)": (ValueError, "graph: input 'x' has shape (3,), got (5,)"),
    "la.graph([x := la.var((3,), 'i4', 'x')], x)(v)": (TypeError, "graph: input 'x' has dtype int32, got float64"),
    "la.graph([la.var((3,), name='x')], v)": (TypeError, "graph: output 0 must be a symbol, got LazyArray"),
    "la.graph([], la.var((3,), name='x') + 1)": (ValueError, "the outputs depend on <var 'x': of shape (3,), float64>"),
    "float(la.var((), name='x'))": (TypeError, "has no value: evaluate a graph of it (lazyarr.graph)"),
    "la.var((3,), name='x') + la.var((4,), name='y')": (ValueError, "could not be broadcast together with shapes (3,) "
                                                        "(4,)"),
    "la.symbolic.variable('x')": (TypeError, "variable: shape must be made of integers and None, got 'x'"),
    "la.vmap(lambda x: float(x))(v)": (la.TracedValueError, "a traced function cannot read values"),
    "la.vmap(lambda x: 1 if x > 0 else 2)(v)": (la.TracedValueError, "Branch with lazyarr.cond or where"),
    "la.vmap(lambda x, y: x)(la.ones(3), la.ones(4))": (ValueError, "argument 1 has length 4 along axis 0"),
    "la.while_loop(lambda x: x < 3, lambda x: bool(x), v[0])": (la.TracedValueError, "a traced function cannot read"),
    "la.cond(m, lambda: 1, lambda: 2)": (TypeError, "cond: the condition must be one boolean, got shape (3, 4)"),
    "la.jit(3)": (TypeError, "jit takes a function, got int"),
    # Layers.
    "la.nn.Linear(-3, 4)": (ValueError, "inputs must be positive, got -3"),
    "la.nn.Linear(3, 4, dtype=int)": (TypeError, "weight must be of floats or complex numbers, got int64"),
    "la.nn.Conv2d(3, 4, 3, groups=2)": (ValueError, "groups: 2 groups do not divide 3 inputs and 4 outputs"),
    "la.nn.Conv2d(3, 4, (3, 3, 3))": (ValueError, "window must be one number or one for each of 2 spatial axes"),
    "la.nn.max_pool2d(la.ones((1, 8, 8, 3)), 9)": (ValueError, "is larger than the padded input"),
    "la.nn.LayerNorm(3)(m)": (ValueError, "the last axes of x must have shape (3,), its shape is (3, 4)"),
    "la.nn.Embedding(3, 4)(v)": (TypeError, "Embedding: indices must be integers, got dtype float64"),
    "la.nn.GRU(3, 4)(v)": (ValueError, "GRU: x must have shape (batch, time, 3), not (5,)"),
    "la.nn.Sequential(la.nn.relu, 'relu')": (TypeError, "Sequential: layers must be callable, got str"),
    "la.nn.Layer()(v)": (NotImplementedError, "Layer does not define __call__"),
    "la.nn.Dropout('half')": (TypeError, "Dropout: rate must be a number, got str"),
    "la.nn.cross_entropy(m, la.array([0, 1]))": (ValueError, "and classes of shape (2,) do not fit"),
    "la.nn.mse_loss(m, m, reduction='avg')": (ValueError, "reduction must be 'mean', 'sum' or 'none', got 'avg'"),
    "la.nn.accuracy(m, v)": (ValueError, "accuracy: outputs of shape (3, 4) and targets of shape (5,) do not fit"),
    "la.nn.Adam(0.1, betas=0.9)": (TypeError, "Adam: betas must be a pair of numbers, got 0.9"),
    "la.nn.SGD(-1)": (ValueError, "SGD: rate must be finite and not negative, got -1"),
    "la.nn.load('/nonsense')": (FileNotFoundError, "/nonsense"),
    "la.nn.save('/nonsense/x', {'a': m})": (FileNotFoundError, "'/nonsense/x'"),
    "la.nn.Linear(3, 'x')": (TypeError, "outputs must consist of integers, got 'x'"),
    "la.nn.Linear(3, 4)(la.ones((2, 5)))": (ValueError, "x must have shape (..., 3)"),
    "la.nn.conv2d(m, m)": (ValueError, "x must have 4 axes, not 2"),
    "la.nn.Dropout(3)": (ValueError, "rate must be at least 0 and less than 1, got 3"),
    "la.nn.SGD(0.1).update({'a': m}, {'b': m})": (ValueError, "the gradient of parameter a is missing"),
    # Rules.
    "la.rules.add('add(x, 0)', 'x')": (ValueError, "name the dtypes that it holds for, each in `exact` or in `fast`"),
    "la.rules.remove('nonsense')": (ValueError, "no rule 'nonsense' was added"),
    # Returned values.
    "m.numpy().__setitem__(0, 1)": (ValueError, "assignment destination is read-only"),
    "la.symbolic.load_graph('/nonsense')": (FileNotFoundError, "/nonsense"),
}


@pytest.fixture(autouse=True)
def filtered():
    with la.config(traceback_filtering=True):
        yield


def variables(module):
    values = {"m": numpy.arange(12.0).reshape(3, 4), "v": numpy.arange(5.0), "s": numpy.ones((3, 3)),
              "i": numpy.arange(5), "z": numpy.array(3.0), "e": numpy.zeros((0,)), "locked": numpy.arange(4.0)}
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
    """Return the error that a statement raises, immediately or on evaluation."""
    names = variables(module)
    tree = ast.parse(statement)
    is_expression = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
    code = compile(statement, FILE, "eval" if is_expression else "exec")
    try:
        numpy.asarray(eval(code, names))
    except Exception as error:
        return error
    raise AssertionError(f"{statement} raises nothing")


def ends_at(error):
    """Return the file in which a printed traceback ends."""
    return traceback.extract_tb(error.__traceback__)[-1].filename


def test_each_missing_name_of_a_module_ends_at_the_users_line():
    for statement in ("np.lib.stride_trick", "np.lib.stride_trik"):
        assert ends_at(mistake(statement, lnp)) in (FILE, __file__)


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
