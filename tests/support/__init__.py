"""What tests share.

    sample_values, strategies           arrays of every dtype, and Hypothesis strategies for them
    lazy_helpers                        lazy arrays to test on, compared bit by bit
    example_lines, numpy_comparison     lines of Python for each operation, run by NumPy and by lazyarr
    eager_comparison                    the same for small work, which is done at once
    call_outcomes                       the result, error or warnings of a call
    program_grammar, program_runner     random programs, run in lockstep with NumPy
    reference_kernels, conv_problems    what each kernel computes, and random convolutions
    finite_differences                  derivatives against differences
    vmap_comparison, python_loops       batches and loops as Python writes them
    feature_switches                    implementations that can be turned off, threads, widths of vectors
    numpy_inner_loops                   NumPy's own inner loops
    jitted_functions, training          a function that counts its calls, a small model
    script_folder                       scripts that run in fresh processes
    array_api_dispatch                  the script that calls SciPy and scikit-learn with lazy arrays
    harmful_graph_files                 damaged and malicious files of graphs
    pocl                                OpenCL on the processor
"""
