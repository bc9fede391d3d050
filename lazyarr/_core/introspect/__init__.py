"""Answers about an evaluation without running it.

    dry_run      the plan, steps and memory that an evaluation would use
    pending_ops  the operations that are pending below an array

Both read the graph only. `lazyarr.inspect` formats and draws the answers.
"""
