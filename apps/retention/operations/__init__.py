"""Verbs of retention: make, preview and switch policies; set and end legal holds."""

from apps.retention.operations.legal_holds import end_legal_hold, set_legal_hold
from apps.retention.operations.policies import (
    disable_policy,
    enable_policy,
    make_policy,
)
from apps.retention.operations.previews import ask_preview

__all__ = [
    "ask_preview",
    "disable_policy",
    "enable_policy",
    "end_legal_hold",
    "make_policy",
    "set_legal_hold",
]
