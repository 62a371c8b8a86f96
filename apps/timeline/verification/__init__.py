"""Recomputes a session's history from what is stored, and names what does not hold.

`checks` are pure and see one version and the one before it; `contents` decodes bodies,
`derived` recomputes what was derived from them, `rows` reads, `walk` brings them
together in one pass that holds one chunk of versions and one body at a time. Nothing is
locked and nothing repaired. It cannot know of a history that was rewritten as a whole
with all its digests: for that, keep a `chain_end` elsewhere and compare it later.
"""

from apps.timeline.verification.findings import Finding, Kind, Report
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.walk import findings, verify_session

__all__ = ["Finding", "Kind", "Limits", "Report", "findings", "verify_session"]
