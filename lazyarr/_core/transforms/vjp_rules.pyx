"""Tables of derivative rules, by the name of what is differentiated.

Of a loop there is a program for each operand, which the core runs on nodes (cotangent_ops.pyx); of folds, of calls, and
of calls that change an array, a function of arrays.
"""
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.ir.inner_loops cimport find_ufunc

cdef dict _of_loops = {}     # by name, for results of several which, if of complex: a program for each operand, or None
cdef dict _of_folds = {}     # by the name of the loop
cdef dict _of_calls = {}
cdef dict _of_changes = {}   # of calls that change their first input


class NotDifferentiable(TypeError):
    """An operation without a derivative lies on the way from what is differentiated to the result."""

    __module__ = "lazyarr"  # where users find it, and what tracebacks say


cdef bint _are_stated = False


cdef int have_stated() except -1:
    """Register all rules of the layers above before one is looked up."""
    global _are_stated
    if not _are_stated:
        call_hook("rules", ())
        _are_stated = True
    return 0


cdef object rules_of_loop(object key, bint of_complex):
    """A program, or None for zero, for each operand of a loop; None if there is no derivative."""
    have_stated()
    found = _of_loops.get((key, "of complex")) if of_complex else None
    return _of_loops.get(key) if found is None else found


cdef object rule_of_fold(object name):
    have_stated()
    rule = _of_folds.get(name)
    if rule is None:
        raise NotDifferentiable(f"{name} along axes has no derivative")
    return rule


cpdef tuple call_rule(str name, object function):
    """The rule of a call of a function, and what it is to be given by name; NotDifferentiable if there is none."""
    return _rule_of(name, function, _of_calls)


cpdef tuple change_rule(str name, object function):
    """The same of a call that changes an array."""
    return _rule_of(name, function, _of_changes)


cdef tuple _rule_of(str name, object function, dict rules):
    """The rule of a call, and what the function that is called was given by name, which the rule is given too."""
    have_stated()
    rule = getattr(function, "pull_back", None)
    if rule is not None:
        return rule, {}
    rule = rules.get(name)
    if rule is None:
        raise NotDifferentiable(f"{name} has no derivative")
    return rule, getattr(function, "keywords", {})


def add_rule(key, programs):
    """State the derivative of a loop: for each operand a program, or None where it is zero everywhere.

    A program is (instructions, constants, result). An instruction is (ufunc, operands); operands and the result are
    places: the cotangent, the loop's result, its inputs, then what instructions gave; -1 - k is constant k. In place of
    a ufunc, None chooses by its first operand between the other two.
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
    """State the derivative of a fold: rule(cotangent, result, operand, axes, kept) gives the operand's cotangent."""
    _of_folds[name] = rule


def add_call_rule(name, rule):
    """State the derivative of a call: rule(cotangent, result, operands, wanted) gives a cotangent or None for each.

    The rule also gets the `keywords` of the called function by name, as a partial has them. A rule that only moves
    elements of the cotangent, and adds some up, declares that by an attribute `moves`. For a call with several
    results, cotangents are in a dict by number, without those that are not needed, and results in a tuple.
    """
    _of_calls[name] = rule


def add_change_rule(name, rule):
    """State the derivative of a call that changes an array: rule(cotangent, operands, wanted) for the other operands.

    The cotangent is that of the changed array. What the rule leaves in it is the cotangent of the old values. If these
    matter, it says so by an attribute `reads`: they are the first of the operands then, whose cotangent is None.
    """
    _of_changes[name] = rule


cdef bint reads_what_it_changes(name):
    """Whether the derivative of a call that changes an array depends on the old values."""
    have_stated()
    return getattr(_of_changes.get(name), "reads", False)
