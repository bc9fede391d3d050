"""Renamed modules: importing the old name raises an error with the new one.

Modules of the native core are not listed.
"""
import sys

# Old and new names, relative to the package.
_RENAMED = {
    "lazyarr":
        "graph:compiler tuning:autotune control.learning:tracing.capture nn.safe_json:safe_json "
        "nn.storage:serialization symbolic.jit:tracing.jit symbolic.surroundings:tracing.guards",
    "lazyarr.autodiff":
        "assignment_rules:assignment_vjps batch_rules:vmap_rules batching:vmap_transform "
        "composed_rules:composed_vjps fourier_rules:fourier_vjps linalg_rules:linalg_vjps "
        "eager_substitutes:composed_vjps product_rules:product_vjps recorded:composed_vjps rules:ufunc_vjps "
        "wrapped:callable_wrapper",
    "lazyarr.control":
        "at_rules:ufunc_at_vjp batched:loop_vmap fold_rules:reduce_vjp forms:signature_cache transposed:loop_vjp "
        "walks:cached_scan",
    "lazyarr.inspect":
        "drawing:graphviz events:observers memory:memory_report progress:progress_bar report:fallback_report "
        "steps:plan_view text:formatting",
    "lazyarr.nn":
        "activations:functional.activations attention:layers.attention checkpoint:train.checkpoint "
        "clipping:optim.clip containers:layers.containers convolution:functional.conv "
        "convolution_grad:grad convolutional:layers.conv dropout:layers.dropout "
        "embedding:layers.embedding encoding:functional.one_hot fitting:train.fit holding:layers.module_tree "
        "interruption:train.sigint layer:layers.base loader:train.data losses:functional.losses "
        "normalisation:functional.norm normalising:layers.norm optimiser:optim.base optimisers:optim.optimizers "
        "pooling:functional.pooling pooling_grad:grad recurrent:layers.rnn "
        "resampling:layers.pooling step:train.step tracedstep:train.compiled_step",
    "lazyarr.numpy":
        "cardinal:sinc_function composed:rebound_numpy_code draws:lazy_random frames:pandas_compat "
        "rows:record_scalars",
    "lazyarr.ops":
        "batches:vmap_helpers deferred:deferred_operands deferring:deferred_dispatch guarding:numpy_errors "
        "opaque:numpy_fallback registry:table sharing:shares_memory windowed:pooling_tables",
    "lazyarr.symbolic":
        "names:function_registry noting:recorder reading:load symbols:symbol writing:save",
}
NEW_NAMES = {f"{package}.{old}": f"{package}.{new}" for package, renamed in _RENAMED.items()
             for old, new in (pair.split(":") for pair in renamed.split())}
"""The present name of each module by its old one."""


def check_attribute(package: str, name: str) -> None:
    """Raise AttributeError if a module of a package had this name."""
    old = f"{package}.{name}"
    if old in NEW_NAMES:
        raise AttributeError(_explain(old), name=name, obj=sys.modules[package])


def check_import(old: str) -> None:
    """Raise ModuleNotFoundError if a module had this name."""
    if old in NEW_NAMES:
        # Leave the module's name out of the error, or `from lazyarr import tuning` would ignore it.
        raise ModuleNotFoundError(_explain(old))


def _explain(old: str) -> str:
    return f"{old} has been renamed: it is {NEW_NAMES[old]}"
