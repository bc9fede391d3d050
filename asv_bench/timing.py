"""Interleaved timing in one process, function after function and round after round, so that drift affects all alike."""

import time


def once(function, seconds):
    """Return the seconds of a call, as the mean of calls that take about `seconds` together."""
    began = time.perf_counter()
    function()
    count = max(1, int(seconds / max(time.perf_counter() - began, 1e-7)))
    began = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - began) / count


def side_by_side(functions, rounds, seconds, pause=0.0):
    """Time functions in turns.

    Parameters
    ----------
    functions : dict
        Callables without parameters, by name.
    rounds : int
        Number of turns of each.
    seconds : float
        Approximate length of a turn.
    pause : float
        Seconds before each turn, so that threads of the previous one can sleep: some spin for a while.

    Returns
    -------
    dict
        Seconds per call for each name, a list with an entry per round.
    """
    samples = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(pause)
            samples[name].append(once(function, seconds))
    return samples
