"""LazyArray: operators, methods and calls, computed at once or recorded in the graph.

    lazy_array        the class: attributes, operators, everything that evaluates
    operators, array_ufunc    what operators and `__array_ufunc__` do
    handle            reads, writes and views of a handle; `views`, `freelist` recycle objects
    storage           who else may read or write an array's memory; lending it
    operands          anything NumPy takes for an array, as a node; `foreign_operands` NEP 13 and 18
    pending_queue     pending handles and the budget; `memory_budget` memory that only pending nodes retain
    opaque_call       calls of functions that compute on, or change, an array's values
    trace_scope       blocks in which a function's graph is captured
    ufunc_call        ufuncs; `reduce_call`, `reduce_simplify` reductions; `matrix_product`, `matmul_chain` products
    index, reshape    basic indexing and shapes; `boolean_select` masks; `structured` records; `scalars` 0-d results
    const_fold        numbers computed from evaluated numbers
    function          calls of lazyarr.numpy: native form, NumPy's function, or graph
    native_forms      registered native forms (filled by `_core.eager`); `numpy_call` NumPy's functions on shared memory
    eager             which operands are small and ready; `eager_ufunc`, `eager_loop`, `eager_out`, `eager_product`
                      compute on them; `eager_key`, `eager_index`, `eager_assign` index
    hooks             functions that the layers above registered
    evaluate          `lazyarr.evaluate`; `devices` arrays on devices

Handles and writes. `x += 1` builds a node and re-points `x`. `v = x[2:5]; v[...] = 0` builds an UPDATE and re-points
`x`, so that all views see the write; a view is derived again at its next use. Index arrays and masks with several
values are not windows: `update` makes a pending call that changes its first input's storage, `mutate` evaluates and
changes at once.

Eager path. On a few elements a graph costs more than the arithmetic. Through `lazyarr.numpy`, the runner and notebooks,
an operation on small *ready* operands (values present, native dtype, aligned, not `waits`) runs at once. Arrays made
through `lazyarr` itself set `Node.waits`, and so does what is computed from them. `config.small_work` moves the limit.

Limits: ufuncs up to 4,096 elements (16,384 if the estimate is below `eager.small_ns`), other functions 16,384, simple
reductions 65,536, products 300,000 multiplications (matrix-vector 4 million, with our kernel); what a graph would not
do faster, up to 262,144. Ufuncs made of Python functions always run at once. Eager results use the graph's inner loops
and dtype rules, so bits do not depend on the path. Writes at once need private storage (`is_private`); else small
storage is copied and large writes join the graph. Nothing is eager while a function is traced, history is kept, or a
graph-building call runs (`defer`).

Sharing (`storage`). Pending nodes never refer to shared storage; writes to it happen at once. Arrays that may still be
differentiated are lent read-only.

Budget (`pending_queue`). Beyond it pending handles are flushed at a statement that repeats, so that plans repeat. After
two flushes without a cached plan, as in loops whose iterations differ, each iteration is flushed by itself.

Cost. Handles, nodes and small leaves are recycled; index paths are inlined; `evaluate` is a plain C function.
"""
