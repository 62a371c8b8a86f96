"""What can go wrong with blobs."""

from apps.core.errors import Busy, DomainError


class DigestMismatch(DomainError):
    """These bytes have another SHA-256 than the address says; nothing was kept."""

    code = "digest_mismatch"


class BlobMissing(DomainError):
    """These blobs are not there: upload them first."""

    code = "blob_missing"


class ObjectsUnavailable(Busy):
    """The store of files did not answer: retry shortly."""


class ObjectsFull(DomainError):
    """The store of files has no space left; nothing was kept."""

    code = "insufficient_storage"
