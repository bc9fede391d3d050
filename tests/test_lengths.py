"""Files and functions are short enough to be read in one go."""

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "lazyarr"
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".h", ".js", ".css", ".html"}
LONGEST_FILE = 500
LONGEST_FUNCTION = 80  # without its docstring
# A variable has its value before a parenthesis, a class none.
FUNCTION = re.compile(r"( *)(?:async def|def|cdef|cpdef)\b(?! (?:class|extern)\b)[^=]*?(\w+)\(")
SIGNATURE_END = re.compile(r":\s*(?:#.*)?$")
DOCSTRING = re.compile(r"\s*[rR]?(\"\"\"|''')")


def functions(text):
    """Yield name, line and length of each function, including Cython's, which ast cannot parse."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = FUNCTION.match(line)
        if found:
            body = body_of(lines[at + 1:], len(found[1]))
            yield found[2], at + 1, 1 + len(body) - docstring_length([line, *body])


def body_of(lines, indent):
    """Return the lines up to the first that is not indented further, without trailing blank ones."""
    length = 0
    for count, line in enumerate(lines, start=1):
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                break
            length = count
    return lines[:length]


def docstring_length(lines):
    """Return the number of docstring lines of a function."""
    first = next((at for at, line in enumerate(lines, start=1) if SIGNATURE_END.search(line)), len(lines))
    opened = DOCSTRING.match(lines[first]) if first < len(lines) else None
    if not opened:
        return 0
    quotes = opened[1]
    if quotes in lines[first][opened.end():]:
        return 1
    return next(count for count, line in enumerate(lines[first + 1:], start=2) if quotes in line)


def sources(suffixes):
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in suffixes:
            yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def test_functions_are_short():
    assert {f"{path}: {name}" for path, text in sources({".py", ".pyx", ".pxd"})
            for name, _, length in functions(text) if length > LONGEST_FUNCTION} == set()


def test_files_are_short():
    assert {path for path, text in sources(SUFFIXES) if text.count("\n") > LONGEST_FILE
            and not text.startswith("# Written by ")} == set()  # nobody reads what a command writes


def test_lengths_are_found():
    text = '''
x = f(1)
cdef int y = g(
    2)

cdef class C:
    cdef (int, int) method(self, int a=h(3),
                           int b=4) noexcept:  # as it says
        """One.

        Two.
        """

        return 1, 2

    def other(self): return (
        3)


async def outer(mode="a:"):
    """One."""
    def inner():
        pass

    return inner
'''
    assert list(functions(text)) == [("method", 7, 4), ("other", 16, 2), ("outer", 20, 5), ("inner", 22, 2)]
