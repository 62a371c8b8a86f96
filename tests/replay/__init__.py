"""Recorded agent runs, posted and read back: `python -m tests.replay FILE`.

Every run becomes a session, every step of it a version. Afterwards each version must
equal its prefix of the run, recomputed from the file. Nothing here knows the product
but through the SDK and REST.
"""
