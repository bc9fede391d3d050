import lazyarr

project = "lazyarr"
author = "The lazyarr developers"
release = lazyarr.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
exclude_patterns = ["_build"]
html_theme = "alabaster"
