"""The console's pages and acts, a module by noun.

Each view is read top to bottom: permission, what is asked for, one read or one act, one
page.
"""
