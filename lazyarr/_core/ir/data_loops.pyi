# Nothing in this module can be seen from Python.
