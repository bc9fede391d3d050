"""LazyArray: operators, methods and calls, done at once or recorded in the graph.

`lazy_array` has the class, `handle` what connects an array to its node, `pending_queue` those that wait, `storage` and
`views` who shares whose memory. A call of a ufunc goes through `ufunc_call`, one of the drop-in face's functions
through `function`. Both compute at once what is small and has its values (`eager`, `eager_ufunc`, `eager_index`,
`eager_product`, and the table `native_forms`), and build nodes of anything else. `hooks` calls what the layers above
have registered.
"""
