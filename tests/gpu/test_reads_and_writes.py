"""Reads and writes through keys of all kinds on a device, `choose`, `put` and so on, against NumPy."""

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from support.opencl_device import DEVICE, DRIVER, there

RNG = np.random.default_rng(5)
A = RNG.random((5, 6, 4))
ROWS, K, B = np.array([2, 0, -2]), RNG.integers(0, 4, (3, 2)), A[..., 0] > 0.5
ARRAYS = {"a": A, "m": A[0], "i": ROWS, "k": K, "b": B, "n": RNG.integers(-9, 9, (4, 3)),
          "f": np.asfortranarray(A[..., 1]), "sq": A[:4, :4, 1].copy(), "w": A[..., 2].T.copy(),
          "v": A[1, :5, 0].copy()}

READS = """
a[i,2]
a[2,i]
a[i,2,1]
a[i,None]
a[:,None,i]
a[i,None,i]
a[i,:,2]
a[i,:,2:,None]
a[k.T]
a[k.T,k.T%5]
a[k.T,k.T%5,k.T%4]
a[k,k.T[:1].T%5,1]
a[i[0]]
a[i[0],i[1]]
a[i[0],i[1],i[2]]
a[i[0],1,i[2],...]
a[i[:1],...,None,2]
a.T[i,...,2,None]
a[k.T,:,k.T%4]
a[k.T,:,1]
np.take(a,3)
np.take(a,i[0])
np.take(a,i[0],axis=1)
np.take(a,77,mode='wrap')
np.take(a,-700,mode='clip')
np.take(a[0,0],2)
np.choose(b*1,[a[...,0],2.5])
np.choose(k,[k*0,k*10,k*3,[7,8]])
np.choose(k,a[:4,:2,0])
np.choose(k-7,[k*0,k*10,k*3,[7,8]],mode='wrap')
np.choose(k-1,[k*0,k*10.,k*3,300],mode='clip')
np.choose(b*1,[a[...,0],1j])
np.choose(k[0,0],[a[0,0],a[0,1],1,2])
""".split()

WRITES = """
np.put(r,i,9)
np.put(r,k,k*2.5)
np.put(r,k,[1,2])
np.put(r,[0,5,-1],i)
np.put(r,i*100,i,mode='wrap')
np.put(r,i*100,i,'clip')
np.put(r,b,[7,8])
np.put(r,[1,1,1],[1,2,3])
np.put(r.T,k,k*2.5)
np.put(r,k,[])
np.put(r,i,r[0])
np.place(r,b,[1,2,3])
np.place(r,b.T,k)
np.place(r,b,5)
np.place(r,b*2,[4,5])
np.putmask(r,b,[1,2,3])
np.putmask(r,b,r.T)
np.putmask(r,b,r[::-1])
np.putmask(r,b.T,i)
np.putmask(r,b,-r)
np.copyto(r,7,where=b)
np.copyto(r,r[0],where=b[:,:1])
np.copyto(r,i[0],where=b)
np.fill_diagonal(r,[1,2])
np.fill_diagonal(r,v)
np.fill_diagonal(r,v.max())
np.fill_diagonal(r,3.5)
np.fill_diagonal(r.T,i,wrap=False)
np.put_along_axis(r,r.argsort(1,kind='stable')[:,:2],v[:,None],1)
np.put_along_axis(r,r.argmax(0)[None],5,0)
np.put_along_axis(r,[[0,0]],r[:,:2],1)
np.put_along_axis(r,np.argsort(r,0,'stable'),r,0)
r[i,2]=4
r[i,1:]=r[0,1:]
r[k%3,k]=k*1.5
r[2,i]=i
""".split()


def outcome(line, namespace, arrays):
    try:
        if "r" not in arrays:
            return eval(line, {**arrays, "np": namespace})
        exec(line, {**arrays, "np": namespace})
        return arrays["r"]
    except Exception as error:
        return error


def check(line, **more):
    given = {name: x.copy(order="K") for name, x in {**ARRAYS, **more}.items()}
    put = {name: la.array(x).to_device(DEVICE) for name, x in {**ARRAYS, **more}.items()}
    DRIVER.host_steps.clear()
    wanted, got = outcome(line, np, given), outcome(line, lnp, put)
    if isinstance(wanted, Exception):
        assert (type(got), str(got)) == (type(wanted), str(wanted))
        return
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), wanted, strict=True)
    assert got.flags.c_contiguous == np.asarray(wanted).flags.c_contiguous
    assert not DRIVER.host_steps


def check_error(line, **more):
    given, put = {**ARRAYS, **more}, {name: la.array(x).to_device(DEVICE) for name, x in {**ARRAYS, **more}.items()}
    wanted, got = outcome(line, np, given), outcome(line, lnp, put)
    assert isinstance(wanted, Exception)
    if not isinstance(got, Exception):
        with pytest.raises(type(wanted)) as caught:
            got.numpy()
        got = caught.value
    assert (type(got), str(got)) == (type(wanted), str(wanted))


@pytest.mark.parametrize("line", READS)
def test_reads(line):
    check(line)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("line", WRITES)
def test_writes(line):
    check(line, r=A[..., 3].copy())
    check(line, r=(A[..., 3] * 20).astype("i2"))


@pytest.mark.parametrize("line", ["np.fill_diagonal(r,[1,2],True)", "np.fill_diagonal(r,v,True)",
                                  "np.fill_diagonal(r,1j,True)"])
@pytest.mark.parametrize("name", ["w", "f", "sq"])
def test_diagonals_that_wrap(name, line):
    check(line, r=ARRAYS[name].copy())


def test_a_diagonal_of_four_axes():
    check("np.fill_diagonal(r,[1,2,3,4,5])", r=np.zeros((3, 3, 3, 3)))


@pytest.mark.parametrize("line", ["np.take(a,900)", "a[i,77]", "a[i*50,1]", "np.choose(k-1,[k,k,k,k])",
                                  "np.choose(k+1,[k,k,k,k])", "a[i*50,None]"])
def test_errors_of_reads(line):
    check_error(line)


@pytest.mark.parametrize("line", ["np.put(r,i*90,9)", "np.place(r,b,[])", "np.place(r,b,'x')",
                                  "np.putmask(r,k,1)", "np.put_along_axis(r,k,1,0)", "np.fill_diagonal(r,1,2,3)"])
def test_errors_of_writes(line):
    check_error(line, r=A[..., 3].copy())


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("line", [
    "np.put(r,i,x[0,:3])", "np.put(r,i*7,x[0],'wrap')", "np.place(r,b,x[0])", "np.putmask(r,b,x*2)",
    "np.putmask(r,b,x[0,:2])", "np.put_along_axis(r,x.argsort(1)[:,:1],x[:,:1],1)", "np.copyto(r,x*x,where=b)",
    "np.fill_diagonal(r,x[0])", "r[i]=x[i+1]", "r[i,2]=x[:3,1]", "r[b]=x[b]*2", "r[...]=np.choose(b*1,[x,x*x])"])
def test_derivatives_of_writes_have_the_hosts_bits(line, order):
    def found(put):
        fixed = {name: put(x) for name, x in ARRAYS.items()}

        def cubes(x):
            r = x * 1
            exec(line, {**fixed, "x": x, "r": r, "np": lnp})
            return (r ** 3).sum()

        function = cubes if order == 1 else lambda x: (la.grad(cubes)(x) ** 2).sum()
        return la.grad(function)(put(A[..., 3].copy()))

    wanted = found(la.array).numpy()
    DRIVER.host_steps.clear()
    got = found(there)
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), wanted, strict=True)
    assert not DRIVER.host_steps
