import numpy as np

FMA_WIDEST: int
fma: np.ufunc
OWN: dict[str, np.ufunc]

def make_fma(width: int) -> np.ufunc: ...
def ufunc_named(name: str) -> np.ufunc | None: ...
