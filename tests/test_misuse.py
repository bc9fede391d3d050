"""Every function with wrong arguments: an exception of NumPy's class, or a result of NumPy's shape and dtype.

The calls are generated (see :mod:`misuse`), and are the same in each run; another first seed gives others.
"""

import random

import misuse
import pytest

CALLS = 6  # of each function


@pytest.mark.parametrize("name, function", misuse.functions(), ids=[name for name, _ in misuse.functions()])
def test_wrong_arguments(name, function):
    source = random.Random(name)
    for number in range(CALLS):
        line = misuse.call(source, name, function)
        assert misuse.problem(line, pending=number % 2 == 1) is None, line


def test_the_comparison_notices():
    assert misuse.problem("np.add(v, v, out=locked)") is None
    assert misuse.problem("np.add(v, v, 'abc' if np.__name__ == 'numpy' else locked)") is not None
    assert misuse.problem("np.add(v, 1 if np.__name__ == 'numpy' else 'a')") is not None
