"""What type checkers read besides the stubs beside the modules; nothing here is imported when a program runs.

    aliases      what parameters take, and the type variables that all stubs share
    operators    the operators of LazyArray
    ufuncs       a class for each family of ufuncs that map dtypes alike
    functions    NumPy's functions, a file for each of its modules

All but `aliases`, and the stubs of `lazyarr.numpy` that say so in their first line, are written by
`python tests/generate_stubs.py` from NumPy's own stubs and loops.
"""
