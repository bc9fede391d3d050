"""Kernel launches: a tile program's axes and operands as kernel arguments.

Axes along which all operands advance alike are merged. Extents, offsets, strides and constants go into one array of
64-bit integers, in the order given in `lazyarr/gpu/generator/tile_kernels.py`.
"""
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

cimport cython
from numpy cimport NPY_CFLOAT, NPY_FLOAT, npy_intp

from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory
from lazyarr._core.ir.fp_errors cimport reported_flags
from lazyarr._core.ir.loop_table cimport LOOP_STATUS, NPY_HALF, Loop
from lazyarr._core.ir.node cimport MAX_DIMS, REPEAT, SCALAR, UPDATE, VIEW, Node, dense_strides, first_element
from lazyarr._core.ir.tile_program cimport SCANS, SEARCHES, TileProgram
from lazyarr._core.ir.ufunc_traits cimport PRODUCT
from lazyarr._core.runtime.executor cimport name_of
from lazyarr._core.tile.loop_nest cimport fold_strides, load_strides
from lazyarr._core.tile.reduce cimport parts_of

cdef enum:
    GROUP = 256             # threads of a group
    MOST_GROUPS = 4096      # groups loop until all elements are done
    LEAST_FOLDED = 8        # elements that a thread reduces before results are combined
    ENOUGH_GROUPS = 1024    # with this many results, one group reduces each
    ENOUGH_LINES = 65536    # with this many lines, one work-item reduces each, despite uncoalesced reads
    BUFFERED = 8192         # elements of NumPy's buffer
    MOST_ROUNDED = 0x7fffffff
    LEAST_STAGED = 64       # elements from which on a group reduces a result in order
    FOUND = 16              # bytes of a partial search result: value and index

group_size, most_groups, found_bytes = GROUP, MOST_GROUPS, FOUND    # for the generator


@cython.final
cdef class Launch:
    """A kernel launch in preparation: the strides and memory of a program's operands."""

    cdef int lay_out(self) except -1:
        """Merge the axes along which all operands advance alike."""
        cdef int k, d, lead, ndim = self.space.ndim, count = self.p.nstore + self.p.nload + self.p.nfold
        cdef uint64_t axes = 0
        cdef Node node
        cdef npy_intp* row
        self.folds = self.p.nfold > 0 and self.p.in_order != SCANS
        if self.folds:
            axes = (<Node>self.w.nodes[self.p.fold_calls[0].node]).axes
        self.strides = bytearray((count + self.p.nload + 1) * ndim * sizeof(npy_intp))
        self.raw = row = <npy_intp*><char*>self.strides
        self.times = row + count * ndim
        for k in range(self.p.nstore):
            node = <Node>self.w.nodes[self.p.store_node[k]]
            for d in range(ndim):
                row[d] = node.window[1 + ndim + d] if node.kind == UPDATE else node.strides[d]
            row += ndim
        for k in range(self.p.nload):
            node = self.load(k)
            lead = ndim - node.ndim
            load_strides(<Node>node.inputs[0] if is_repeated(node) else node, ndim, self.space.shape, row)
            for d in range(ndim):
                self.times[k * ndim + d] = node.payload[2][d - lead] if row[d] and is_repeated(node) else 1
            row += ndim
        for k in range(self.p.nfold):
            node = <Node>self.w.nodes[self.p.fold_calls[k].node]
            if self.folds or node.ndim == ndim:
                fold_strides(node, axes, ndim, row)
            else:               # cumulative, over all elements
                dense_strides(ndim, self.space.shape, node.itemsize, row)
            row += ndim
        if self.folds and not self.p.in_order:
            self.find_order(axes, self.times + self.p.nload * ndim)
        self.merge(&self.kept, ~axes, count)
        self.merge(&self.folded, axes, count)
        self.nkept, self.nfolded = _size(&self.kept), _size(&self.folded)
        self.order = self.choose_order() if self.source is not NULL else ""
        self.sources = [storage_of(self.load(k)).owner for k in range(self.p.nload)]
        self.memory = []
        return 0

    cdef int merge(self, Axes* axes, uint64_t among, int count) except -1:
        """Merge neighbouring axes, taken in the memory order of the first operand that moves along both.

        Searched axes stay in the order in which their elements are numbered.
        """
        cdef int order[MAX_DIMS]
        cdef int found = 0, axis, d
        cdef bint in_order = axes == &self.folded and self.p.in_order == SEARCHES
        for axis in range(self.space.ndim):
            if among >> axis & 1 and self.space.shape[axis] != 1:
                d = found
                while d > 0 and not in_order and self.is_outside(axis, order[d - 1], count):
                    order[d] = order[d - 1]
                    d -= 1
                order[d] = axis
                found += 1
        axes.count = 0
        for d in range(found):
            axis = order[d]
            if d and self.joins(order[d - 1], axis, count):
                axes.extents[axes.count - 1] *= self.space.shape[axis]
            else:
                axes.extents[axes.count] = self.space.shape[axis]
                axes.count += 1
            axes.innermost[axes.count - 1] = axis
        return 0

    cdef int find_order(self, uint64_t axes, npy_intp* row) except -1:
        """Find the order of NumPy's ordered folds, if there are any; `row` has room for the strides.

        The order follows the strides of the array that NumPy would reduce.
        """
        cdef int order[MAX_DIMS]
        cdef int k, axis, d, found = 0
        cdef Loop* loop
        cdef Node source
        for k in range(self.p.nfold):
            loop = self.p.fold_calls[k].loop
            if loop.traits & PRODUCT and (loop.types[0] == NPY_HALF or loop.types[0] >= NPY_FLOAT):
                source = <Node>(<Node>self.w.nodes[self.p.fold_calls[k].node]).inputs[0]
                load_strides(source, self.space.ndim, self.space.shape, row)
                self.source = row
                break
        if self.source is NULL:
            return 0
        for axis in range(self.space.ndim):
            if self.space.shape[axis] != 1:
                d = found
                while d > 0 and row[axis] and row[order[d - 1]] and abs(row[order[d - 1]]) < abs(row[axis]):
                    order[d] = order[d - 1]
                    d -= 1
                order[d] = axis
                found += 1
        self.rounded = 1
        if found:
            self.is_inner_folded = axes >> order[found - 1] & 1
            is_buffered = self.find_run(axes, order, found)
            # NumPy uses another complex64 loop for negative strides
            self.is_apart = self.is_inner_folded or \
                loop.types[0] == NPY_CFLOAT and not is_buffered and row[order[found - 1]] < 0
        return 0

    cdef bint find_run(self, uint64_t axes, int* order, int found) noexcept:
        """Find the number of elements per loop call along the innermost axes; return whether NumPy buffers them.

        Non-adjacent rows are copied to a buffer, as many as fit, up to the end of the next axis.
        """
        cdef npy_intp runs[MAX_DIMS]
        cdef npy_intp run, end = 0
        cdef int axis, d, count = 0
        for d in range(found - 1, -1, -1):
            axis = order[d]
            if <bint>(axes >> axis & 1) != self.is_inner_folded:
                break
            if count and self.source[axis] == self.source[order[d + 1]] * self.space.shape[order[d + 1]]:
                runs[count - 1] *= self.space.shape[axis]
            else:
                runs[count] = self.space.shape[axis]
                count += 1
        run, d = runs[0], 1
        while d < count and run * runs[d] <= BUFFERED:
            run *= runs[d]
            d += 1
        if d < count and run < BUFFERED:
            end = run * runs[d]
            run = min(BUFFERED // run * run, end)
        if self.is_inner_folded:
            self.rounded = run | end << 32 if end < MOST_ROUNDED else run
        return count > 1 and runs[0] < BUFFERED

    cdef object choose_order(self):
        """Choose what reduces a result: a work-item for many results or few elements, else a group."""
        cdef int k
        for k in range(self.p.nfold):   # only groups combine partial sums
            if not self.p.fold_calls[k].loop.traits & PRODUCT:
                return "groups"
        if self.nfolded < LEAST_STAGED or self.nkept >= (ENOUGH_LINES if self.is_inner_folded else ENOUGH_GROUPS):
            return "items"
        return "groups"

    cdef bint is_outside(self, int a, int b, int count) noexcept:
        cdef npy_intp first, second
        cdef int k
        if self.source is not NULL and self.source[a] and self.source[b] and abs(self.source[a]) != abs(self.source[b]):
            return abs(self.source[a]) > abs(self.source[b])
        for k in range(count):
            first, second = abs(self.raw[k * self.space.ndim + a]), abs(self.raw[k * self.space.ndim + b])
            if first and second and first != second:
                return first > second
        return False

    cdef bint joins(self, int a, int b, int count) noexcept:
        cdef int k
        for k in range(count):
            if self.raw[k * self.space.ndim + a] != self.raw[k * self.space.ndim + b] * self.space.shape[b]:
                return False
        for k in range(self.p.nload):
            if self.times[k * self.space.ndim + a] != 1 or self.times[k * self.space.ndim + b] != 1:
                return False
        return True

    cdef list form(self):
        """Return the arguments of `gpu.generator.tile_kernels.Form`: what specialises a kernel besides its program."""
        from lazyarr._core.kernels.winograd import get_exact    # only device programs need it
        cdef int k
        cdef Node node
        cdef list flags = [], types = [], single = []
        cdef bint clips = False
        constants = [k for k in range(self.p.nload) if is_constant(self.load(k))]
        repeated = [k for k in range(self.p.nload) if is_repeated(self.load(k))]
        for k in range(self.p.ninstr):
            flags.append(self.flags_of(self.p.calls[k].loop, self.p.calls[k].node))
            clips |= <object>self.p.calls[k].loop.name == "clip"
        if clips:   # NumPy uses another loop for scalar bounds: -0.0 then lies within 0.0 and 1.0
            single = [k for k in range(self.p.nload) if k not in constants and self.is_single(k)]
        for k in range(self.p.nfold):
            flags.append(self.flags_of(self.p.fold_calls[k].loop, self.p.fold_calls[k].node) if self.folds else 0)
        for k in range(self.p.nload):
            types.append(self.load(k).dtype.char)
        for k in range(self.p.nstore):
            node = <Node>self.w.nodes[self.p.store_node[k]]
            types.append((<Node>node.inputs[1]).dtype.char if node.kind == UPDATE else node.dtype.char)
        self.reported_flags = tuple(flags)
        return [max(self.kept.count, 1), max(self.folded.count, 1) if self.folds else 0, tuple(constants),
                self.reported_flags, tuple(types), get_exact(), tuple(repeated), tuple(single), self.order,
                self.is_apart and any([fold.dtypes[-1] in "FD" for fold in self.p.folds])]

    cdef bint is_single(self, int k) noexcept:
        """Return whether a load has stride 0; NumPy's loops treat a single element like several equal ones."""
        cdef npy_intp* row = self.raw + (self.p.nstore + k) * self.space.ndim
        cdef int d
        for d in range(self.space.ndim):
            if row[d] and self.space.shape[d] != 1:
                return False
        return self.space.size != 1 or self.load(k).ndim == 0

    cdef int flags_of(self, Loop* loop, int node) except -1:
        return reported_flags((<Node>self.w.nodes[node]).err) if loop.flags & LOOP_STATUS else 0

    cdef int note(self, int word, int number, int at) except -1:
        """Record which operations the flags of a launch belong to."""
        if word >= 0:
            for node, name in self.reported_as(at):
                self.words.note(word, number, node, name)
        return 0

    cdef list reported_as(self, int at):
        """Return an operation and equal ones it stands for, with their names; none if reported by an earlier step."""
        cdef list places = [] if at in self.step.recomputed else [
            at, *[left_out for left_out, computed in self.aliases if <int>computed == at]]
        return [(<Node>self.w.nodes[<int>place], name_of(<Node>self.w.nodes[<int>place])) for place in places]

    cdef npy_intp part_bytes(self, int k) noexcept:
        """Return the bytes of a partial result of a fold."""
        return FOUND if self.p.in_order == SEARCHES else parts_of(self.p.fold_calls[k].loop).sizes[1]

    cdef Node load(self, int k):
        return <Node>self.w.nodes[self.p.load_node[k]]

    cdef list arguments(self, list layout, list partial):
        """Return the blocks of a kernel's pointers; append extents, offsets, strides and constants to `layout`.

        Results of folds go to `partial` blocks, if there are any.
        """
        cdef list blocks = [], constants = []
        cdef Node node
        cdef DeviceMemory memory
        cdef int k, nstore = self.p.nstore, nload = self.p.nload
        self.add_extents(layout, &self.kept)
        if self.folds:
            self.add_extents(layout, &self.folded)
        for k in range(nload):
            node = self.load(k)
            if is_constant(node):
                constants += _words_of(node)
                continue
            memory = self.sources[k]
            blocks.append(memory.handle)
            layout.append(first_element(<Node>node.inputs[0] if is_repeated(node) else node) - memory.data)
            self.add_strides(layout, nstore + k, True)
            if is_repeated(node):
                self.add_along(layout, self.times + k * self.space.ndim, &self.kept, 1)
                if self.p.nfold:
                    self.add_along(layout, self.times + k * self.space.ndim, &self.folded, 1)
        for k in range(nstore):
            node = <Node>self.w.nodes[self.p.store_node[k]]
            memory = self.memory[k]
            blocks.append(memory.handle)
            layout.append(node.data + (node.window_offset if node.kind == UPDATE else node.offset) - memory.data)
            self.add_strides(layout, k, True)
        for k in range(self.p.nfold):
            if partial:
                blocks.append((<DeviceMemory>partial[k]).handle)
                layout += [0] * (1 + max(self.kept.count, 1))
            else:
                blocks.append(self.add_result(layout, k))
        layout += constants
        return blocks

    cdef object add_result(self, list layout, int k):
        """Append the offset and strides of a fold's result; return its block."""
        cdef Node node = <Node>self.w.nodes[self.p.fold_calls[k].node]
        layout.append(node.data + node.offset - (<DeviceMemory>node.owner).data)
        self.add_strides(layout, self.p.nstore + self.p.nload + k, False)
        return (<DeviceMemory>node.owner).handle

    cdef int add_extents(self, list layout, Axes* axes) except -1:
        cdef int d
        for d in range(axes.count):
            layout.append(axes.extents[d])
        if axes.count == 0:
            layout.append(1)
        return 0

    cdef int add_strides(self, list layout, int row, bint along_folded) except -1:
        self.add_along(layout, self.raw + row * self.space.ndim, &self.kept, 0)
        if along_folded and self.folds:
            self.add_along(layout, self.raw + row * self.space.ndim, &self.folded, 0)
        return 0

    cdef int add_along(self, list layout, npy_intp* row, Axes* axes, npy_intp otherwise) except -1:
        """Append a row's values for the merged axes; without axes, for one axis of extent 1."""
        cdef int d
        for d in range(axes.count):
            layout.append(row[axes.innermost[d]])
        if axes.count == 0:
            layout.append(otherwise)
        return 0


cdef npy_intp _size(Axes* axes) noexcept:
    cdef npy_intp n = 1
    cdef int d
    for d in range(axes.count):
        n *= axes.extents[d]
    return n


cdef bint is_repeated(Node load) noexcept:
    """Return whether a load repeats elements that no kernel has repeated."""
    return load.kind == REPEAT and load.data is NULL


cdef Node storage_of(Node node):
    """Return the node that owns a load's memory."""
    if is_repeated(node):
        node = <Node>node.inputs[0]
    return <Node>node.inputs[0] if node.kind == VIEW and node.data is NULL else node


cdef bint is_constant(Node node) noexcept:
    """Return whether a load is one number, passed as a kernel argument."""
    return storage_of(node).kind == SCALAR


cdef list _words_of(Node node):
    """Return the bytes of a constant as two 64-bit integers."""
    cdef int64_t words[2]
    words[0] = words[1] = 0
    memcpy(words, first_element(node), min(node.itemsize, <npy_intp>sizeof(words)))
    return [words[0], words[1]]


cdef int run_kernel(Launch launch, object kernel, object driver, bint* started) except -1:
    """Launch a kernel, and those that combine partial results of folds.

    Sets `started` if the kernel may have overwritten anything, even if a signal handler raises.
    """
    cdef TileProgram p = launch.p
    cdef npy_intp kept = launch.nkept, folded = launch.nfolded
    cdef npy_intp threads = GROUP, groups = min((kept + GROUP - 1) // GROUP, <npy_intp>MOST_GROUPS), chunks = 1
    cdef list partial = [], combining = [], layout, launched = [False]
    cdef int k, word
    if launch.folds and launch.order != "items":
        while threads > 1 and threads * LEAST_FOLDED > folded:
            threads //= 2
        chunks = max(min(folded // (GROUP * LEAST_FOLDED), ENOUGH_GROUPS // kept), 1) if not launch.order else 1
        groups = min(kept * chunks, <npy_intp>MOST_GROUPS)
        if chunks > 1:
            partial = [new_memory(launch.space.device, kept * chunks * launch.part_bytes(k)) for k in range(p.nfold)]
            combining = [_prepare_combining(launch, k, driver) for k in range(p.nfold)]
    layout = [kept, folded, launch.rounded if launch.order else chunks]
    blocks = launch.arguments(layout, partial)
    word = launch.words.reserve(kernel.nstatus)
    try:
        driver.launch(kernel, groups, threads, layout, blocks, launched, launch.words.place(word))
    finally:
        started[0] = launched[0]
    for k in range(p.ninstr + p.nfold):
        if launch.reported_flags[k]:
            launch.note(word, k, p.calls[k].node if k < p.ninstr else p.fold_calls[k - p.ninstr].node)
    for k in range(len(partial)):
        _combine(launch, k, partial[k], chunks, driver, combining[k])
    return 0


cdef tuple _prepare_combining(Launch launch, int k, object driver):
    """Return the kernel that combines partial results of a fold and its status word, which may need memory."""
    flags = launch.reported_flags[launch.p.ninstr + k]
    kernel = driver.combining_kernel(launch.p.folds[k], max(launch.kept.count, 1), flags)
    return kernel, launch.words.reserve(kernel.nstatus)


cdef int _combine(Launch launch, int k, DeviceMemory partial, npy_intp chunks, object driver,
                  tuple prepared) except -1:
    """Reduce the partial results of a fold, which are adjacent for each result."""
    cdef npy_intp dense[MAX_DIMS]
    cdef npy_intp threads = GROUP
    cdef list layout = [launch.nkept, chunks, 1]
    cdef int d, word, nkept = max(launch.kept.count, 1)
    kernel, word = prepared
    while threads > 1 and threads > chunks:
        threads //= 2
    launch.add_extents(layout, &launch.kept)
    layout += [chunks, 0]
    dense_strides(launch.kept.count, launch.kept.extents, launch.part_bytes(k) * chunks, dense)
    layout += [dense[d] if launch.kept.count else 0 for d in range(nkept)] + [launch.part_bytes(k)]
    result = launch.add_result(layout, k)
    driver.launch(kernel, launch.nkept, threads, layout, [partial.handle, result], [False], launch.words.place(word))
    launch.note(word, 0, launch.p.fold_calls[k].node)
    return 0
