"""The laws of the store, each taken away in turn: does a test notice?

`python -m tests.mutants` applies one mutant after the other to a copy of the tree and
runs the tests that should fail. `table` is the list; a mutant that survives says that
a test is missing.
"""
