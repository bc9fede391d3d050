"""Benchmarks for airspeed velocity, one file per family.

A ``time_lazyarr`` includes building the graph and ends with the values in an ndarray, unless its class says otherwise;
the ``time_numpy`` beside it does the same work with NumPy.
"""

import os

os.environ["LAZYARR_TUNING"] = "0"  # compare commits with their built-in defaults
