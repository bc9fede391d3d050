"""Tables of rules for derivatives."""

cdef object rules_of_loop(object key, bint of_complex)
cdef object rule_of_fold(object name)
cdef tuple rule_of_call(str name, object function)
cdef tuple rule_of_change(str name, object function)
cdef bint reads_what_it_changes(name)
