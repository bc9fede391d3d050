"""Evaluation on several devices."""

cdef list schedule_of(list roots)
