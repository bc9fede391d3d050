"""Timing side by side: in one process, function after function and round after round, so that drift hits all alike."""

import time


def once(function, seconds):
    """Return the seconds that a call takes, as the mean of calls that take about `seconds` together."""
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
        How many times each has its turn.
    seconds : float
        About how long a turn takes.
    pause : float
        Seconds before each turn, in which threads of the one before can go to sleep: some spin for a while.

    Returns
    -------
    dict
        A list of seconds a call for each name, one of each round.
    """
    samples = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(pause)
            samples[name].append(once(function, seconds))
    return samples
