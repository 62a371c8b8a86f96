"""What can go wrong with erasures."""

from apps.core.errors import DomainError, NotFound


class ErasureNotFound(NotFound):
    """There is no such erasure in this project."""

    code = "erasure_not_found"


class UnacceptableErasure(DomainError):
    """This cannot be erased."""

    code = "unacceptable_erasure"


class UnderLegalHold(DomainError):
    """Something of it is under a legal hold: nothing of it goes while that stands."""

    code = "legal_hold"


class JournalMissing(Exception):
    """There is no journal of erasures, so nobody knows what must not come back."""


class CertificateRefused(Exception):
    """A certificate is none, or is not signed by a known key."""
