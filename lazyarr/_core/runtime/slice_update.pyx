"""Updates: storage with a window replaced, in place if the old values have no other reader."""
from cpython.object cimport PyObject
from libc.string cimport memcpy
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.ir.fingerprint cimport Walk, sole_owner
from lazyarr._core.ir.node cimport EMPTY, MAX_DIMS, REPEAT, VIEW, Node, dense_strides
from lazyarr._core.ir.overlap cimport (
    Window, copy_nd, copy_outside, replaced_window, same_window, shown_window, windows_clash)
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.arena cimport may_move, memory_of

cdef enum:
    MOVED = 2               # length of (node, donor) entries; detours have longer ones

cdef struct CopyCounts:
    long long copies

cdef CopyCounts _counts = CopyCounts(0)


def copies():
    """Return how often storage was copied for an update because its old values were still needed."""
    return _counts.copies


cdef void count_copy() noexcept:
    _counts.copies += 1


cdef int move_memory(Node node, Node donor, list placed) except -1:
    node.owner = donor.owner
    node.data = donor.data
    donor.owner = None
    placed.append((node, donor))
    return 0


cdef bint place_update(Walk* w, TileProgram p, tuple in_place, int store, bint short, list placed) except -1:
    """Allocate an update; return True if the program overwrites old values, which only a `short` one may.

    old storage is ours, and there is nothing in it yet      fill the window
    ... and it dies here, reads do not clash                 overwrite the window
    ... but they clash, and the window is small              compute the window beside it, then copy it in
    otherwise                                                new storage; copy what the window leaves out
    """
    cdef int at = p.store_node[store]
    cdef Node node = <Node>w.nodes[at], old = <Node>node.inputs[0]
    cdef Buffer block
    cdef Window window = replaced_window(node)
    cdef npy_intp nbytes = window.size
    cdef bint clash
    cdef int d
    for d in range(window.ndim):
        nbytes *= window.shape[d]
    if at in in_place and sole_owner(<PyObject*>old) and may_move(w, old, at):
        if old.kind == EMPTY or _is_stored_before(w, p, store, old):
            move_memory(node, old, placed)
            return False
        clash = _reads_clash(w, p, old, window)
        if clash and nbytes * 2 < old.span:
            block = new_buffer(nbytes)
            move_memory(node, old, placed)
            placed.append(_detour(node, block))
            return False
        if not clash and short:
            move_memory(node, old, placed)
            return True
    count_copy()
    block = memory_of(w, at)
    copy_outside(old, block.data, old.data, window)
    node.owner = block
    node.data = block.data
    return False


cdef bint _is_stored_before(Walk* w, TileProgram p, int store, Node node) noexcept:
    cdef int k
    for k in range(store):
        if w.nodes[p.store_node[k]] == <PyObject*>node:
            return True
    return False


cdef bint _reads_clash(Walk* w, TileProgram p, Node old, Window window) noexcept:
    cdef int k
    cdef bint repeated
    cdef Node load
    for k in range(p.nload):
        load = <Node>w.nodes[p.load_node[k]]
        repeated = load.kind == REPEAT and load.data is NULL
        if repeated:
            load = <Node>load.inputs[0]
        if load.kind == VIEW and load.data is NULL:
            if <Node>load.inputs[0] is not old:
                continue
        elif load is not old:
            continue
        if not repeated and same_window(shown_window(load), window):
            continue
        if windows_clash(old, shown_window(load), window):
            return True
    return False


cdef tuple _detour(Node node, Buffer block):
    """Redirect an update to a block of its window's size; `end_detours` copies it in and restores the window."""
    cdef Window window = replaced_window(node)
    cdef int d
    saved = (node, block, node.owner, <size_t>node.data, node.window_offset,
             [window.strides[d] for d in range(window.ndim)])
    dense_strides(window.ndim, window.shape, window.size, window.strides)
    node.data = block.data
    node.window_offset = 0
    return saved


cdef int end_detours(list placed) except -1:
    """Copy redirected windows into place."""
    cdef Node node
    cdef Buffer block
    cdef tuple entry
    cdef Window window
    cdef npy_intp packed[MAX_DIMS]
    for entry in placed:
        if len(entry) == MOVED:
            continue
        node, block = entry[0], entry[1]
        window = replaced_window(node)
        memcpy(packed, window.strides, window.ndim * sizeof(npy_intp))
        _restore(entry)
        copy_nd(node.data + node.window_offset, window.strides, block.data, packed, window.shape, window.ndim,
                window.size)
    return 0


cdef int hand_back(list placed) except -1:
    """Undo the allocations of a program's results and their donors."""
    cdef tuple entry
    for entry in reversed(placed):  # several windows on one storage pass it on
        if len(entry) == MOVED:
            (<Node>entry[1]).owner = (<Node>entry[0]).owner
        else:
            _restore(entry)
    return 0


cdef int _restore(tuple saved) except -1:
    """Restore an update's storage and window."""
    cdef Node node = saved[0]
    cdef npy_intp* strides = replaced_window(node).strides
    node.owner = saved[2]
    node.data = <char*><size_t>saved[3]
    node.window_offset = saved[4]
    for d, stride in enumerate(saved[5]):
        strides[<int>d] = stride
    return 0
