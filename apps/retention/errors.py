"""What can go wrong with policies of retention and legal holds."""

from apps.core.errors import DomainError, NotFound


class PolicyNotFound(NotFound):
    """There is no such policy of retention in this project."""

    code = "retention_policy_not_found"


class PreviewNotFound(NotFound):
    """There is no such preview in this project."""

    code = "preview_not_found"


class RemovalNotFound(NotFound):
    """There is no such removal in this project."""

    code = "removal_not_found"


class LegalHoldNotFound(NotFound):
    """There is no such legal hold in this project."""

    code = "legal_hold_not_found"


class UnacceptablePolicy(DomainError):
    """A policy cannot be like that."""

    code = "unacceptable_policy"


class PreviewStale(DomainError):
    """Take a preview of this policy first, and enable it within a day."""

    code = "preview_stale"


class PreviewNotReady(DomainError):
    """This preview is still being counted: ask for it again in a moment."""

    code = "preview_not_ready"


class LegalHoldEnded(DomainError):
    """This legal hold is over already."""

    code = "legal_hold_ended"


class UnacceptableLegalHold(DomainError):
    """A legal hold cannot be like that."""

    code = "unacceptable_legal_hold"
