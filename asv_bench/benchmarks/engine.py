"""Pushes to the dependency engine: a thousand empty operations on ten variables, to completion."""
import ctypes

from lazyarr.runtime import Engine, NativeFunction, Pool, Serial


class Pushes:
    """By kind of function and policy."""

    params = (["native", "python"], ["pool", "serial"])
    param_names = ("function", "policy")

    def setup(self, function, policy):
        self.engine = Engine(Pool(2) if policy == "pool" else Serial())
        self.variables = [self.engine.new_variable() for _ in range(10)]
        native = NativeFunction(ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value)
        self.function = native if function == "native" else lambda: None

    def teardown(self, function, policy):
        self.engine.close()

    def time_thousand(self, function, policy):
        for k in range(1000):
            self.engine.push(self.function, (self.variables[k % 10],), (self.variables[(k + 7) % 10],))
        self.engine.wait_all()
