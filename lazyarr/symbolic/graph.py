"""Graphs that are declared on variables and evaluated for arrays, again and again."""
import contextlib
import copy
import functools
import os
from collections import Counter
from collections.abc import Mapping

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.control import subgraph
from lazyarr._core.control.signature import settings
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.runtime.evaluation_lock import held
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves
from lazyarr.autotune import choices
from lazyarr.backends import choice
from lazyarr.backends.tuner import measure
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.control.tracing import Form, form_of
from lazyarr.inspect.explain import explain
from lazyarr.ops.operands import Foreign, LazyArray, lazy
from lazyarr.symbolic import graph_view
from lazyarr.symbolic.incremental import Incremental
from lazyarr.symbolic.program import Program, calls_below
from lazyarr.symbolic.recorder import HINT
from lazyarr.symbolic.save import stored
from lazyarr.symbolic.symbol import Symbol
from lazyarr.tracing.capture import TracedFunction
from lazyarr.user_files import replace_file


@api_boundary
def graph(inputs, outputs, name=None):
    """A graph from variables to what is computed of them, to be evaluated for arrays.

    Parameters
    ----------
    inputs : Symbol or sequence of Symbol
        Variables, each with a name of its own. One that has none gets that of its place, ``input0``.
    outputs : tree of Symbol
        What is computed: a symbol, or nested tuples, lists and dicts of symbols.
    name : str, optional
        By which errors and profiles call it.

    Returns
    -------
    Graph

    Raises
    ------
    TypeError
        For an input that is no variable, or an output that depends on none.
    ValueError
        If two variables have one name, or if outputs need a variable that is not among the inputs.

    See Also
    --------
    var, jit, load_graph

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> x, w = la.var((None, 2), name="x"), la.var((2,), name="w")
    >>> predict = la.graph([x, w], np.tanh(x @ w), "predict")
    >>> predict(x=np.zeros((3, 2)), w=np.ones(2))
    array([0., 0., 0.])
    """
    inputs = [inputs] if isinstance(inputs, Symbol) else list(inputs)
    for x in inputs:
        if not isinstance(x, Symbol) or x._call is not None:
            raise TypeError(f"graph: inputs must be variables, made by lazyarr.var; got {x!r}")
    names = [f"input{k}" if x.name is None else x.name for k, x in enumerate(inputs)]
    for x, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"graph: two inputs have the name {x!r}")
    for k, y in enumerate(leaves(outputs)):
        if not isinstance(y, Symbol):
            raise TypeError(f"graph: output {k} must be a symbol, got {type(y).__name__}, which depends on no variable")
    if not leaves(outputs):
        raise ValueError("graph: there are no outputs")
    calls, variables = calls_below(outputs)
    given = {x._storage for x in inputs}
    missing = [x for x in variables if x._storage not in given]
    if missing:
        raise ValueError(f"graph: the outputs depend on {missing[0]!r}, which is not among the inputs")
    return Graph(Program(inputs, calls, outputs), names, "graph" if name is None else str(name))


@api_boundary
class Graph:
    """A graph that is evaluated for arrays, returned by `graph` and `load_graph`.

    Calling it with arrays, by place or by name, gives its outputs as lazy arrays. `assign` and `evaluate` do so in two
    steps, and what does not depend on what was assigned since the last evaluation is not computed again.

    Arrays that take part besides the inputs, the parameters of a layer say, have the values that they have at each
    evaluation, unless they are frozen. Random numbers are drawn anew by each, where what draws them is given a symbol
    or the shape of one; those of an array that was drawn beforehand are its values.

    Attributes
    ----------
    name : str
    inputs : tuple of str
        The names of the variables.
    """

    def __init__(self, program, names, name, backend=None):
        self.name, self.inputs = name, tuple(names)
        self._program = program
        self._backend = backend     # what `choice.checked` gives, None for `config.backend`
        self._forms = {name: (x.dtype, tuple(x.shape)) for name, x in zip(names, program.inputs, strict=True)}
        self._cache = SignatureCache()   # of the inputs: graphs
        self._assigned = {}     # by name
        self._incremental = None
        self._frozen = None

    def __copy__(self):
        """Another with the same arrays that take part."""
        made = Graph(self._program, self.inputs, self.name, self._backend)
        made._assigned, made._frozen = dict(self._assigned), self._frozen
        return made

    def __repr__(self):
        forms = ", ".join(f"{name}: {_form_text(x)}" for name, x in zip(self.inputs, self._program.inputs, strict=True))
        backend = "" if self._backend is None else f", backend {self.backend}"
        return f"<graph {self.name}({forms}){backend}>"

    def _repr_html_(self):
        return graph_view.as_html(self)

    @property
    def backend(self):
        """What `build` was given, a name or a dict by operations; None if that was nothing."""
        return None if self._backend is None else choice.as_choice(self._backend)

    def __call__(self, /, *args, **kwargs):
        """The outputs for arrays, as lazy arrays in the form in which they were declared.

        Raises
        ------
        TypeError
            If an input is not given, is given twice, or has another dtype; for a name that no input has.
        ValueError
            For an array of another shape.
        """
        arrays = self._arrays({**self._assigned, **self._named(args, kwargs)})
        return self._traced(arrays)(arrays)

    def assign(self, /, *args, **kwargs):
        """Assign arrays to some inputs, which keep them until they are assigned again.

        Raises
        ------
        TypeError, ValueError
            As of a call; nothing is assigned then.
        """
        given = self._named(args, kwargs)
        self._assigned |= {name: self._checked(name, x) for name, x in given.items()}

    def evaluate(self):
        """The outputs for what is assigned, evaluated; only what depends on what has changed since then is computed.

        Raises
        ------
        TypeError
            If an input is not assigned.
        """
        arrays = self._arrays(self._assigned)
        traced = self._traced(arrays)
        if self._incremental is None or self._incremental.traced is not traced:
            self._incremental = Incremental(traced)
        found = self._incremental(arrays)
        evaluate(*leaves(found))
        return found

    def explain(self, /, *args, **kwargs):
        """Explain the steps of an evaluation without running it; see `lazyarr.explain`.

        Parameters
        ----------
        *args, **kwargs
            Arrays for inputs. For those that are not given, and not assigned, an array of the declared form takes part,
            with extents of its own for those that are not known.

        Returns
        -------
        Explanation
        """
        arrays = self._examples(self._named(args, kwargs))
        traced = self._traced(arrays)
        made = subgraph.instantiate(traced.graph, traced.operands(arrays))
        with held(), traced.within() if traced.within else contextlib.nullcontext():
            return explain(*made[:len(leaves(self._program.outputs))])

    def build(self, inputs=(), /, *, backend=None):
        """Compile the graph ahead of time, and fix the backends of its calls.

        Parameters
        ----------
        inputs : sequence or mapping
            Arrays for inputs, by place or by name, for whose forms it is compiled. Inputs that are neither given nor
            assigned have the declared form, with extents of its own for those that are not known. Arrays of other forms
            can be evaluated later: the graph is traced again for them, and mostly has the same plan.
        backend : str or mapping, optional
            What `config.backend` is during evaluations of the graph, whatever it is outside: a name, or a mapping of
            operations to names. Operations that a mapping does not name are computed as where nothing is asked for. By
            default `config.backend` holds, or what the graph was built for before.

        Returns
        -------
        Graph
            Another one, to which the same arrays are assigned.

        Raises
        ------
        ValueError
            For a backend or an operation that is not known.
        TypeError, ValueError
            As of a call, for arrays of other forms.

        See Also
        --------
        lazyarr.backend, autotune

        Notes
        -----
        `lazyarr.backends.measure` does not measure calls whose backend is fixed. Derivatives of results are computed by
        `config.backend`; those among the outputs are a part of the graph.

        Examples
        --------
        >>> import numpy as np
        >>> import lazyarr as la
        >>> x = la.var((None, 64), name="x")
        >>> g = la.graph(x, x @ np.ones((64, 32)), "project").build(backend="numpy")
        >>> g
        <graph project(x: float64[?, 64]), backend numpy>
        >>> with la.backend("native"):
        ...     print(g.explain().steps[0].operations)
        ('matmul [numpy]',)
        """
        made = copy.copy(self)
        if backend is not None:
            made._backend = choice.checked(backend)
        made._traced(made._examples(made._given(inputs))).call.prepare()
        return made

    def autotune(self, inputs=(), /, seconds=0.1, save=True):
        """Measure the backends of each call on arrays like these, and use the fastest from then on.

        What has been measured, in this process or an earlier one, is not measured again.

        Parameters
        ----------
        inputs : sequence or mapping
            Arrays for inputs, by place or by name. Those that are not given must be assigned.
        seconds : float
            The budget of a call.
        save : bool
            Whether later processes use what was found, too: it is written to the file of ``lazyarr tune``.

        Returns
        -------
        dict of str to dict of str to float
            Of each call that was measured, the least seconds by backend.

        Raises
        ------
        OSError
            If the file cannot be written; what was found is used all the same.

        See Also
        --------
        lazyarr.backends.measure

        Examples
        --------
        >>> import numpy as np
        >>> import lazyarr as la
        >>> x = la.var((None, 64), name="x")
        >>> g = la.graph(x, x @ np.ones((64, 32)))
        >>> [sorted(taken) for taken in g.autotune([np.ones((200, 64))], 0.01, save=False).values()]
        [['native', 'numpy']]
        >>> g.autotune([np.ones((200, 64))])
        {}
        >>> la.backends.forget()
        """
        made = leaves(self(**self._given(inputs)))
        with measure(seconds) as found:
            evaluate(*made)
        if save and found:
            choices.save()
        return found

    def stats(self):
        """How many nodes and edges the graph has as it was declared and after each pass, and how many steps.

        Returns
        -------
        dict of str to (int, int)
            ``built``, the passes by name in their order; ``steps``, and what these read.

        Examples
        --------
        >>> import numpy as np
        >>> import lazyarr as la
        >>> x = la.var((3,), name="x")
        >>> la.graph(x, np.exp(x) + np.exp(x)).stats()
        {'built': (4, 4), 'simplify': (3, 3), 'repeats': (3, 3), 'beside': (3, 3), 'steps': (1, 1)}
        """
        return self.explain().stats()

    def to_dot(self):
        """The steps of an evaluation as a drawing in Graphviz's language: see `explain`."""
        return self.explain().to_dot()

    def freeze(self):
        """Keep the present values of arrays that take part besides the inputs, whatever becomes of these arrays.

        Raises
        ------
        ValueError
            If the graph writes to one of them.
        """
        forms = [form_of(x.placeholder(HINT)) for x in self._program.inputs]
        traced = TracedFunction(self.name, self._program.run, forms)
        if traced.changed:
            raise ValueError(f"{self.name}: it writes to an array that would be frozen")
        self._frozen, self._incremental = [(x, vjp.another(x)) for x in traced.outside], None
        self._cache.clear()

    def save(self, path):
        """Write the graph to a file, which `load_graph` reads.

        What is stored are the calls by which the outputs were declared, arrays that take part besides the inputs with
        their values, the names of backends that it was built for, and no code. A new file takes the place of the one
        before when all of it is on the disk. Pickled, and by `copy.deepcopy`, a graph is taken apart in the same way;
        what was assigned stays assigned.

        Parameters
        ----------
        path : path_like

        Raises
        ------
        TypeError
            If a call has a Python function or another object among its arguments, or is one of a layer that does more
            than call functions; for outputs or arguments that are nested more than some ninety deep.
        """
        replace_file(os.fspath(path), self.parts()[0])

    def parts(self):
        """The state of a copy: the content of a file, and assigned arrays."""
        return stored(self._program, self.inputs, self.name, self._frozen, self._backend), self._assigned

    # ---- what is given

    def _given(self, inputs):
        """What a sequence or a mapping has for inputs, by name."""
        return self._named((), inputs) if isinstance(inputs, Mapping) else self._named(inputs, {})

    def _named(self, args, kwargs):
        if len(args) > len(self.inputs):
            raise TypeError(f"{self.name}: takes {len(self.inputs)} arrays, got {len(args)}")
        given = dict(zip(self.inputs, args, strict=False))
        for name in kwargs:
            if name not in self.inputs:
                raise TypeError(f"{self.name}: there is no input {name!r}; the inputs are {', '.join(self.inputs)}")
            if name in given:
                raise TypeError(f"{self.name}: input {name!r} is given twice")
        return given | kwargs

    def _arrays(self, given):
        missing = [repr(name) for name in self.inputs if name not in given]
        if missing:
            raise TypeError(f"{self.name}: nothing is assigned to {', '.join(missing)}")
        return [self._checked(name, given[name]) for name in self.inputs]

    def _examples(self, given):
        """What is given or assigned, and arrays of the declared form for other inputs."""
        given = self._assigned | given
        return [self._checked(name, given[name]) if name in given else
                core.from_numpy(np.empty(x.placeholder(HINT).shape, x.dtype))
                for name, x in zip(self.inputs, self._program.inputs, strict=True)]

    def _checked(self, name, x):
        """What is given for an input as an array of its dtype; numbers and lists are converted."""
        dtype, shape = self._forms[name]
        if isinstance(x, LazyArray | np.ndarray | np.generic):
            if x.dtype != dtype:
                raise TypeError(f"{self.name}: input {name!r} has dtype {dtype}, got {x.dtype}")
        else:
            try:
                made = np.asarray(x)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"{self.name}: input {name!r} is no array: {error}") from None
            if not np.can_cast(made.dtype, dtype, "same_kind"):
                raise TypeError(f"{self.name}: input {name!r} has dtype {dtype}, got {made.dtype}")
            x = made.astype(dtype)
        if x.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, x.shape, strict=True)):
            raise ValueError(f"{self.name}: input {name!r} has shape {shape}, got {x.shape}")
        try:
            return vjp.another(core.unscalar(lazy(x)))  # to which the graph may write
        except Foreign:
            raise TypeError(f"{self.name}: input {name!r} is an array of another kind, {type(x).__name__}") from None

    def _traced(self, arrays):
        """The graph for arrays like these."""
        key = *settings(), *[x.shape for x in arrays]
        traced = self._cache.take(key)
        if traced is None or not traced.fits():
            forms = [Form(x.shape, x.dtype) for x in arrays]
            within = None if self._backend is None else functools.partial(choice.fixed, self._backend)
            traced = TracedFunction(self.name, self._program.run, forms, self._frozen, within)
        self._cache.put(key, traced)
        return traced


def _form_text(x):
    return f"{x.dtype}{list(x.shape)}".replace("None", "?")
