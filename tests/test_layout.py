"""Tests mirror the package's folders; shared code is in tests/support/, and commands are at the root."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "lazyarr"
WITHOUT_COUNTERPART = {
    "support",    # what tests share
    "typing",     # what type checkers know
    "libraries",  # what other libraries do with lazy arrays
}
FILES = [path for path in sorted(TESTS.rglob("*.py")) if path.relative_to(TESTS).parts[0] != "support"]


def test_folders_are_those_of_the_package():
    folders = {path.parent.relative_to(TESTS) for path in FILES} - {Path()}
    assert not {str(folder) for folder in folders
                if folder.parts[0] not in WITHOUT_COUNTERPART and not (PACKAGE / folder).is_dir()}


def test_files_are_tests_or_commands():
    def is_command(path):
        return path.parent == TESTS and '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")

    assert not [str(path) for path in FILES
                if not path.name.startswith("test_") and path.name != "conftest.py" and not is_command(path)]


def test_files_that_the_package_and_its_documents_name_exist():
    root = PACKAGE.parent
    texts = [path for path in (*PACKAGE.rglob("*"), *(root / "docs").glob("*.md"), root / "CONTRIBUTING.md")
             if path.suffix in (".py", ".pyx", ".pxd", ".h", ".md")]
    mention = re.compile(r"\b(?:tests|asv_bench|docs)/[\w/]+\.(?:py|md)\b")
    named = {name for path in texts for name in mention.findall(path.read_text(encoding="utf-8"))}
    assert named
    assert not sorted(name for name in named if not (root / name).is_file())
