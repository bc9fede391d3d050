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

Before a graph is planned, rewrite rules replace expressions by simpler ones:

- The rules [that always apply](#always), to the dtypes given, change no bit of a result and no warning.
- The rules [under fast_math](#under-fast-math) are correct for real numbers, but not for floats.
  `la.config.fast_math = True` enables them.
- The rewrites in [the third table](#never) look plausible, but lazyarr never applies them.

`la.explain(x).rewrites` counts the rules that evaluating `x` would apply. `la.rules.add` checks and adds
[your own rules](api/rewrite_rules.md), which are tried after these.

`{COMMAND}` generates this page from `lazyarr/compiler/rewrite_rules.py`; `lazyarr/compiler/simplify.pyx` applies
the rules.
"""
WRITTEN = (
    ("x.T.T, x[a][b], x.reshape(a).reshape(b), np.broadcast_to(np.broadcast_to(x, a), b)", "one view of x",
     "if the second operation is a view in NumPy"),
    ("x.T @ y[::2]", "one matrix product", "the kernel packs strided operands itself"),
    ("np.repeat(x, n) + y, np.broadcast_to(x, shape) + y", "one pass", "elements are repeated as they are read"),
    ("x.max(axis), x.min(axis), x.any(axis), x.all(axis), np.bitwise_or.reduce(x, axis)",
     "the reduction before broadcasting", "along broadcast axes"),
    ("x.sum(axis)", "a multiple of the sum before broadcasting",
     "along broadcast axes, for integers; with fast_math for all numbers"),
    ("x.max(axis)", "a copy", "along axes of length 1; also sums and products of integers"),
    ("np.concatenate([x[:3], x[3:]])", "a copy of one slice", "for adjacent slices of one array"),
    ("A @ B @ C @ v", "the products in the cheapest order",
     "with fast_math, if no variable refers to the intermediate products"),
    ("np.linalg.multi_dot(matrices)", "the products in the cheapest order", "as in NumPy"),
    ("x * (2.0 * np.pi)", "a product with one number", "scalar expressions are computed at once"),
)
NO_RULES = (
    ("np.clip(np.clip(x, 0, 5), 1, 3)", "plans do not depend on numbers; both run in one pass anyway"),
    ("x.astype(a)[1:], x.astype(a).T", "the view shares memory with the result of the cast and must show later writes"),
    ("np.tile(x, 2) + y", "a tile program cannot restart a row; the kernel copies at the speed of memory"),
    ("x.astype('f4').astype('f8')", "the first cast rounds"),
    ("a * x + b * x", "the sum of the numbers would need a new node; for arrays, see the rules under fast_math"),
)


def dtypes(characters):
    """Abbreviate dtypes by the names of complete groups."""
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
    """Return the whole page."""
    why_not = ("rule", "expression", "computed as", "dtypes", "why not always", "counterexample")
    always = [(rule.name, code(rule.pattern), code(rule.result), dtypes(rule.exact), rule.why)
              for rule in rewrite_rules.RULES if rule.exact]
    fast = [(rule.name, code(rule.pattern), code(rule.result), dtypes(rule.fast), rule.why, counterexample(rule))
            for rule in rewrite_rules.RULES if rule.fast]
    never = [(code(rule.pattern), code(rule.result), rule.why, counterexample(rule))
             for rule in rewrite_rules.RULES if not rule.exact and not rule.fast]
    return "\n".join([
        HEAD, "## Always\n", table(("rule", "expression", "computed as", "dtypes", "reason"), always),
        "## Under fast_math\n", table(why_not, fast),
        "## Never\n", table(("expression", "not computed as", "reason", "counterexample"), never),
        "## While the graph is built\n\n"
        "Plans do not depend on shapes and strides. Simplifications that do are made when the operation is added.\n",
        table(("expression", "computed as", "when"), [(code(a), b, c) for a, b, c in WRITTEN]),
        "## Not simplified\n", table(("expression", "reason"), [(code(a), b) for a, b in NO_RULES])])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
