"""Detectors of personal data and secrets: what finds them and does not show them."""

from apps.data.policies.detectors.looking import (
    Detectors,
    Finding,
    Seen,
    personal_data,
    secrets,
    seen,
)
from apps.data.policies.detectors.masks import HIDDEN

__all__ = [
    "HIDDEN",
    "Detectors",
    "Finding",
    "Seen",
    "personal_data",
    "secrets",
    "seen",
]
