"""NumPy's inner loops, and the checks that allow our loops to replace them."""
import ctypes

import numpy as np
import pytest

from lazyarr._core.ir import inner_loops

_LOOP = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p, ctypes.c_void_p
)


def reported(function, *operands):
    """Return the floating-point errors of a call, by name."""
    errors = []
    with np.errstate(all="call", call=lambda error, flag: errors.append(error)):
        np.asarray(function(*operands))
    return sorted(errors)


def wide_loop(ufunc, dtype):
    """Return a `WideLoop` for this machine; skip the test if there is none."""
    made = WideLoop(ufunc, dtype)
    if not made.accepts(ufunc):
        pytest.skip("this processor, NumPy or libm has no wide loop")
    return made


class WideLoop:
    """The wide loop of a ufunc and dtype, as seen by the check that decides whether it is used.

    Parameters
    ----------
    ufunc : numpy.ufunc
    dtype : dtype_like
    """

    def __init__(self, ufunc, dtype):
        self.ufunc, self.dtype = ufunc, np.dtype(dtype)
        self._element = {"f": ctypes.c_float, "d": ctypes.c_double}[self.dtype.char]

    def _loop_of(self, ufunc):
        """Return address and data of a ufunc's loop, from the public struct PyUFuncObject."""
        row = ufunc.types.index(f"{self.dtype.char * ufunc.nin}->{self.dtype.char}")
        pointers = [ctypes.POINTER(ctypes.c_void_p).from_address(id(ufunc) + object.__basicsize__ + offset)
                    for offset in (16, 24)]
        return tuple([(pointer[row] or 0) if pointer else 0 for pointer in pointers])

    def _accepts(self, address, data):
        return inner_loops.agrees_with_wide(self.ufunc.__name__, address, data, self.dtype.char * self.ufunc.nin)

    def accepts(self, ufunc):
        """Return whether the check accepts NumPy's loop of a ufunc."""
        return self._accepts(*self._loop_of(ufunc))

    def accepts_spoilt(self, spoil):
        """Return whether the check accepts the right loop if `spoil(x, result)` alters each of its results."""
        address, data = self._loop_of(self.ufunc)
        numpy_loop = _LOOP(address)

        def loop(args, count, strides, _):
            numpy_loop(args, count, strides, data)
            # C arrays, because calling NumPy would clear the status.
            spoil(*[(self._element * count[0]).from_address(args[i]) for i in (0, self.ufunc.nin)])

        callback = _LOOP(loop)
        return self._accepts(ctypes.cast(callback, ctypes.c_void_p).value, 0)


class ChecksOfLoops:
    """Tests of the check that selects a loop, for a fixture `wide`."""

    def test_check_accepts_the_same_results(self, wide):
        assert wide.accepts_spoilt(lambda x, result: None)

    @pytest.mark.parametrize("exception", [1, 4, 8, 16], ids=["invalid", "divide", "overflow", "underflow"])
    def test_check_rejects_another_flag(self, wide, exception):
        raised = []

        def spoil(x, result):
            if not raised:
                raised.append(ctypes.CDLL(None).feraiseexcept(exception))

        assert not wide.accepts_spoilt(spoil)

    def test_check_leaves_the_status_and_the_rounding_alone(self, wide):
        libm = ctypes.CDLL(None)
        libm.feclearexcept(0x1D)
        libm.feraiseexcept(8)
        libm.fesetround(0x400)  # downwards
        try:
            assert wide.accepts(wide.ufunc)
            assert libm.fegetround() == 0x400
            assert libm.fetestexcept(0x1D) == 8
        finally:
            libm.fesetround(0)
            libm.feclearexcept(8)
