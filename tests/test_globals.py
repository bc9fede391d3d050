"""Process-wide state: docs/globals.md lists all of it, with its guards."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = [path for end in ("py", "pyx") for path in sorted((ROOT / "lazyarr").rglob(f"*.{end}"))]
MOST_GLOBAL_STATEMENTS = 30

_GLOBAL = re.compile(r"^ +global (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r"^cdef (?!extern|enum|struct|class|inline)(?:unsigned |long )*[\w.]+(?: long)?\*{0,2} (.+)$",
                       re.MULTILINE)
_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|", re.MULTILINE)


def variables_of(text):
    """Return the names of a module's native variables."""
    for match in _VARIABLE.finditer(text):
        declared = match[1].split("#")[0]
        if re.match(r"\w+\(", declared):  # a function
            continue
        for part in re.split(r",(?![^(\[{]*[)\]}])", declared):
            name = re.match(r"\s*(\w+)", part)
            if name:
                yield name[1]


def is_changed(name, text):
    """Return whether a function of the module modifies a variable in place."""
    place = rf"(?<![\w.]){name}(?:\.\w+|\[[^\]=]*\])*"
    pattern = re.compile(rf"^ +(?!#|cdef )(?:[^=]*[ ,])?{place}(?:, [\w.\[\]]+)* (?:[-+|&*]|//)?= "
                         rf"|{place}\.(?:append|add|pop|remove|clear|setdefault|update|discard)\(|^ +del {place}")
    return any(pattern.search(line) for line in text.split("\n") if name in line)


def state_of(path):
    """Return the names that a module modifies after it was loaded."""
    text = path.read_text()
    names = {name.strip() for names in _GLOBAL.findall(text) for name in names.split(",")}
    return names | {name for name in variables_of(text) if is_changed(name, text)}


def listed():
    """Return the table: `module.name` of each state."""
    text = (ROOT / "docs" / "globals.md").read_text()
    return {f"{module}.{name.strip()}" for names, module in _ROW.findall(text) for name in names.split(",")}


def module_of(path):
    return ".".join(path.relative_to(ROOT / "lazyarr").with_suffix("").parts)


def test_all_state_is_listed():
    found = {f"{module_of(path)}.{name}" for path in SOURCES for name in state_of(path)}
    assert found - listed() == set()


def test_what_is_listed_exists():
    texts = {module_of(path): path.read_text() for path in SOURCES}
    for entry in listed():
        module, name = entry.rsplit(".", 1)
        declared = rf"^(cdef .*\b)?{name}\b|^ +(global .*)?{name}\b"
        assert re.search(declared, texts[module], re.MULTILINE), entry


def test_few_global_statements():
    count = sum(len(_GLOBAL.findall(path.read_text())) for path in SOURCES)
    assert count <= MOST_GLOBAL_STATEMENTS


def test_changes_are_found():
    text = "\n".join([
        "cdef State _state = State(0, 0)", "cdef dict _rows = {}", "cdef int _width = 3", "cdef tuple _names = (1, 2)",
        "def f():", "    _state.count += 1", "    _rows.clear()", "    x._names = _width"])
    assert [name for name in variables_of(text) if is_changed(name, text)] == ["_state", "_rows"]
