"""Optional libraries that benchmarks compare with."""

import importlib


def optional(name):
    """Return a module, or None with a note if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed and left out.\n")
        return None
