"""Answers about an evaluation without running it.

    dry_run    the pending operations below an array; the plan, steps and memory that an evaluation would use
    foresight  the form of the answers

Only the graph is read. `lazyarr.inspect` formats and draws the answers.
"""
