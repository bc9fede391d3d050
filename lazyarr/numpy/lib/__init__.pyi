from typing import Any

# Every public name of numpy.lib, with NumPy's signature.
def __getattr__(name: str) -> Any: ...
