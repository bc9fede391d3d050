"""The memo: what is not recomputed, that nothing is stale, and its bounds."""
import ctypes
import gc
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.runtime import memo, slice_update
from support.feature_switches import assert_same_bits, switched

N = 200
LENT = []     # ndarrays that tests keep, to the end of each
DATA = np.random.default_rng(5).random((N, N)) + 10 * np.eye(N)


@pytest.fixture(autouse=True)
def limit():
    with la.config(memo_limit=1 << 24):
        yield
    LENT.clear()
    assert memo.stats()["results"] == memo.stats()["bytes"] == 0


@pytest.fixture
def keeps_all():
    """Keep small results, too."""
    with switched(memo, True, True):
        yield


@pytest.fixture
def counted():
    """Count hits and misses."""
    before = memo.stats()
    return lambda: tuple(memo.stats()[name] - before[name] for name in ("hits", "misses"))


def own(data=DATA):
    """Return an array that owns its memory."""
    return la.array(data)


def values(x):
    """Return a copy of the values, as reading them directly would lend memory."""
    return np.array(x.tolist(), x.dtype)


COSTLY = {
    "inv": lambda xp, a: xp.linalg.inv(a),
    "product": lambda xp, a: a @ (a + 1),
    "sort": lambda xp, a: xp.sort(a, axis=0),
    "argsort": lambda xp, a: xp.argsort(a, axis=1),
    "fft": lambda xp, a: xp.fft.fft(a),
    "sum": lambda xp, a: xp.sqrt(a * a + 2).sum(),
    "cumsum": lambda xp, a: a.cumsum(),
    "solve": lambda xp, a: xp.linalg.solve(a, a[:, :3]),
}


# ---- what is not recomputed -----------------------------------------------------------------------------


@pytest.mark.parametrize("compute", COSTLY.values(), ids=COSTLY)
def test_computed_once(compute, keeps_all, counted):
    a = own()
    first = compute(la, a)
    la.evaluate(first)
    _, misses = counted()
    assert misses > 0
    second = compute(la, a)
    la.evaluate(second)
    assert counted() == (1, misses)
    with la.config(memo_limit=0):
        assert_same_bits([second, first], [compute(la, a)] * 2)


def test_inverse_in_a_loop_is_computed_once():
    records = []
    a = own()
    with la.config(on_evaluate=records.append):
        for k in range(4):
            b = own(DATA[k:])
            la.evaluate(b @ la.linalg.inv(a))
    assert [record["opaque"].count("linalg.inv") for record in records] == [1, 0, 0, 0]


def test_results_that_were_kept_are_recognised_as_operands(counted):
    a = own()
    for _ in range(3):
        inverse = la.linalg.inv(a)
        la.evaluate(inverse)
        la.evaluate(inverse @ inverse)
    assert counted() == (4, 2)


def test_several_results(counted):
    a = own()
    for _ in range(2):
        la.evaluate(*la.linalg.svd(a))
    assert counted() == (3, 3)


def test_calls_differ_in_their_parameters(keeps_all, counted):
    x = own(np.random.default_rng(0).random((30, 40)))
    found = [np.asarray(la.sort(x + 0, axis=axis)) for axis in (0, 1, 0, 1)]
    assert counted() == (2, 2)
    for axis, got in zip((0, 1, 0, 1), found, strict=True):
        np.testing.assert_array_equal(got, np.sort(np.asarray(x), axis=axis))


def test_cheap_results_are_not_kept(counted):
    x = own()
    for _ in range(2):
        la.evaluate(x + 1, (x[:2] * 3).sum())
    assert counted() == (0, 0)


def test_off_by_default(counted):
    with la.config(memo_limit=0):
        a = own()
        for _ in range(2):
            la.evaluate(la.linalg.inv(a))
        assert counted() == (0, 0)


def test_random_draws_are_made_anew(keeps_all):
    rng = la.numpy.random.default_rng(1)
    first, second = (rng.random(own(np.ones(50)).shape) for _ in range(2))
    assert la.sort(first).tolist() != la.sort(second).tolist()


def test_functions_of_programs_are_called_each_time(keeps_all):
    calls = []

    def function(a):
        calls.append(1)
        return a * len(calls)

    x = own()
    for k in (1, 2, 3):
        made = la.delay(function, x, shape=x.shape, dtype=x.dtype)
        assert float(made.max()) == (DATA * k).max()
    assert len(calls) == 3


def test_settings_are_part_of_what_is_computed(keeps_all, counted):
    x = own()
    la.evaluate(x.sum())
    with la.config(fast_math=True):
        la.evaluate(x.sum())
    with np.errstate(all="ignore"):
        la.evaluate(x.sum())
    assert counted() == (0, 3)
    with la.config(debug_nans=True):
        la.evaluate(x.sum())
    assert counted() == (0, 3)


def test_results_of_other_backends_are_not_kept(keeps_all, counted):
    x = own()
    la.evaluate(la.sort(x, axis=0))
    with la.config(backend="numpy"):
        for _ in range(2):
            la.evaluate(la.sort(x, axis=0))
    la.evaluate(la.sort(x, axis=0))
    assert counted() == (0, 4)


# ---- floating-point errors are reported each time -------------------------------------------------------


def test_warnings_come_again(keeps_all):
    x = own(np.array([0.0, 1.0] * 50))
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            la.evaluate(la.sort(1 / x))
    inverse = 1 / x
    with pytest.warns(RuntimeWarning):
        la.evaluate(inverse)
    la.evaluate(la.sort(inverse))
    with pytest.warns(RuntimeWarning):
        la.evaluate(la.sort(1 / x))


def test_warnings_of_calls_come_again(keeps_all):
    a = own(np.full((4, 4), 1e200) + 1e199 * np.eye(4))
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="overflow encountered in det"):
            la.evaluate(la.linalg.det(a))


def test_errors_come_again():
    a = own(np.zeros((N, N)))
    for _ in range(3):
        with pytest.raises(np.linalg.LinAlgError):
            la.evaluate(la.linalg.inv(a))


def test_errors_of_errstate_come_though_the_result_was_kept(keeps_all):
    x = own(np.array([0.0, 1.0] * 50))
    with np.errstate(divide="ignore"):
        la.evaluate(la.sort(1 / x))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        la.evaluate(la.sort(1 / x))


# ---- nothing is stale -----------------------------------------------------------------------------------


def write_by_pointer(a):
    ctypes.c_double.from_address(a.ctypes.data).value += 77.0


def write_and_give_back(a):
    lent = np.asarray(a)
    lent[0, 0] += 5


def keep_lent(a):
    LENT[:] = [np.asarray(a)]
    LENT[0][1, 1] -= 3


def write_while_called_back(a):
    """NumPy converts objects one by one, and each evaluates results of the array that is being written to."""
    class Number:
        def __float__(self):
            la.evaluate(la.sort(a, axis=None))
            return 1.5

    row = np.empty(len(a), object)
    row[:] = [Number() for _ in row]
    a[0] = row


def write_reshaped(a):
    shape = a.shape
    a.shape = (-1,)
    a[7] = 3.25
    a.shape = shape


WRITES = {
    "element": lambda a: a.__setitem__((2, 3), a[2, 3] + 9.0),
    "element of a view": lambda a: a[1].__setitem__(4, 9.0),
    "window": lambda a: a.__setitem__(slice(3, 5), 9.0),
    "window with an array": lambda a: a.__setitem__(slice(3, 5), a[:2] * 2),
    "view in place": lambda a: a[::2].__imul__(1.5),
    "in place": lambda a: a.__iadd__(1.0),
    "mask": lambda a: a.__setitem__(a > 10, -1.0),
    "places": lambda a: a.__setitem__(([1, 2], [3, 4]), 3.0),
    "objects": write_while_called_back,
    "out": lambda a: np.add(a, 1.0, out=a),
    "out that is a view": lambda a: np.multiply(a[:, 1], 2.0, out=a[:, 1]),
    "sort": lambda a: a.sort(axis=0),
    "fill": lambda a: a.fill(a[0, 0] + 2.0),
    "put": lambda a: a.put([3], 8.0),
    "partition": lambda a: a.partition(3),
    "at": lambda a: np.add.at(a, (0, 0), 2.0),
    "copyto": lambda a: np.copyto(a, a[::-1]),
    "putmask": lambda a: np.putmask(a, np.asarray(a) > 10, 4.0),
    "fill_diagonal": lambda a: np.fill_diagonal(a, 4.0),
    "shuffle": lambda a: la.numpy.random.default_rng(1).shuffle(a),
    "draws": lambda a: la.numpy.random.default_rng(1).random(out=a),
    "lent and given back": write_and_give_back,
    "lent": keep_lent,
    "buffer": lambda a: memoryview(a).cast("B").cast("d").__setitem__(3, 2.5),
    "pointer": write_by_pointer,
    "flat": lambda a: a.flat.__setitem__(5, 1.25),
    "reshaped": write_reshaped,
}


def check_up_to_date(x):
    """Compare the results of costly operations with NumPy's for the current values."""
    plain = np.array(x.tolist())
    results = [la.sort(x, axis=None), x.max(axis=0), la.sort(x[1:] + 1, axis=0)]
    la.evaluate(*results)
    for got, expected in zip(results, [np.sort(plain, axis=None), plain.max(axis=0), np.sort(plain[1:] + 1, axis=0)],
                             strict=True):
        np.testing.assert_array_equal(np.array(got.tolist()), expected)


@pytest.mark.parametrize("small_work", ["auto", "wait", "now"])
@pytest.mark.parametrize("size", [20, 130])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_result_is_that_of_what_was_written(write, size, small_work, keeps_all):
    shared = DATA[:size, :size].copy()
    with la.config(small_work=small_work):
        for x in (own(DATA[:size, :size]), la.numpy.array(DATA[:size, :size]), la.numpy.asarray(shared),
                  la.numpy.asarray(DATA[:size, :size].copy()), own(DATA[:size, :size]) + 0,
                  la.linalg.inv(own(DATA[:size, :size]))):
            for _ in range(2):
                check_up_to_date(x)
                write(x)
                check_up_to_date(x)
                shared[0, 1] += 1
            check_up_to_date(x)


def test_memory_shared_with_asarray_is_read_anew(keeps_all):
    data = DATA.copy()
    x = la.asarray(data)
    for k in range(3):
        data[0, 0] = k
        check_up_to_date(x)


def test_mapped_file_is_read_anew(tmp_path, keeps_all):
    written = np.memmap(tmp_path / "a", float, "w+", shape=(30, 30))
    x = la.numpy.asarray(np.memmap(tmp_path / "a", float, "r+", shape=(30, 30)))
    for k in range(3):
        written[k, k] = k
        written.flush()
        check_up_to_date(x)


def test_write_to_a_result_leaves_what_is_kept(keeps_all):
    a = own()
    expected = np.sort(DATA, axis=0)
    for write in WRITES.values():
        x = la.sort(a, axis=0)
        la.evaluate(x)
        np.testing.assert_array_equal(np.array(x.tolist()), expected)
        write(x)
        check_up_to_date(x)
    np.testing.assert_array_equal(la.sort(a, axis=0).tolist(), expected)


def test_arrays_with_one_result_share_no_memory(keeps_all):
    a = own()
    x, y = (la.sort(a, axis=0) for _ in range(2))
    la.evaluate(x)
    la.evaluate(y)
    assert not la.may_share_memory(x, y)
    assert not np.shares_memory(x[1:], y)
    assert la.may_share_memory(x, x[1:])


def test_values_of_another_array_at_the_same_place(keeps_all):
    for k in range(20):
        x = own(DATA[:30, :30] + k)
        check_up_to_date(x)
        del x


# ---- what else the memo does not affect -----------------------------------------------------------------


def copies_of_writes(limit):
    """Count the copies of an array that is written to after costly operations have read it."""
    a = own(np.ones((600, 600)))
    with la.config(memo_limit=limit):
        la.evaluate(la.sort(a, axis=0), a @ a)
        before = slice_update.copies()
        for k in range(3):
            a[k:9] = 2.0
            la.evaluate(a)
            a += a[0]
            la.evaluate(a, a[::2] @ a)
    return slice_update.copies() - before


def test_operands_are_written_in_place_as_without():
    assert copies_of_writes(1 << 24) == copies_of_writes(0)


def test_derivatives(keeps_all):
    a = own(DATA[:20, :20])
    loss = lambda x: (la.linalg.inv(x) @ x[::-1]).sum()  # noqa: E731
    la.evaluate(la.linalg.inv(a), loss(a))
    with la.config(memo_limit=0):
        expected = np.asarray(la.grad(loss)(a))
    for _ in range(2):
        np.testing.assert_array_equal(la.grad(loss)(a), expected)


def test_arrays_that_are_gone_are_freed(keeps_all):
    live = allocator.stats()["live_bytes"]
    a = own(np.ones((500, 500)))
    la.evaluate(a.sum(axis=0))
    del a
    gc.collect()
    assert allocator.stats()["live_bytes"] - live < 20_000


# ---- bounds ---------------------------------------------------------------------------------------------


def test_those_not_used_for_longest_go_first(counted):
    x, y, z = (own(DATA + k) for k in range(3))
    with la.config(memo_limit=int(2.5 * DATA.nbytes)):
        for a in (x, y, x, z, x, y):
            la.evaluate(la.linalg.inv(a))
            assert memo.stats()["bytes"] <= la.config.memo_limit
    assert counted() == (2, 4)


def test_results_over_the_limit_are_not_kept(counted):
    a = own()
    with la.config(memo_limit=DATA.nbytes // 2):
        for _ in range(2):
            la.evaluate(la.linalg.inv(a))
    assert counted() == (0, 0)


def test_structures_count_as_bytes():
    x = own(np.ones(3))
    with la.config(memo_limit=20_000):
        for k in range(1000):
            la.evaluate(x + k)
            assert memo.stats()["bytes"] <= 20_000 + 1000


def test_lower_limit_frees_results():
    a = own()
    live = allocator.stats()["live_bytes"]
    la.evaluate(la.sort(a, axis=0))
    assert allocator.stats()["live_bytes"] - live >= DATA.nbytes
    la.config.memo_limit = 1000
    assert allocator.stats()["live_bytes"] == live
    assert memo.stats()["bytes"] <= 1000


def test_results_are_given_up_before_memory_is_refused(keeps_all):
    a = own(np.ones((300, 300)))
    la.evaluate(la.sort(a, axis=0), la.cumsum(a, axis=0), a @ a)
    held = memo.stats()["results"]
    with la.config(memory_limit=allocator.stats()["live_bytes"] + a.nbytes // 2):
        x = a + 1
        la.evaluate(x)
        assert held == 3
        assert memo.stats()["results"] == 0
        with pytest.raises(MemoryError):
            la.evaluate(la.ones((3000, 3000)) + a.sum())
    np.testing.assert_array_equal(x, np.full((300, 300), 2.0))


def test_profile_counts():
    a = own()
    with la.profile() as profile:
        for _ in range(3):
            la.evaluate(la.linalg.inv(a))
    assert (profile.memo["hits"], profile.memo["misses"]) == (2, 1)
    assert profile.memo["bytes"] >= DATA.nbytes
    assert "2 hits, 1 miss," in str(profile)


def test_threads(keeps_all):
    problems = []
    shared = own()

    def work(seed):
        try:
            mine = own(DATA[:40, :40] + seed)
            for k in range(40):
                check_up_to_date(mine)
                mine[k % 40] = k
                np.testing.assert_array_equal(la.sort(shared, axis=0).tolist(), np.sort(DATA, axis=0))
                if k % 10 == seed:
                    memo.clear()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
