"""Writes docs/rules.md: the table of rewrite rules.

    python tests/rules_page.py
"""

from pathlib import Path

import numpy as np
from coverage_page import table

from lazyarr.compiler import rewrite_rules

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
COMMAND = "python tests/rules_page.py"
GROUPS = ((rewrite_rules.INTS, "integers"), (rewrite_rules.INEXACT, "floats, complex"),
          (rewrite_rules.FLOATS, "floats"),
          (rewrite_rules.COMPLEX, "complex"), ("bhilq", "signed integers"))
HEAD = f"""\
# Rewrite rules

Before a graph is planned, expressions are replaced by simpler ones. The rules of the first table always apply, to the
dtypes that they name: results have the same bits, and no warning is gained or lost, whatever the operands. Those of the
second hold for real numbers and not for floats; `la.config.fast_math = True` adds them. The third lists what lazyarr
never does. `la.explain(x).rewrites` counts the rules that evaluating `x` would apply.
`la.rules.add` adds rules of your own, behind these; it checks them first.
The docstring of `lazyarr/compiler/simplify.pyx` says how they are applied. `{COMMAND}` writes
this page from `lazyarr/compiler/rewrite_rules.py`.
"""
WRITTEN = (
    ("x.T.T, x[a][b], x.reshape(a).reshape(b), np.broadcast_to(np.broadcast_to(x, a), b)", "one window on x's memory",
     "where the second is a view for NumPy"),
    ("x.T @ y[::2]", "one product", "which reads matrices where they are, packed as it goes along"),
    ("np.repeat(x, n) + y, np.broadcast_to(x, shape) + y", "one pass", "elements are repeated while they are read"),
    ("x.max(axis), x.min(axis), x.any(axis), x.all(axis), np.bitwise_or.reduce(x, axis)",
     "the fold of each element once", "along axes that were broadcast"),
    ("x.sum(axis)", "a multiple of the fold of each element once",
     "along axes that were broadcast; of integers, under fast_math of all numbers"),
    ("x.max(axis)", "a copy", "along axes of one element; sums and products of integers, too"),
    ("np.concatenate([x[:3], x[3:]])", "a copy of one window", "for windows that follow each other in one array"),
    ("A @ B @ C @ v", "the products in the cheapest order", "under fast_math; of factors nobody holds in a variable"),
    ("np.linalg.multi_dot(matrices)", "the products in the cheapest order", "which is NumPy's"),
    ("x * (2.0 * np.pi)", "a product with a number", "numbers made of numbers are computed where they are written"),
)
NO_RULES = (
    ("np.clip(np.clip(x, 0, 5), 1, 3)", "plans do not know the bounds; both are one pass"),
    ("x.astype(a)[1:], x.astype(a).T", "a view shows memory, which the cast fills; later writes must show in it"),
    ("np.tile(x, 2) + y", "a program has no loop that begins again within a row; the kernel copies at memory's speed"),
    ("x.astype('f4').astype('f8')", "the first cast rounds"),
    ("a * x + b * x", "the sum of the numbers would need a node; see the rules under fast_math for arrays"),
)


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
              for rule in rewrite_rules.RULES if rule.exact]
    fast = [(rule.name, code(rule.pattern), code(rule.result), dtypes(rule.fast), rule.why, counterexample(rule))
            for rule in rewrite_rules.RULES if rule.fast]
    never = [(code(rule.pattern), code(rule.result), rule.why, counterexample(rule))
             for rule in rewrite_rules.RULES if not rule.exact and not rule.fast]
    return "\n".join([
        HEAD, "## Always\n", table(("rule", "", "is computed as", "dtypes", "why"), always),
        "## Under fast_math\n", table(("rule", "", "is computed as", "dtypes", "why not always", "unlike for"), fast),
        "## Never\n", table(("", "is not", "why", "unlike for"), never),
        "## Where it is written\n\nPlans know no extents and no strides. What depends on them is simplified earlier.\n",
        table(("", "is computed as", "where"), [(code(a), b, c) for a, b, c in WRITTEN]),
        "## No rules\n", table(("", "why"), [(code(a), b) for a, b in NO_RULES])])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
