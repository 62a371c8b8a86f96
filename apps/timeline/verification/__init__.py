"""Recomputes a session's history from what is stored, and names what does not hold.

`checks` are pure and see one version and the one before it; `contents` decodes bodies,
`derived` recomputes what was derived from them, `turns` verifies turns, `documents`
keyed documents, whose versions `records` holds against their stream; `rows` reads,
`walk` brings them together in one pass that holds one chunk of versions or turns and
one body at a time. Nothing is locked and nothing repaired. A history that was rewritten
as a whole, with all its digests, holds by itself: `signed` compares it with what
the worker has signed outside the database; without that, keep a `chain_end` elsewhere.
Labels, notes and metadata are no part of a history: `audit.comparing` holds them
against records.
"""

from apps.timeline.verification.documents.records import without_document
from apps.timeline.verification.findings import Finding, Kind, Report, TurnReport
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.signed.ends import ComparedEnd, chain_ends, compare_ends
from apps.timeline.verification.signed.record_signatures import (
    RecordSignatures,
    verify_record_signatures,
)
from apps.timeline.verification.signed.signatures import Signatures, verify_signatures
from apps.timeline.verification.signed.signatures import Status as SignatureStatus
from apps.timeline.verification.signed.tombstones import Mark, tombstones_after
from apps.timeline.verification.walk import findings, verify_session

__all__ = [
    "ComparedEnd",
    "Finding",
    "Kind",
    "Limits",
    "Mark",
    "RecordSignatures",
    "Report",
    "SignatureStatus",
    "Signatures",
    "TurnReport",
    "chain_ends",
    "compare_ends",
    "findings",
    "tombstones_after",
    "verify_record_signatures",
    "verify_session",
    "verify_signatures",
    "without_document",
]
