"""Recomputes a session's history from what is stored, and names what does not hold.

`checks` are pure and see one version and the one before it; `contents` decodes bodies,
`derived` recomputes what was derived from them, `rows` reads, `walk` brings them
together in one pass that holds one chunk of versions and one body at a time. Nothing is
locked and nothing repaired. A history that was rewritten as a whole, with all its
digests, holds by itself: `signatures` compares it with what the worker has signed
outside the database; without that, keep a `chain_end` elsewhere.
"""

from apps.timeline.verification.ends import ComparedEnd, chain_ends, compare_ends
from apps.timeline.verification.findings import Finding, Kind, Report
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.record_signatures import verify_record_signatures
from apps.timeline.verification.signatures import Signatures, verify_signatures
from apps.timeline.verification.signatures import Status as SignatureStatus
from apps.timeline.verification.walk import findings, verify_session

__all__ = [
    "ComparedEnd",
    "Finding",
    "Kind",
    "Limits",
    "Report",
    "SignatureStatus",
    "Signatures",
    "chain_ends",
    "compare_ends",
    "findings",
    "verify_record_signatures",
    "verify_session",
    "verify_signatures",
]
