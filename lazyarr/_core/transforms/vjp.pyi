from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr._core.transforms.vjp_rules import NotDifferentiable as NotDifferentiable
from lazyarr._core.transforms.vjp_rules import add_call_rule as add_call_rule
from lazyarr._core.transforms.vjp_rules import add_change_rule as add_change_rule
from lazyarr._core.transforms.vjp_rules import add_fold_rule as add_fold_rule
from lazyarr._core.transforms.vjp_rules import add_rule as add_rule
from lazyarr._core.transforms.vjp_rules import call_rule as call_rule
from lazyarr._core.transforms.vjp_rules import change_rule as change_rule
from lazyarr._core.transforms.watch import alias as alias
from lazyarr._core.transforms.watch import another as another
from lazyarr._core.transforms.watch import become as become
from lazyarr._core.transforms.watch import connect as connect
from lazyarr._core.transforms.watch import is_history_kept as is_history_kept
from lazyarr._core.transforms.watch import one as one
from lazyarr._core.transforms.watch import recording as recording
from lazyarr._core.transforms.watch import stop as stop

def pin(results: list[LazyArray], inputs: list[LazyArray]) -> None: ...
def pull_back(
    results: list[LazyArray], cotangents: list[LazyArray], inputs: list[LazyArray], cut: bool = False,
    leads: list[bool | None] | None = None
) -> list[LazyArray | None]: ...
