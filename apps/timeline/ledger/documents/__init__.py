"""Keyed documents in the ledger: sessions whose versions each write one key.

What is said of one is in `values`; `sealing` turns it into versions, `calls` names the
SQL functions that decide, `writing` calls them and turns outcomes into errors.
"""
