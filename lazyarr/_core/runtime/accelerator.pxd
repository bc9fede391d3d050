"""Steps on a device with kernels of its own."""
from lazyarr._core.host.device_table cimport accelerates
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.device_fallback cimport HostRun
from lazyarr._core.runtime.status_words cimport StatusWords

cdef inline bint on_accelerator(Walk* w) noexcept:
    """Return whether an accelerator computes the walked graph, i.e. is the device of its last node, a root."""
    return w.count > 0 and (<Node>w.nodes[w.count - 1]).device > 0 \
        and accelerates((<Node>w.nodes[w.count - 1]).device)


cdef StatusWords status_words(Walk* w)
cdef list run_on_accelerator(Walk* w, Step step, list aliases, HostRun run_on_host, StatusWords words)
