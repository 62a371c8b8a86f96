"""What is kept, and what is gone: policies, legal holds, removals and erasures."""

from __future__ import annotations

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class RetentionPolicyNotFound(NotFound):
    code = "retention_policy_not_found"


class PreviewNotFound(NotFound):
    code = "preview_not_found"


class RemovalNotFound(NotFound):
    code = "removal_not_found"


class LegalHoldNotFound(NotFound):
    code = "legal_hold_not_found"


class ErasureNotFound(NotFound):
    code = "erasure_not_found"


class RootNotFound(NotFound):
    code = "root_not_found"


class VersionPruned(Refused):
    """The version is gone, as a policy of retention says: a tombstone stands for it."""

    code = "version_pruned"


class ContentsErased(Refused):
    """Of the version its header stands; what it held is gone."""

    code = "contents_erased"


class PreviewStale(Refused):
    """A policy is enabled with a preview of itself that is not older than a day."""

    code = "preview_stale"


class PreviewNotReady(Refused):
    """It is still being counted: ask again in a moment."""

    code = "preview_not_ready"


class LegalHoldEnded(Refused):
    code = "legal_hold_ended"


class UnderLegalHold(Refused):
    """Something of it is under a legal hold, which has to be ended first."""

    code = "legal_hold"


class UnacceptablePolicy(BadRequest):
    """A policy of retention cannot be like that; `param` says what of it."""

    code = "unacceptable_policy"


class UnacceptableLegalHold(BadRequest):
    """A legal hold cannot be like that; `param` says what of it."""

    code = "unacceptable_legal_hold"


class UnacceptableErasure(BadRequest):
    """This cannot be erased; `param` says what of it."""

    code = "unacceptable_erasure"
