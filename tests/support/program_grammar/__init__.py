"""The grammar of random programs, which :mod:`support.program_runner` runs."""
