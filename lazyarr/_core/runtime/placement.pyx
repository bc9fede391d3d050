"""Evaluation on several devices: the order of the parts of a graph, and the copies between them.

Transfers cut a graph into *parts*: values computed on one device after the same copies, for the same readers. A part is
one evaluation. The evaluating thread runs the parts one after the other while copies run in the background. Among parts
whose copies have ended, the one with the most dependent transfers runs first, so that copies begin early.

Copies of existing values begin a few parts ahead, to bound memory. Copies of computed values begin at once.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.sequence cimport PySequence_Fast_ITEMS

cimport cython

from lazyarr._core.host.device_table cimport device_name
from lazyarr._core.ir.builder cimport masked_node, view_node
from lazyarr._core.ir.fingerprint cimport stores_nothing
from lazyarr._core.ir.node cimport COMPRESS, LEAF, PACKED, REMOTE, SCALAR, VIEW, Node, has_value, is_on_host
from lazyarr._core.runtime cimport evaluation
from lazyarr._core.runtime.device_fallback cimport note_no_room, issue_warnings
from lazyarr._core.runtime.evaluation cimport evaluate_graph, observer
from lazyarr._core.runtime.evaluation_lock cimport held
from lazyarr._core.runtime.eviction cimport begin_use, end_use
from lazyarr._core.runtime.status_words cimport report_unread
from lazyarr._core.runtime.transfer cimport (
    Copy, Transfer, begin_fetch, begin_transfer, end_fetch, end_transfer, end_without_copy, is_transfer, needs_no_copy,
    stay_on_host, transfer_node, value_on)

cdef enum:
    PREFETCHED = 3      # parts whose copies begin early: the next one and two more


cdef int _evaluate_on_devices(PyObject** roots, int count, bint fetch) except -1:
    cdef int i
    cdef list nodes = [<Node>roots[i] for i in range(count) if not is_on_host(<Node>roots[i])]
    cdef _Schedule schedule = _Schedule(nodes, fetch)
    if not nodes:
        return 0
    report_unread()
    with held():
        schedule.find_parts()
    begin_use(nodes)
    try:
        schedule.run()
    finally:
        end_use(nodes)
        schedule.report()
        issue_warnings()
    return 0


evaluation.evaluate_on_devices = _evaluate_on_devices


cdef list schedule_of(list roots):
    """Return what the evaluation of nodes does, in order: parts and copies with their dependencies.

    A part is (None, device, results, indices), a copy (origin, device, [value], indices), where indices are those of
    the entries it waits for.
    """
    cdef _Schedule schedule = _Schedule(roots, False)
    with held():
        schedule.find_parts()
    return schedule.in_order()


@cython.final
cdef class _Part:
    """Values that are computed together."""
    cdef list nodes
    cdef object waits_for       # bit set of transfers
    cdef int urgency            # number of dependent transfers
    cdef int place


@cython.final
cdef class _Schedule:
    """The parts of an evaluation and the copies between them.

    Only the graph refers to the nodes inside parts; other references would mark them as wanted.
    """
    cdef list roots
    cdef set wanted             # addresses of the requested nodes
    cdef bint fetch
    cdef list transfers         # transfer nodes; None once they have their values
    cdef list were_there        # by transfer: whether its operand existed before
    cdef dict needs             # by address of a pending node: bit set of the transfers it depends on
    cdef dict readers           # by address: a value that a part computes, and its readers
    cdef dict moved             # by address and device: the copy of a value there
    cdef list replaced          # keeps operands alive whose addresses are keys
    cdef list parts             # parts that have not run
    cdef list fetches           # (node, Copy) of roots fetched to the host
    cdef list copies            # copies begun, for the report

    def __cinit__(self, list roots, bint fetch):
        self.roots, self.fetch = roots, fetch
        self.wanted = {id(node) for node in roots}
        self.transfers, self.were_there, self.fetches, self.copies = [], [], [], []
        self.needs, self.readers, self.moved, self.replaced = {}, {}, {}, []

    # ---- parts -----------------------------------------------------------------------------------------

    cdef int find_parts(self) except -1:
        cdef Node node
        cdef _Part part
        cdef dict found = {}
        for node in self.roots:
            self.visit_below(node)
            if not has_value(node) and not is_transfer(node):
                self.want(node, -1)
        for node, readers in self.readers.values():
            key = node.device, self.needs[id(node)], frozenset(readers)
            part = found.get(key)
            if part is None:
                part = found[key] = _Part.__new__(_Part)
                part.nodes, part.waits_for, part.place = [], self.needs[id(node)], len(found)
                part.urgency = self.count_transfers(readers)
            part.nodes.append(node)
        self.parts = sorted(found.values(), key=_order)
        self.moved = self.readers = self.replaced = None
        return 0

    cdef int want(self, Node node, object reader) except -1:
        self.readers.setdefault(id(node), (node, set()))[1].add(reader)
        return 0

    cdef int count_transfers(self, set readers) except -1:
        """Return how many transfers depend on a value with these readers, directly or not."""
        cdef int count = 0, t
        direct = 0
        for reader in readers:
            if type(reader) is int and reader >= 0:
                direct |= _bit(reader)
        for t in range(len(self.transfers)):
            count += self.needs[id(self.transfers[t])] & direct != 0
        return count

    cdef int visit_below(self, Node root) except -1:
        """Visit the pending nodes below a root, operands first, without recursion."""
        cdef Node node, operand
        cdef int k
        cdef list stack = [root]
        while stack:
            node = stack[len(stack) - 1]
            if id(node) in self.needs or has_value(node):
                stack.pop()
                continue
            for k in range(node.ninputs):
                operand = <Node>node.inputs[k]
                if id(operand) not in self.needs and not has_value(operand):
                    stack.append(operand)
            if stack[len(stack) - 1] is node:
                stack.pop()
                self.visit(node)
        return 0

    cdef int visit(self, Node node) except -1:
        """Record the transfers that a node depends on; make it read operands on its device."""
        cdef int k
        needs = 0
        if is_transfer(node):
            return self.visit_transfer(node)
        for k in range(node.ninputs):
            self.move_operand(node, k)
            needs |= self.needs.get(<size_t>node.inputs[k], 0)
        self.needs[id(node)] = needs
        for k in range(node.ninputs):
            self.note_reader(<Node>node.inputs[k], needs)
        return 0

    cdef int visit_transfer(self, Node node) except -1:
        cdef Node source = <Node>node.inputs[0]
        cdef int number = <int>len(self.transfers)
        first = self.moved.setdefault((id(source), node.device), node)
        if first is not node:       # share one copy
            self.replace_input(node, 0, <Node>first)
            source = <Node>first
        self.transfers.append(node)
        self.were_there.append(has_value(source))
        self.needs[id(node)] = self.needs.get(id(source), 0) | _bit(number)
        if not has_value(source) and not is_transfer(source):
            self.want(source, number)
        return 0

    cdef int note_reader(self, Node operand, object needs) except -1:
        """Record the reader of an operand that can be computed before the reader."""
        if operand.kind == VIEW:
            operand = <Node>operand.inputs[0]
        if not (has_value(operand) or is_transfer(operand) or self.needs[id(operand)] == needs
                or operand.kind == COMPRESS or operand.kind == PACKED or stores_nothing(operand)):
            self.want(operand, ("part", needs))
        return 0

    cdef int move_operand(self, Node node, int k) except -1:
        """Make a node read a copy of an operand that is on another device."""
        cdef Node operand = <Node>node.inputs[k], base = operand, brought
        if operand.kind == VIEW:
            base = <Node>operand.inputs[0]
        if _is_resident(base, node.device):
            return 0
        brought = self.moved.get((id(operand), node.device))
        if brought is None:
            if operand.kind == COMPRESS or operand.kind == PACKED:
                brought = _made_again(operand, node.device)
            elif operand.kind == VIEW and (base.typenum < 0 or 4 * operand.size * operand.itemsize < base.span):
                brought = transfer_node(operand, node.device)
            else:
                brought = self.moved.get((id(base), node.device))
                if brought is None:
                    brought = self.moved[id(base), node.device] = value_on(base, node.device)
                elif is_transfer(brought):
                    (<Transfer>brought.payload[1]).is_kept = True
                if operand.kind == VIEW:
                    brought = view_node(brought, operand)
            self.moved[id(operand), node.device] = brought
            self.visit_below(brought)
        return self.replace_input(node, k, brought)

    cdef int replace_input(self, Node node, int k, Node other) except -1:
        cdef Node operand = <Node>node.inputs[k]
        node.inputs[k] = <PyObject*>other
        Py_INCREF(other)
        self.replaced.append(operand)
        Py_DECREF(operand)
        return 0

    # ---- execution -------------------------------------------------------------------------------------

    cdef int run(self) except -1:
        cdef _Part part
        while self.parts:
            self.begin_copies()
            part = self.next_part()
            if part is None:
                self.wait_for_copy()
                continue
            self.parts.remove(part)
            self.end_copies(part.waits_for)
            if not all([has_value(<Node>node) for node in part.nodes]):  # a part that reads them may have run already
                evaluate_graph(PySequence_Fast_ITEMS(part.nodes), <int>len(part.nodes))
        self.begin_copies()
        for node in self.roots:
            self.end_copies(self.needs.get(id(node), 0))
        self.begin_fetches()
        for node, copy in self.fetches:
            (<Copy>copy).wait()
            with held():
                end_fetch(<Node>node, <Copy>copy)
        failed = [node for node in self.roots if not has_value(<Node>node)]
        if failed:  # an operand failed in another thread
            evaluate_graph(PySequence_Fast_ITEMS(failed), <int>len(failed))
        return 0

    cdef _Part next_part(self):
        """Return the most urgent part whose copies have ended, or None."""
        cdef _Part part
        for part in self.parts:
            if self.is_ready(part):
                return part
        return None

    cdef bint is_ready(self, _Part part) except -1:
        for t in _members(part.waits_for):
            if not self.has_ended(t):
                return False
        return True

    cdef bint has_ended(self, int t) except -1:
        cdef Copy copy = self.copy_of(t)
        return self.is_done(t) or copy is not None and copy.has_ended

    cdef Copy copy_of(self, int t):
        """Return the copy of a transfer without value, or None."""
        if self.is_done(t) or not is_transfer(<Node>self.transfers[t]):
            return None
        return (<Transfer>(<Node>self.transfers[t]).payload[1]).copy

    cdef bint is_done(self, int t) except -1:
        """Return whether a transfer has its value, by this thread or another."""
        if self.transfers[t] is not None and has_value(<Node>self.transfers[t]):
            self.transfers[t] = None
        return self.transfers[t] is None

    cdef int begin_copies(self) except -1:
        """Begin the copies that are possible and needed soon."""
        cdef int t
        soon = self.needed_soon()
        for t in range(len(self.transfers)):
            if self.may_begin(t, soon):
                self.begin_copy(t, False)
        return self.begin_fetches()

    cdef int begin_copy(self, int t, bint is_needed) except -1:
        """Begin a copy if its source exists; if it is not needed yet, lack of memory is no error."""
        cdef Node node, source
        cdef Copy copy
        if self.is_done(t) or not is_transfer(<Node>self.transfers[t]):
            return 0
        node = self.transfers[t]
        source = <Node>node.inputs[0]
        if is_transfer(source) and (<Transfer>source.payload[1]).copy is not None \
                and (<Transfer>source.payload[1]).copy.has_ended:
            with held():
                end_transfer(source)
            if self.is_done(t):     # done by another thread
                return 0
        if has_value(source) and self.copy_of(t) is None and needs_no_copy(node):
            with held():
                end_without_copy(node)
        elif has_value(source):
            before = self.copy_of(t)
            try:
                copy = begin_transfer(node)
            except MemoryError as error:
                return self.leave_on_host(node, error) if is_needed else 0
            if copy is not before:
                self.copies.append(copy)
        return 0

    cdef int leave_on_host(self, Node node, object error) except -1:
        """Keep a transfer's value on the host for lack of memory; raise if the program requested the transfer."""
        with held():
            if not has_value(node) and not stay_on_host(node):
                raise error
        return note_no_room(error)

    cdef int wait_for_copy(self) except -1:
        """Wait for a running copy, preferably one that the most urgent part needs."""
        cdef _Part part
        cdef int t
        for part in self.parts:
            for t in _members(part.waits_for):
                if self.copy_of(t) is not None and not self.has_ended(t):
                    return self.wait(t)
        for part in self.parts:     # no memory for more
            for t in _members(part.waits_for):
                if not self.has_ended(t):
                    self.begin_copy(t, True)
                    if self.has_ended(t) or self.copy_of(t) is not None:
                        return 0
        raise RuntimeError("parts of a graph on several devices wait for each other")

    cdef int wait(self, int t) except -1:
        cdef Copy copy = self.copy_of(t)
        return 0 if copy is None else copy.wait()

    cdef int end_copies(self, object numbers) except -1:
        """Give transfers their values, first those that other copies read."""
        cdef int t
        for t in _members(numbers):
            self.begin_copy(t, True)
            if not self.is_done(t):
                self.wait(t)
                with held():
                    end_transfer(<Node>self.transfers[t])
        return 0

    cdef int begin_fetches(self) except -1:
        cdef Node node
        cdef Copy copy
        if self.fetch:
            for node in self.roots:
                if node.kind == REMOTE and not any([node is begun for begun, _ in self.fetches]):
                    copy = begin_fetch(node)
                    if copy is not None:
                        self.fetches.append((node, copy))
                        self.copies.append(copy)
        return 0

    cdef list in_order(self):
        """Return the schedule, assuming that each copy ends as soon as something waits for it."""
        cdef list rows = []
        cdef dict row_of = {}       # by address of a value
        cdef Node node, source
        cdef _Part part
        cdef int t
        begun, count = 0, -1
        while len(rows) > count:
            count = <int>len(rows)
            soon = self.needed_soon()
            for t in range(len(self.transfers)):
                node = self.transfers[t]
                source = <Node>node.inputs[0]
                if not begun >> t & 1 and self.may_begin(t, soon) and (has_value(source) or id(source) in row_of):
                    begun |= _bit(t)
                    if id(source) in row_of and source.device == node.device:   # another transfer copies it
                        row_of[id(node)] = row_of[id(source)]
                    if id(node) in row_of or has_value(source) and needs_no_copy(node):
                        continue
                    rows.append((source.device, node.device, [node], [row_of[id(source)]] if id(source) in row_of
                                 else []))
                    row_of[id(node)] = len(rows)
            for part in self.parts:
                if part.waits_for & ~begun == 0:
                    rows.append((None, (<Node>part.nodes[0]).device, part.nodes,
                                 self.foresee_part(part, row_of, <int>len(rows) + 1)))
                    break
        return rows

    cdef list foresee_part(self, _Part part, dict row_of, int row):
        """Record a part and the parts inside it in the schedule; return the rows that it reads."""
        cdef Node node, operand
        cdef _Part other
        cdef int k
        cdef list todo = list(part.nodes)
        cdef set seen = {id(node) for node in todo}, rows = set()
        while todo:
            node = todo.pop()
            for k in range(node.ninputs):
                operand = <Node>node.inputs[k]
                if id(operand) in row_of:
                    rows.add(row_of[id(operand)])
                elif id(operand) not in seen and not has_value(operand):
                    seen.add(id(operand))
                    todo.append(operand)
        for other in self.parts:
            row_of.update({id(node): row for node in other.nodes if id(node) in seen})
        self.parts = [other for other in self.parts if not all([id(node) in row_of for node in other.nodes])]
        return sorted(rows)

    cdef object needed_soon(self):
        """Return the bit set of the transfers that the next parts wait for."""
        soon = 0
        for part in self.parts[:PREFETCHED]:
            soon |= (<_Part>part).waits_for
        return soon

    cdef bint may_begin(self, int t, object soon) except -1:
        return not self.were_there[t] or soon >> t & 1 or id(self.transfers[t]) in self.wanted

    cdef int report(self) except -1:
        """Report the finished copies to the observer."""
        cdef Copy copy
        listener = observer()
        if listener is not None:
            for copy in self.copies:
                if copy.has_ended:
                    listener({"steps": 1, "ops": 1, "fused": 0, "bytes": copy.nbytes, "seconds": copy.seconds,
                              "hit": True, "opaque": [], "began": copy.began, "kinds": ["copy"],
                              "device": device_name(copy.device),
                              "timeline": [(copy.label, copy.began, copy.seconds, copy.lane, [])]})
        return 0


def _order(_Part part):
    return -part.urgency, part.place


cdef Node _made_again(Node selection, int device):
    """Rebuild a selection, which has no memory to copy, on another device; its operands are yet to be moved."""
    cdef Node made = masked_node(selection.kind, selection.loop, selection.ninputs, selection.inputs)
    made.err, made.code, made.lasti = selection.err, selection.code, selection.lasti
    made.attr, made.payload = selection.attr, selection.payload
    made.device = device
    made.devices |= 1 << device
    return made


cdef bint _is_resident(Node storage, int device) noexcept:
    """Return whether a value is or will be in a device's memory; constants always are."""
    if storage.kind == SCALAR:
        return True
    if storage.kind == LEAF:
        return device == 0
    return storage.device == device


cdef list _members(object bits):
    """Return the elements of a bit set."""
    return [number for number, digit in enumerate(reversed(bin(bits))) if digit == "1"]


cdef object _bit(int number):
    """Return a set of one element; sets may exceed a machine word."""
    return (<object>1) << number
