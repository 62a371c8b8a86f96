"""Blobs: bytes of files, by their SHA-256, in a store outside the database.

It owns which bytes are kept, who may name them, and taking away what nobody names any
more. What names them is a version, which is the timeline's.
"""
