"""Libraries that benchmarks compare with, each of which may be missing."""

import importlib


def optional(name):
    """Return a module, or None with a note where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed and left out.\n")
        return None
