"""Helpers shared by tests.

    sample_values, strategies           arrays of every dtype, and Hypothesis strategies for them
    lazy_helpers                        lazy arrays for tests, and bitwise comparison
    example_lines, numpy_comparison     lines of Python for each operation, run by NumPy and by lazyarr
    eager_comparison                    the same for small operations, which run eagerly
    call_outcomes                       result, error or warnings of a call
    program_grammar, program_runner     random programs, run in lockstep with NumPy
    reference_kernels, conv_problems    reference implementations of kernels, and random convolutions
    finite_differences                  derivatives against finite differences
    vmap_comparison, python_loops       plain Python counterparts of vmap, loops and branches
    feature_switches                    optional implementations, thread counts, vector widths
    numpy_inner_loops                   NumPy's own inner loops
    jitted_functions, training          a function that counts its calls, a small model
    script_folder                       scripts that run in fresh processes
    array_api_dispatch                  script that calls SciPy and scikit-learn with lazy arrays
    harmful_graph_files                 damaged and malicious graph files
    pocl                                OpenCL on the CPU
"""
