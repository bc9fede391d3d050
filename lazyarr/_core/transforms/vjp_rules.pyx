"""Tables of derivative rules, by operation name.

A loop has a program for each operand, which the core runs on nodes (cotangent_ops.pyx). Folds, calls, and calls that
change an array have functions of arrays.
"""
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.ir.inner_loops cimport find_ufunc

cdef dict _of_loops = {}     # by name, result index if several, whether complex: a program for each operand, or None
cdef dict _of_folds = {}     # by loop name
cdef dict _of_calls = {}
cdef dict _of_changes = {}   # for calls that change their first input


class NotDifferentiable(TypeError):
    """Raised when an operation without a derivative lies between result and input."""

    __module__ = "lazyarr"  # where users find it, and what tracebacks say


cdef bint _are_stated = False


cdef int register_rules() except -1:
    """Register all rules of the layers above before the first lookup."""
    global _are_stated
    if not _are_stated:
        call_hook("rules", ())
        _are_stated = True
    return 0


cdef object rules_of_loop(object key, bint of_complex):
    """Return a program, or None for zero, for each operand of a loop; None if there is no derivative."""
    register_rules()
    found = _of_loops.get((key, "of complex")) if of_complex else None
    return _of_loops.get(key) if found is None else found


cdef object rule_of_fold(object name):
    register_rules()
    rule = _of_folds.get(name)
    if rule is None:
        raise NotDifferentiable(f"{name} along axes has no derivative")
    return rule


cpdef tuple call_rule(str name, object function):
    """Return the rule of a call and its keywords; raise NotDifferentiable if there is none."""
    return _rule_of(name, function, _of_calls)


cpdef tuple change_rule(str name, object function):
    """The same for a call that changes an array."""
    return _rule_of(name, function, _of_changes)


cdef tuple _rule_of(str name, object function, dict rules):
    """Return the rule of a call, and the keywords of the called function, which are passed to the rule."""
    register_rules()
    rule = getattr(function, "pull_back", None)
    if rule is not None:
        return rule, {}
    rule = rules.get(name)
    if rule is None:
        raise NotDifferentiable(f"{name} has no derivative")
    return rule, getattr(function, "keywords", {})


def add_rule(key, programs):
    """Register the derivative of a loop: a program for each operand, None where it is zero everywhere.

    A program is (instructions, constants, result). An instruction is (ufunc, operands). Operands and the result are
    indices into: the cotangent, the loop's result, its inputs, then results of instructions; -1 - k is constant k. In
    place of a ufunc, None selects by its first operand between the other two.
    """
    compiled = []
    for program in programs:
        if program is not None:
            instructions, constants, result = program
            program = [(0 if u is None else <size_t>find_ufunc(u), operands) for u, operands in instructions], \
                constants, result
        compiled.append(program)
    _of_loops[key] = compiled


def add_fold_rule(name, rule):
    """Register the derivative of a fold: rule(cotangent, result, operand, axes, kept) -> cotangent of the operand."""
    _of_folds[name] = rule


def add_call_rule(name, rule):
    """Register the derivative of a call: rule(cotangent, result, operands, wanted) -> a cotangent or None for each.

    The rule also gets the `keywords` of the called function, from its partial. A rule that only moves and adds elements
    of the cotangent has an attribute `moves`. For a call with several results, cotangents are in a dict by index,
    without unneeded ones, and results in a tuple.
    """
    _of_calls[name] = rule


def add_change_rule(name, rule):
    """Register the derivative of a call that changes an array: rule(cotangent, operands, wanted).

    The cotangent is that of the changed array; the rule turns it into that of the old values, in place, and returns
    those of the other operands. If it needs the old values, it has an attribute `reads`: they are the first operand
    then, whose cotangent is None.
    """
    _of_changes[name] = rule


cdef bint reads_what_it_changes(name):
    """Return whether the derivative of a call that changes an array needs the old values."""
    register_rules()
    return getattr(_of_changes.get(name), "reads", False)
