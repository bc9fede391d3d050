"""The IPython and Jupyter extension: after ``%load_ext lazyarr``, the NumPy of the cells is `lazyarr.numpy`.

Imports in cells and in the user's own files are redirected from now on, as by the runner. Names that cells imported
from NumPy before are rebound to their counterparts in `lazyarr.numpy`; existing arrays stay unchanged. The magic
`lazyarr` is included; ``%load_ext lazyarr.ipython`` loads the magic alone. IPython is imported only within functions
that its shell calls.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy

import lazyarr.numpy
from lazyarr import adapters, runner
from lazyarr.inspect.explain import explain
from lazyarr.inspect.fallback_report import report
from lazyarr.inspect.profile import profile

# Modules of NumPy with a lazy counterpart; the others are shared.
PAIRS = tuple((getattr(numpy, name), getattr(lazyarr.numpy, name)) for name in ("linalg", "fft", "random"))
PAIRS = ((numpy, lazyarr.numpy), *PAIRS)

_end_redirection: Callable[[], None] | None = None


def load(shell: Any) -> None:
    """Make the NumPy of the shell's cells lazy."""
    global _end_redirection
    if _end_redirection is not None:
        return

    def by_user(importer: Mapping[str, Any]) -> bool:
        # Ask each time, as the shell may replace its namespace.
        return importer is shell.user_ns or importer is shell.user_global_ns or \
            runner.is_users_own(importer.get("__file__"))

    _end_redirection = runner.redirect_imports(by_user)
    rebind(shell.user_ns, PAIRS)
    adapters.adapt_libraries()
    load_ipython_extension(shell)


def unload(shell: Any) -> None:
    """Undo `load`: names in the cells are rebound from `lazyarr.numpy` to NumPy."""
    global _end_redirection
    if _end_redirection is None:
        return
    _end_redirection()
    _end_redirection = None
    rebind(shell.user_ns, [(real, lazy) for lazy, real in PAIRS])
    unload_ipython_extension(shell)


def load_ipython_extension(shell: Any) -> None:
    """Add the magic ``lazyarr``, without changing the cells' NumPy; called by ``%load_ext lazyarr.ipython``."""
    shell.register_magic_function(Magic(shell).lazyarr, "line_cell", "lazyarr")


def unload_ipython_extension(shell: Any) -> None:
    """Remove the magic."""
    for kind in shell.magics_manager.magics.values():
        kind.pop("lazyarr", None)


USAGE = "%%lazyarr profile [trace file], %lazyarr profile statement, %lazyarr explain expression, or %lazyarr report"


class Magic:
    """The magic of a shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def lazyarr(self, line: str, cell: str | None = None) -> Any:
        """Profile a cell or a statement, explain an expression, or report what fell back to NumPy.

        ::

            %%lazyarr profile            run the cell, and show what was evaluated and where the time went
            %%lazyarr profile run.json   the same, and write a trace for chrome://tracing or ui.perfetto.dev
            %lazyarr profile statement   the same of a statement
            %lazyarr explain x + y       the steps that evaluating an expression would run, without running them
            %lazyarr report              what fell back to NumPy since the start

        The last expression of a profiled cell is its result, as without the magic, and is not evaluated for that: end
        the cell with ``x.numpy()`` to profile the evaluation of x. After an error, the profile up to it is shown.
        """
        __tracebackhide__ = True  # hides this frame in a cell's traceback
        task, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if task == "profile" and cell is not None:
            return self._profile(cell, rest)
        if task == "profile" and rest:
            return self._profile(rest, "")
        if task == "explain" and cell is None and rest:
            found = self._shell.ev(rest)
            return explain(*found) if isinstance(found, tuple) else explain(found)
        if task == "report" and cell is None and not rest:
            return report()
        from IPython.core.error import UsageError  # shown without a traceback

        raise UsageError(f"use {USAGE}")

    lazyarr._ipython_magic_output_can_be_silenced = True  # type: ignore[attr-defined]  # by a trailing semicolon

    def _profile(self, source: str, path: str) -> Any:
        """Run a cell, show its profile, even after an error, and return the value of its last expression."""
        from IPython.display import display

        __tracebackhide__ = True
        code, last = self._compiled(source)
        names = self._shell.user_ns
        try:
            with profile(trace=bool(path)) as collected:
                exec(code, names)
                return None if last is None else eval(last, names)
        finally:
            display(collected)
            if path:
                collected.save_trace(path)

    def _compiled(self, source: str) -> tuple[Any, Any]:
        """Compile a cell, separating the last expression if it ends with one."""
        shell = self._shell
        written = shell.transform_cell(source)
        tree = shell.transform_ast(shell.compile.ast_parse(written))
        number = len(shell.history_manager.input_hist_raw) - 1  # the cell's number; the shell's count may be one ahead
        name = shell.compile.cache(written, number, raw_code=source)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = shell.compile(ast.Expression(tree.body.pop().value), name, "eval")
        return shell.compile(tree, name, "exec"), last


def rebind(namespace: dict[str, Any], pairs: Iterable[tuple[ModuleType, ModuleType]]) -> None:
    """Rebind names of the first module of each pair to the second: the module itself and its functions.

    Examples
    --------
    >>> names = {"np": np, "tangent": np.tan, "pi": np.pi}
    >>> rebind(names, PAIRS)
    >>> names["np"].__name__, names["tangent"] is lazyarr.numpy.tan, names["pi"] is np.pi
    ('lazyarr.numpy', True, True)
    """
    for name, value in list(namespace.items()):
        if name.startswith("_"):  # the shell's own: inputs and outputs
            continue
        for source, target in pairs:
            if value is source:
                namespace[name] = target
            elif callable(value):
                known_as = getattr(value, "__name__", None)
                if isinstance(known_as, str) and getattr(source, known_as, None) is value:
                    namespace[name] = getattr(target, known_as)
