"""What type checkers read besides the stubs beside the modules; nothing here is imported when a program runs.

    aliases      what parameters take, and the type variables that all stubs share
    operators    the operators of LazyArray
    reductions   its sums and means, whose dtype follows from the array's
    ufuncs       a class for each family of ufuncs that map dtypes alike
    names        NumPy's names, but for those under which lazyarr has something else
    transforms   functions of functions, loops, calls that wait
    core_*, lib_*, matrixlib_*    NumPy's functions, a file for each of its modules

Those that say so in their first line, here and in `lazyarr.numpy`, are written from NumPy's own stubs and loops by
`python tests/generate_stubs.py`. A family of ufuncs is a row of tests/support/stub_rules.py. What NumPy's stubs leave
open stands in tests/support/stub_overrides.py.
"""
