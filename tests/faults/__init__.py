"""Faults: a server of our own is killed, cut, filled up and held; nothing is lost.

`python -m tests.faults` runs them all with their full numbers; `test_faults.py` runs
each small.
"""
