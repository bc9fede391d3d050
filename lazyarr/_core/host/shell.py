"""The IPython shell that runs the program, if one does."""
import sys
from typing import Any


def current_shell() -> Any:
    """The shell; None for a program that runs by itself."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def is_notebook() -> bool:
    """Whether a kernel runs this, whose displays can be updated."""
    return hasattr(current_shell(), "kernel")
