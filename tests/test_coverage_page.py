"""docs/coverage.md is the output of its command."""

import re

import coverage_page
import docstrings
import numpy as np
import pytest


def without_figures(page):
    """Return the page without the numbers of examples, which depend on the processor and on installed libraries."""
    return re.sub(r"^(\| `numpy\S*`)( \| [\d,]+){3} \| [\d.]+% \|$", r"\1", page, flags=re.MULTILINE)


@pytest.mark.skipif(np.__version__ != docstrings.NUMPY, reason="the page is about another version of NumPy")
def test_the_page_is_up_to_date():
    page = coverage_page.PAGE.read_text("utf-8")
    assert page.count("% |") == len(docstrings.MODULES)
    up_to_date = without_figures(page) == without_figures(coverage_page.page())
    assert up_to_date, f"run `{coverage_page.COMMAND}`"
