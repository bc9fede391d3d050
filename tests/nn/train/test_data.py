"""Batches: the order of rows, the prefetching thread, and resuming in the middle."""

import collections
import threading
import traceback

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn

PREFETCH = pytest.mark.parametrize("prefetch", [0, 1, 3])


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def epoch(loader):
    return [x.tolist() for x in loader]


@PREFETCH
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 4, 9])
def test_every_row_comes_once(prefetch, drop_last, rows):
    loader = nn.Loader(np.arange(rows), 4, drop_last=drop_last, prefetch=prefetch)
    for _ in range(2):
        batches = epoch(loader)
        assert len(batches) == len(loader) == (rows // 4 if drop_last else -(-rows // 4))
        assert all(len(x) == 4 for x in batches[:-1])
        seen = [row for x in batches for row in x]
        assert len(set(seen)) == len(seen) == (rows - rows % 4 if drop_last else rows)


def test_rows_of_all_arrays_belong_together():
    x = np.arange(20.0).reshape(10, 2)
    Pair = collections.namedtuple("Pair", "x y")
    for batch in nn.Loader(Pair(x, {"sum": [la.asarray(x).sum(1)]}), 3):
        assert isinstance(batch, Pair)
        assert isinstance(batch.x, la.LazyArray)
        np.testing.assert_array_equal(batch.x.sum(1), batch.y["sum"][0])


def test_without_shuffling_rows_come_in_their_order():
    loader = nn.Loader(np.arange(5), 2, shuffle=False)
    assert epoch(loader) == epoch(loader) == [[0, 1], [2, 3], [4]]


def test_orders_depend_on_seed_and_epoch():
    one, two, other = (nn.Loader(np.arange(50), 7, seed=seed, prefetch=k) for k, seed in enumerate([3, 3, 4]))
    first, second = epoch(one), epoch(one)
    assert first != second
    assert epoch(two) == first
    assert epoch(two) == second
    assert epoch(other) != first
    assert epoch(nn.Loader(np.arange(50), 7, seed=None)) != first


def test_batches_are_arrays_of_their_own():
    x = np.arange(4)
    kept = []

    def keep(batch, rng):
        kept.append(batch)
        return batch

    for batch in nn.Loader(x, 2, shuffle=False, transform=keep):
        batch += 1
    for batch in kept:
        batch[...] = -1
    np.testing.assert_array_equal(x, np.arange(4))


def test_arrays_of_text_come_as_they_are():
    batch = next(iter(nn.Loader((np.array(["a", "b"]), np.arange(2)), 2, shuffle=False)))
    assert type(batch[0]) is np.ndarray
    assert isinstance(batch[1], la.LazyArray)


# ---- the thread -----------------------------------------------------------------------------------------


@PREFETCH
def test_makes_as_many_batches_ahead_as_it_may(prefetch):
    made = []
    enough = threading.Event()

    def count(batch, rng):
        made.append(batch)
        if len(made) == 1 + prefetch:
            enough.set()
        return batch

    loop = iter(nn.Loader(np.arange(100), 1, prefetch=prefetch, transform=count))
    next(loop)
    assert enough.wait(10)
    loop.close()
    assert len(made) == 1 + prefetch


@PREFETCH
def test_what_the_transform_raises_is_raised_here(prefetch):
    def fail_at_third(batch, rng):
        if batch[0] == 2:
            raise KeyError("the third")
        return batch

    loader = nn.Loader(np.arange(6), 1, shuffle=False, prefetch=prefetch, transform=fail_at_third)
    seen = []
    with pytest.raises(KeyError, match="the third") as raised:
        seen.extend(int(batch[0]) for batch in loader)
    assert seen == [0, 1]
    assert "fail_at_third" in [frame.name for frame in traceback.extract_tb(raised.tb)]


def test_a_transform_may_not_end_the_epoch():
    def stop(batch, rng):
        raise StopIteration

    for prefetch in (0, 2):
        with pytest.raises(RuntimeError, match="StopIteration"):
            epoch(nn.Loader(np.arange(6), 2, prefetch=prefetch, transform=stop))


def test_a_thread_is_worth_it_for_a_transform():
    assert nn.Loader(np.arange(3), 1).prefetch == 0
    assert nn.Loader(np.arange(3), 1, transform=lambda x, rng: x).prefetch == 2


def test_leaving_a_loop_ends_the_thread():
    before = threading.active_count()
    for _ in nn.Loader(np.arange(100), 1, prefetch=2):
        assert threading.active_count() == before + 1
        break
    assert threading.active_count() == before

    def fail():
        for _ in nn.Loader(np.arange(100), 1, prefetch=2):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_a_transform_has_random_numbers_of_its_own():
    def noise(batch, rng):
        return batch + rng.standard_normal(len(batch))

    runs = [[epoch(loader), epoch(loader)]
            for loader in (nn.Loader(np.arange(6), 2, shuffle=False, prefetch=k, transform=noise) for k in (0, 3))]
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    flat = [value % 1 for x in runs[0][0] for value in x]
    assert len(set(flat)) == len(flat)


# ---- resuming -------------------------------------------------------------------------------------------


@PREFETCH
@pytest.mark.parametrize("done", [0, 1, 4, 5, 7, 10])
def test_goes_on_where_it_was(prefetch, done):
    def make(seed):
        return nn.Loader(np.arange(9), 2, seed=seed, prefetch=prefetch, transform=lambda x, rng: x + rng.random())

    whole = make(5)
    want = epoch(whole) + epoch(whole) + epoch(whole)
    before, after = make(5), make(6)
    got = []
    while len(got) < done:
        for x in before:
            got.append(x.tolist())
            if len(got) == done:
                after.load_state(before.state())
                break
        else:
            after.load_state(before.state())
    if not done:
        after.load_state(before.state())
    while len(got) < len(want):
        got += epoch(after)
    assert got == want


def test_leaving_a_loop_ends_the_epoch():
    one, two = nn.Loader(np.arange(9), 2), nn.Loader(np.arange(9), 2)
    for _ in one:
        break
    epoch(two)
    assert epoch(one) == epoch(two)


@pytest.mark.parametrize("seed", [None, 3, np.int64(3), (1, 2), np.array([1, 2])])
def test_the_state_is_json(seed):
    import json

    loader = nn.Loader(np.arange(9), 2, seed=seed)
    assert json.loads(json.dumps(loader.state())) == loader.state()


# ---- invalid input --------------------------------------------------------------------------------------


@pytest.mark.parametrize("data, options, error, words", [
    ((np.ones(3), {"y": np.ones(4)}), {}, ValueError, r"as many rows: 0 has 3, 1\.y has 4"),
    ((), {}, ValueError, "there are no arrays"),
    (np.float64(3), {}, ValueError, "the array has no axis"),
    ([np.ones(2), 3], {}, ValueError, "1 has no axis"),
    (np.ones(3), {"batch_size": 0}, ValueError, "batch_size must be positive"),
    (np.ones(3), {"batch_size": 1.5}, TypeError, "batch_size must consist of integers"),
    (np.ones(3), {"prefetch": -1}, ValueError, "prefetch must not be negative"),
    (np.ones(3), {"seed": -1}, ValueError, "seed|non-negative"),
])
def test_refuses(data, options, error, words):
    with pytest.raises(error, match=words):
        nn.Loader(data, **{"batch_size": 2, **options})


@pytest.mark.parametrize("state, error, words", [
    ({"seed": 1, "epoch": 0}, ValueError, "the state must have seed, epoch, position; got epoch, seed"),
    ({"seed": 1, "epoch": 0, "position": 3}, ValueError, "position must be at most 2, got 3"),
    ({"seed": 1, "epoch": 0.5, "position": 0}, TypeError, "epoch must consist of integers"),
    ({"seed": 1.5, "epoch": 0, "position": 0}, TypeError, "SeedSequence"),
])
def test_refuses_a_state_that_is_none_of_its_own(state, error, words):
    loader = nn.Loader(np.ones(3), 2, seed=7)
    with pytest.raises(error, match=words):
        loader.load_state(state)
    assert loader.state() == {"seed": 7, "epoch": 0, "position": 0}
