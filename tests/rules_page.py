"""Writes docs/rules.md: the table of rewrite rules.

    python tests/rules_page.py
"""

from pathlib import Path

import numpy as np
from coverage_page import table

from lazyarr.graph import rules

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
COMMAND = "python tests/rules_page.py"
GROUPS = ((rules.INTS, "integers"), (rules.INEXACT, "floats, complex"), (rules.FLOATS, "floats"),
          (rules.COMPLEX, "complex"), ("bhilq", "signed integers"))
HEAD = f"""\
# Rewrite rules

Before a graph is planned, expressions are replaced by simpler ones. The rules of the first table always apply, to the
dtypes that they name: results have the same bits, and no warning is gained or lost, whatever the operands. Those of the
second hold for real numbers and not for floats; `la.config.fast_math = True` adds them. The third lists what lazyarr
never does. `la.explain(x).rewrites` counts the rules that a look at `x` would apply.
[Architecture](architecture.md#rewrite-rules) says how they are applied. `{COMMAND}` writes this page from
`lazyarr/graph/rules.py`.
"""


def dtypes(characters):
    """Dtypes by the names of their groups where those are complete."""
    named, rest = [], set(characters)
    for group, name in GROUPS:
        if set(group) <= rest:
            named.append(name)
            rest -= set(group)
    return ", ".join([*named, *[np.dtype(char).name for char in characters if char in rest]])


def counterexample(rule):
    return ", ".join(f"{name} = {number}" for name, number in rule.unlike.items())


def code(text):
    return f"`{text}`"


def page():
    """The whole page."""
    always = [(rule.name, code(rule.pattern), code(rule.result), dtypes(rule.exact), rule.why)
              for rule in rules.RULES if rule.exact]
    fast = [(rule.name, code(rule.pattern), code(rule.result), dtypes(rule.fast), rule.why, counterexample(rule))
            for rule in rules.RULES if rule.fast]
    never = [(code(rule.pattern), code(rule.result), rule.why, counterexample(rule))
             for rule in rules.RULES if not rule.exact and not rule.fast]
    return "\n".join([
        HEAD, "## Always\n", table(("rule", "", "is computed as", "dtypes", "why"), always),
        "## Under fast_math\n", table(("rule", "", "is computed as", "dtypes", "why not always", "unlike for"), fast),
        "## Never\n", table(("", "is not", "why", "unlike for"), never)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
