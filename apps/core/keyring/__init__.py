"""Encryption at rest: keys outside the database, and what they seal.

A key-encryption key (`outer`) wraps the data keys of projects; `sealing` encrypts with
those and opens again; `memory` has what was unwrapped for some minutes.
"""

from apps.core.keyring.errors import KeysRefused, KeysUnavailable
from apps.core.keyring.memory import MEMORY, find_with
from apps.core.keyring.outer import OuterKeys, outer_keys
from apps.core.keyring.sealing import Key, mark_of, new_key

__all__ = [
    "MEMORY",
    "Key",
    "KeysRefused",
    "KeysUnavailable",
    "OuterKeys",
    "find_with",
    "mark_of",
    "new_key",
    "outer_keys",
]
