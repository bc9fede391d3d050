"""The notation of example lines: a table of operations and their lines, with alternatives in braces."""

import itertools
import re


def table(text):
    """Return {operation: lines} from indented text."""
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("    "):
            found[name] += expanded(line.strip())
        elif line:
            name = line
            assert name not in found, name
            found[name] = []
    return found


def expanded(line):
    """Expand the alternatives of a line."""
    parts = re.split(r"\{([^{}]*)\}", line)
    choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]
