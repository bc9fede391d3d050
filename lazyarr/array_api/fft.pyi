from typing import Any

# Every public name of numpy.fft, with the signature of the array API standard.
def __getattr__(name: str) -> Any: ...
