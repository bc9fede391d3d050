"""Engines under each policy."""
import pytest

from lazyarr.runtime import Engine, Pool
from support.engine_functions import POLICIES


@pytest.fixture(params=POLICIES, ids=repr)
def engine(request):
    with Engine(request.param) as made:
        yield made


@pytest.fixture
def pool():
    with Engine(Pool(2)) as made:
        yield made
