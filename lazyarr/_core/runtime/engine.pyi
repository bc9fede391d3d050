from collections.abc import Callable, Hashable, Sequence
from types import TracebackType
from typing import Self

from lazyarr._core.runtime.engine_queues import OnComplete, Variable
from lazyarr._core.runtime.native_function import NativeFunction
from lazyarr._core.runtime.policies import Policy

class Operator:
    function: object
    read: tuple[Variable, ...]
    mutate: tuple[Variable, ...]
    lane: Hashable
    asynchronous: bool
    def __init__(
        self, function: object, read: tuple[Variable, ...], mutate: tuple[Variable, ...], lane: Hashable,
        asynchronous: bool
    ) -> None: ...

_Pushed = Callable[[], object] | Callable[[OnComplete], object] | NativeFunction

class Engine:
    def __new__(cls, policy: Policy | None = None, *, budget: int | None = None) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    @property
    def policy(self) -> Policy: ...
    @property
    def pending(self) -> int: ...
    def new_variable(self, name: object = None) -> Variable: ...
    def new_operator(
        self,
        fn: _Pushed,
        read: Sequence[Variable] = (),
        mutate: Sequence[Variable] = (),
        *,
        lane: Hashable = None,
        asynchronous: bool = False,
    ) -> Operator: ...
    def push(
        self,
        fn: _Pushed | Operator,
        read: Sequence[Variable] = (),
        mutate: Sequence[Variable] = (),
        *,
        priority: int = 0,
        lane: Hashable = None,
        nbytes: int = 0,
        asynchronous: bool = False,
    ) -> None: ...
    def delete_variable(self, variable: Variable, fn: Callable[[], object] | NativeFunction | None = None) -> None: ...
    def wait(self, variable: Variable) -> None: ...
    def wait_all(self) -> None: ...
    def close(self) -> None: ...
