"""Tile programs: chains of elementwise operations, reductions and scans, run tile by tile in the cache.

A `tile_program.TileProgram` lists instructions over registers. `loop_nest` lays its operands out over one iteration
space, `tiling` chooses the size of a tile, `interpreter` runs the program on threads; `reduce` and `ordered_reduce` are
the reductions it ends in. `epilogue` runs a tile program on what a kernel has just written.
"""
