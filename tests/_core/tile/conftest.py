import pytest

import lazyarr as la
from lazyarr._core.host import tunables

SPLIT = ("threads.worthwhile_ns", "threads.worth_waking_ns")


@pytest.fixture(params=[1, 2, 3], ids=["1 thread", "2 threads", "3 threads"])
def threads(request):
    """So many threads, for the smallest step too."""
    before = {name: tunables.declared()[name].get() for name in SPLIT}
    for name in SPLIT:
        tunables.declared()[name].set(1e-3)
    with la.config(num_threads=request.param):
        yield request.param
    for name, value in before.items():
        tunables.declared()[name].set(value)
