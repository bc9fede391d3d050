"""Lines of Python for each operation, run by NumPy and by lazyarr: see :mod:`support.numpy_comparison`.

An operation's name is followed by its lines. ``{a|b}`` expands to several lines, one per alternative; a leading ``@``
means that the line evaluates although its operation is lazy.
"""
