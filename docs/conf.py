import sys
from pathlib import Path

import lazyarr

sys.path.insert(0, str(Path(__file__).parent))  # for the extensions beside this file

project = "lazyarr"
author = "The lazyarr developers"
copyright = author
release = lazyarr.__version__

extensions = [
    "myst_parser",
    "numpy_functions",
    "numpydoc",
    "settings_table",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings describe the arguments
autodoc_preserve_defaults = True
copybutton_prompt_text = r">>> |\.\.\. "  # makes copied examples pasteable
copybutton_prompt_is_regexp = True
exclude_patterns = ["_build"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",  # generated when the site is built
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 3600,  # the programs print times themselves
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"lazyarr {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_show_sphinx = False


def _close_blocks(app, name, source):
    """Remove the empty line before the end of a block, which doctest needs but readers do not."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app):
    app.connect("source-read", _close_blocks)
