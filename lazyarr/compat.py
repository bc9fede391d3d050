"""Differences between supported versions of NumPy, each with the version that introduced it.

Signatures, errors and messages of deprecations are not listed, as they are read from NumPy itself.
"""
import numpy as np

_VERSION = np.lib.NumpyVersion(np.__version__)
_SINCE_2_4, _SINCE_2_5 = _VERSION >= "2.4.0", _VERSION >= "2.5.0"

WHERE_WARNING = (f"'where' used without 'out', expect {'uninitialized' if _SINCE_2_5 else 'unitialized'} memory in "
                 "output. If this is intentional, use out=None.") if _SINCE_2_4 else None
"""2.4: a mask without outputs is warned of. 2.5: it is spelt rightly."""
SETTERS_CAST_COMPLEX = not _SINCE_2_5
"""2.5: real and imag cannot be set to Python's complex numbers; before, these were cast."""
OBJECTS_HAVE_PARTS = _SINCE_2_5
"""2.5: real and imag of arrays of objects are those of the elements, in read-only arrays."""
EIGENVALUES_ARE_COMPLEX = _SINCE_2_5
"""2.5: eig and eigvals give complex arrays; before, real ones if all eigenvalues of a real matrix were."""
AT_WRITES_THROUGH_VIEWS = not _SINCE_2_5
"""2.5: ufunc.at warns once of an array that broadcast_arrays has made; before, at each call."""
