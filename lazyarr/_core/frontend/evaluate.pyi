"""`lazyarr.evaluate`."""
from lazyarr._core.frontend.lazy_array import LazyArray

def evaluate(*arrays: LazyArray) -> None: ...
