"""Linear algebra as NumPy's steps around a decomposition, the only part that may run on the host."""
import numpy as np
import pytest

import lazyarr.numpy as lnp
from support.opencl_device import DEVICE, DRIVER, host_steps, there

RNG = np.random.default_rng(0)
M = RNG.random((5, 3))
ARRAYS = {"m": M, "w": M.T.copy(), "t": RNG.random((2, 4, 3)), "c": M + 1j * RNG.random((5, 3)), "f": M.astype("f"),
          "k": RNG.integers(-5, 5, (4, 4)), "d": np.outer(M[:, 0], M[:, 1]), "v": RNG.random(5),
          "y": RNG.random((5, 2)), "x": RNG.random(3), "z": np.zeros((3, 3)),
          "n": np.where(np.eye(3) > 0, np.nan, 1.0), "h": M @ M.T,
          "cy": RNG.random((5, 2)) + 1j, "fy": RNG.random((5, 2)).astype("f")}
LINES = """
linalg.svd:
pinv(m)
pinv(w)
pinv(t)
pinv(c)
pinv(f)
pinv(k)
pinv(d,1e-10)
pinv(m,rtol=None)
pinv(h,hermitian=True,rcond=1e-12)
pinv(t,rcond=[.1,.9])
pinv(z)
cond(m)
cond(t)
cond(f,-2)
cond(z)
cond(c,2)
matrix_rank(m)
matrix_rank(d)
matrix_rank(t,rtol=.5)
matrix_rank(t,.5)
matrix_rank(h,hermitian=True)
lstsq(m,v)
lstsq(m,y)
lstsq(w,x)
lstsq(f,fy)
lstsq(f,y)
lstsq(c,y)
lstsq(m,cy)
lstsq(k,k)
lstsq(d,y)
lstsq(m,v,rcond=.5)
lstsq(m,v,-1)
norm(m,2)
norm(m,-2)
norm(m,'nuc')
norm(t,2,axis=(1,2))
linalg.inv:
matrix_power(h+np.eye(5),-2)
linalg.cond:
cond(k,1)
:
matrix_power(k,3)
multi_dot([m,w,m,x])
"""


def cases():
    step = ""
    for line in LINES.split():
        if line.endswith(":"):
            step = line[:-1]
        else:
            yield pytest.param(line, [step] if step else [], id=line)


@pytest.mark.parametrize(("line", "steps"), list(cases()))
def test_only_the_decomposition_may_be_the_hosts(line, steps):
    put = {name: there(x) for name, x in ARRAYS.items()}
    host_steps()
    got = eval(f"np.linalg.{line}", {**put, "np": lnp})
    wanted = eval(f"np.linalg.{line}", {**ARRAYS, "np": np})
    several = isinstance(wanted, tuple)
    for made, expected in zip(got if several else [got], wanted if several else [wanted], strict=True):
        assert made.device == DEVICE
        assert (made.shape, made.dtype) == (np.shape(expected), np.asarray(expected).dtype)
        precision = 1e-4 if made.dtype.char in "fF" else 1e-9
        np.testing.assert_allclose(made.numpy(), expected, precision, precision)
    assert host_steps() == steps


@pytest.mark.parametrize("line", ["pinv(v)", "pinv(n)", "lstsq(m,x)", "pinv(m,1,rtol=2)", "cond(z[:0])",
                                  "matrix_rank(m,1,rtol=2)", "lstsq(t,v)"])
def test_errors_are_numpys(line):
    put = {name: there(x) for name, x in ARRAYS.items()}
    with pytest.raises(Exception) as wanted:    # noqa: PT011 - whatever NumPy raises
        eval(f"np.linalg.{line}", {**ARRAYS, "np": np})
    with pytest.raises(wanted.type) as got:
        eval(f"np.asarray(np.linalg.{line})", {**put, "np": lnp}).numpy()
    assert str(got.value) == str(wanted.value)
    DRIVER.host_steps.clear()
