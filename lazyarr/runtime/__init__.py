"""The runtime's public face: an engine that runs functions in the order that their data demands.

    Engine                          runs functions once the variables that they read and mutate are free
    Variable, Operator              what it makes
    NativeFunction                  a C function to push
    OnComplete                      what an asynchronous function is given
    Policy, Pool, ThreadPerDevice, Serial   which threads run an engine's operations
    add_virtual_device              one more device

The engine is native, in `_core/runtime`: `engine`, `engine_queues`, `native_function` and `policies`.
`evaluation_future` is `lazyarr.evaluate_async`, which runs evaluations on an engine; `devices` is `lazyarr.devices` and
`lazyarr.device`.
"""
from lazyarr._core.runtime.engine import Engine, Operator
from lazyarr._core.runtime.engine_queues import OnComplete, Variable
from lazyarr._core.runtime.native_function import NativeFunction
from lazyarr._core.runtime.policies import Policy, Pool, Serial, ThreadPerDevice
from lazyarr.runtime.devices import add_virtual_device

__all__ = ["Engine", "NativeFunction", "OnComplete", "Operator", "Policy", "Pool", "Serial", "ThreadPerDevice",
           "Variable", "add_virtual_device"]
