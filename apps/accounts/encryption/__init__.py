"""The keys of encrypting projects: which one seals, and how one is found."""

from apps.accounts.encryption.keys import (
    destroy_subject_key,
    forget,
    found,
    is_at_hand,
    new_data_key,
    require_keys,
    rewrap,
    sealing_key,
    subject_digest,
    unwrapped,
)

__all__ = [
    "destroy_subject_key",
    "forget",
    "found",
    "is_at_hand",
    "new_data_key",
    "require_keys",
    "rewrap",
    "sealing_key",
    "subject_digest",
    "unwrapped",
]
