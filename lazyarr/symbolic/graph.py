"""Symbolic graphs: declared on variables once, evaluated for arrays many times."""
import contextlib
import copy
import functools
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.control import subgraph
from lazyarr._core.control.signature import settings
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.suggestions import did_you_mean
from lazyarr._core.runtime.evaluation_lock import held
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves
from lazyarr.autotune import choices
from lazyarr.backends import choice
from lazyarr.backends.tuner import measure
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.control.tracing import Form, form_of
from lazyarr.inspect.explain import Explanation, explain
from lazyarr.ops.operands import Foreign, LazyArray, lazy
from lazyarr.symbolic import graph_view
from lazyarr.symbolic.incremental import Incremental
from lazyarr.symbolic.program import Program, calls_below
from lazyarr.symbolic.recorder import HINT
from lazyarr.symbolic.save import stored
from lazyarr.symbolic.symbol import Symbol
from lazyarr.tracing.capture import TracedFunction
from lazyarr.user_files import replace_file

Operand: TypeAlias = LazyArray | npt.ArrayLike
Arrays: TypeAlias = Sequence[Operand] | Mapping[str, Operand]
"""For inputs, by position or by name."""


@api_boundary
def graph(inputs: Symbol | Sequence[Symbol], outputs: Any, name: str | None = None) -> "Graph":
    """Declare a graph from variables to expressions of them, to be evaluated for arrays.

    Parameters
    ----------
    inputs : Symbol or sequence of Symbol
        Variables with different names. A variable without a name is called by its position, ``input0``.
    outputs : tree of Symbol
        The expressions: a symbol, or nested tuples, lists and dicts of symbols.
    name : str, optional
        The name of the graph in errors and profiles.

    Returns
    -------
    Graph

    Raises
    ------
    TypeError
        If an input is not a variable, or an output depends on none.
    ValueError
        If two variables have the same name, or an output depends on a variable that is not among the inputs.

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
    for used, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"graph: two inputs have the name {used!r}")
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
    """A graph to be evaluated for arrays, returned by `graph` and `load_graph`.

    Call it with arrays, by position or by name, to get its outputs as lazy arrays. `assign` and `evaluate` do so in two
    steps, and recompute only what depends on inputs assigned since the last evaluation.

    Each evaluation reads the current values of other arrays in the graph, such as the parameters of a layer, unless
    they are frozen. It draws new random numbers in calls that take a symbol or the shape of one; arrays that were drawn
    beforehand keep their values.

    Attributes
    ----------
    name : str
    inputs : tuple of str
        The names of the variables.
    """

    def __init__(self, program: Program, names: Iterable[str], name: str, backend: Any = None) -> None:
        self.name: str = name
        self.inputs: tuple[str, ...] = tuple(names)
        self._program = program
        self._backend = backend     # what `choice.checked` gives, None for `config.backend`
        self._forms = {name: (x.dtype, tuple(x.shape)) for name, x in zip(names, program.inputs, strict=True)}
        self._cache = SignatureCache()  # of TracedFunction
        self._assigned: dict[str, LazyArray] = {}
        self._incremental: Incremental | None = None
        self._frozen: list[tuple[Any, LazyArray]] | None = None

    def __copy__(self) -> "Graph":
        """Return a copy that shares the arrays in the graph."""
        made = Graph(self._program, self.inputs, self.name, self._backend)
        made._assigned, made._frozen = dict(self._assigned), self._frozen
        return made

    def __repr__(self) -> str:
        forms = ", ".join(f"{name}: {_form_text(x)}" for name, x in zip(self.inputs, self._program.inputs, strict=True))
        backend = "" if self._backend is None else f", backend {self.backend}"
        return f"<graph {self.name}({forms}){backend}>"

    def _repr_html_(self) -> str:
        return graph_view.as_html(self)

    @property
    def backend(self) -> str | dict[str, str] | None:
        """The backend chosen by `build`: a name, a dict by operation, or None."""
        return None if self._backend is None else choice.as_choice(self._backend)

    def __call__(self, /, *args: Operand, **kwargs: Operand) -> Any:
        """Compute the outputs for arrays, given by position or by name.

        Returns
        -------
        tree of LazyArray
            The outputs, in the structure in which they were declared.

        Raises
        ------
        TypeError
            If an input is missing, is given twice, or has another dtype; for a name that no input has.
        ValueError
            If an array has another shape.
        """
        arrays = self._arrays({**self._assigned, **self._named(args, kwargs)})
        return self._traced(arrays)(arrays)

    def assign(self, /, *args: Operand, **kwargs: Operand) -> None:
        """Assign arrays to some inputs, which keep them until the next assignment.

        Raises
        ------
        TypeError, ValueError
            As for a call; nothing is assigned then.
        """
        given = self._named(args, kwargs)
        self._assigned |= {name: self._checked(name, x) for name, x in given.items()}

    def evaluate(self) -> Any:
        """Evaluate the outputs for the assigned arrays; recompute only what depends on changes since the last time.

        Returns
        -------
        tree of LazyArray
            The outputs, evaluated.

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

    def explain(self, /, *args: Operand, **kwargs: Operand) -> Explanation:
        """Explain the steps of an evaluation without running it; see `lazyarr.explain`.

        Parameters
        ----------
        *args, **kwargs
            Arrays for inputs. Inputs that are neither given nor assigned get an array of the declared shape and dtype,
            with example values for unknown extents.

        Returns
        -------
        Explanation
        """
        arrays = self._examples(self._named(args, kwargs))
        traced = self._traced(arrays)
        made = subgraph.instantiate(traced.graph, traced.operands(arrays))
        with held(), traced.within() if traced.within else contextlib.nullcontext():
            return explain(*made[:len(leaves(self._program.outputs))])

    def build(self, inputs: Arrays = (), /, *, backend: str | Mapping[str, str] | None = None) -> "Graph":
        """Compile the graph ahead of time, and fix the backends of its calls.

        Parameters
        ----------
        inputs : sequence or mapping
            Arrays for inputs, by position or by name; the graph is compiled for their shapes. Inputs that are neither
            given nor assigned have the declared shape, with example values for unknown extents. The graph can still be
            evaluated for other shapes: it is traced again, and usually has the same plan.
        backend : str or mapping, optional
            The value of `config.backend` in evaluations of this graph: a name, or a mapping of operations to names.
            Operations that the mapping does not name use the default. By default `config.backend` applies, or the
            backend of an earlier `build`.

        Returns
        -------
        Graph
            A new graph, with the same arrays assigned.

        Raises
        ------
        ValueError
            For an unknown backend or operation.
        TypeError, ValueError
            As for a call, if an array does not match its input.

        See Also
        --------
        lazyarr.backend, autotune

        Notes
        -----
        `lazyarr.backends.measure` does not measure calls whose backend is fixed. Derivatives of results use
        `config.backend`; derivatives among the outputs are part of the graph.

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

    def autotune(self, inputs: Arrays = (), /, seconds: float = 0.1, save: bool = True) -> dict[str, dict[str, float]]:
        """Measure the backends of each call on arrays like these, and use the fastest from then on.

        Calls that were measured before, in this process or an earlier one, are not measured again.

        Parameters
        ----------
        inputs : sequence or mapping
            Arrays for inputs, by position or by name. Inputs that are not given must be assigned.
        seconds : float
            The time budget of each call.
        save : bool
            Whether to write the result to the file of ``lazyarr tune``, for later processes.

        Returns
        -------
        dict of str to dict of str to float
            For each measured call, the least time in seconds by backend.

        Raises
        ------
        OSError
            If the file cannot be written; this process uses the result all the same.

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

    def stats(self) -> dict[str, tuple[int, int]]:
        """Count nodes and edges of the graph as declared and after each compiler pass, and its steps.

        Returns
        -------
        dict of str to (int, int)
            Nodes and edges, for ``built`` and for each pass by name; for ``steps``, the steps and their operands.

        Examples
        --------
        >>> import numpy as np
        >>> import lazyarr as la
        >>> x = la.var((3,), name="x")
        >>> la.graph(x, np.exp(x) + np.exp(x)).stats()
        {'built': (4, 4), 'simplify': (3, 3), 'repeats': (3, 3), 'beside': (3, 3), 'steps': (1, 1)}
        """
        return self.explain().stats()

    def to_dot(self) -> str:
        """Draw the steps of an evaluation, as text in Graphviz's language; see `explain`."""
        return self.explain().to_dot()

    def freeze(self) -> None:
        """Freeze the current values of all other arrays in the graph; later writes to them have no effect on it.

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file, which `load_graph` reads.

        The file contains the recorded calls by name, the values of arrays in the graph, and the names of backends
        chosen by `build`; it contains no code. An existing file is replaced only when the new one is complete. Graphs
        can also be pickled and copied by `copy.deepcopy`, which keep assigned arrays.

        Parameters
        ----------
        path : path_like

        Raises
        ------
        TypeError
            If a call has a Python function or another object among its arguments, or is that of a layer that does more
            than call functions; if outputs or arguments are nested deeper than about ninety levels.
        """
        replace_file(os.fspath(path), self.parts()[0])

    def parts(self) -> tuple[bytes, dict[str, LazyArray]]:
        """Return the state of a copy: the content of a file, and the assigned arrays."""
        return stored(self._program, self.inputs, self.name, self._frozen, self._backend), self._assigned

    # ---- arrays for inputs

    def _given(self, inputs):
        """Return the arrays of a sequence or a mapping by input name."""
        return self._named((), inputs) if isinstance(inputs, Mapping) else self._named(inputs, {})

    def _named(self, args, kwargs):
        if len(args) > len(self.inputs):
            wanted = f"{len(self.inputs)} array{'' if len(self.inputs) == 1 else 's'}"
            raise TypeError(f"{self.name}: takes {wanted}, got {len(args)}")
        given = dict(zip(self.inputs, args, strict=False))
        for name in kwargs:
            if name not in self.inputs:
                hint = did_you_mean(name, self.inputs) or f"; the inputs are {', '.join(self.inputs)}"
                raise TypeError(f"{self.name}: there is no input {name!r}{hint}")
            if name in given:
                raise TypeError(f"{self.name}: input {name!r} is given twice")
        return given | kwargs

    def _arrays(self, given):
        missing = [repr(name) for name in self.inputs if name not in given]
        if missing:
            raise TypeError(f"{self.name}: nothing is assigned to {', '.join(missing)}")
        return [self._checked(name, given[name]) for name in self.inputs]

    def _examples(self, given):
        """Return given or assigned arrays, and for other inputs arrays of the declared shape and dtype."""
        given = self._assigned | given
        return [self._checked(name, given[name]) if name in given else
                core.from_numpy(np.empty(x.placeholder(HINT).shape, x.dtype))
                for name, x in zip(self.inputs, self._program.inputs, strict=True)]

    def _checked(self, name, x):
        """Return an argument as a LazyArray of the input's dtype; numbers and lists are converted."""
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
        """Return the traced graph for arrays of these shapes."""
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
