"""`lazyarr.evaluate`."""
from lazyarr._core.array import LazyArray

def evaluate(*arrays: LazyArray) -> None: ...
