"""Tables of derivative rules."""

cdef object rules_of_loop(object key, bint of_complex)
cdef object rule_of_fold(object name)
cpdef tuple call_rule(str name, object function)
cpdef tuple change_rule(str name, object function)
cdef bint reads_what_it_changes(name)
