"""Lines of Python for each operation, to be run by NumPy and by lazyarr alike: see :mod:`support.numpy_comparison`.

Under the name of an operation stand its lines. ``{a|b}`` stands for several lines, one with each alternative; ``@`` in
front says that the line evaluates although its operation is lazy.
"""
