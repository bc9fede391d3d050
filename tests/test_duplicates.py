"""The package has hardly any duplicate code."""

import itertools
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "lazyarr"
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".h"}
RUN = 6  # lines that make a duplicate
LIMIT = 20  # pairs of places: less than this
# Whole statements, including names in parentheses or after a backslash. Two modules may need the same names.
IMPORT = re.compile(
    r"^[ \t]*(?:#[ \t]*include\b|(?:from[ \t]+[\w.]+[ \t]+)?c?import\b)"
    r"(?:[ \t]*\([^)]*\)|(?:\\\n|[^\n])*)", re.MULTILINE)


def counted_lines(text):
    """Return the lines that count, with their numbers: neither blank lines nor imports."""
    text = IMPORT.sub(lambda found: "\n" * found[0].count("\n"), text)
    stripped = ((number, line.strip()) for number, line in enumerate(text.split("\n"), start=1))
    return [(number, line) for number, line in stripped if line]


def duplicates(texts):
    """Yield pairs of places with the same lines, as long as possible; `texts` maps file names to their content."""
    lines = {name: counted_lines(text) for name, text in texts.items()}
    places = defaultdict(list)
    for name, counted in lines.items():
        for at in range(len(counted) - RUN + 1):
            places[tuple(line for _, line in counted[at:at + RUN])].append((name, at))
    pairs = {pair for found in places.values() for pair in itertools.combinations(found, 2)}
    for (one, i), (other, j) in sorted(pairs):
        if ((one, i - 1), (other, j - 1)) not in pairs:  # otherwise the run has begun before
            count = RUN
            while ((one, i + count - RUN + 1), (other, j + count - RUN + 1)) in pairs:
                count += 1
            yield f"{one}:{lines[one][i][0]} and {other}:{lines[other][j][0]}, {count} lines"


def test_there_are_few_duplicates():
    paths = sorted(path for path in PACKAGE.rglob("*") if path.suffix in SUFFIXES)
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    # Generated files may repeat themselves.
    found = list(duplicates({name: text for name, text in texts.items() if not text.startswith("# Written by ")}))
    assert len(found) < LIMIT, "\n".join([f"{len(found)} pairs of places have the same lines:", *found])


def test_duplicates_are_found():
    run = "a\nb\nc\n\n  d\ne\nf\n"
    assert list(duplicates({"x": "1\n" + run + "g\n", "y": run + "g\n", "z": run[2:]})) == ["x:2 and y:1, 7 lines"]
    assert list(duplicates({"x": run + "1\n" + run})) == ["x:1 and x:9, 6 lines"]


def test_imports_do_not_count():
    imports = "import a\nfrom b import (\n    c,\n    d)\nfrom e cimport f, \\\n    g\n#include <h.h>\n"
    assert counted_lines(imports + "\n  x = 1\n") == [(9, "x = 1")]
