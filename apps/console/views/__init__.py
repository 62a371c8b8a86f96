"""The console's pages and acts, a module by noun.

Each view is read top to bottom: who may, what is asked for, one read or one act, one
page.
"""
