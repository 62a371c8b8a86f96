"""A file, or the bytes of one, is not there or not as it was said to be."""

from __future__ import annotations

from stepback.errors.missing import NotFound
from stepback.errors.requests import BadRequest


class FileNotFound(NotFound):
    """The version has no file at this path."""

    code = "file_not_found"


class DigestMismatch(BadRequest):
    """The bytes that arrived are not those of the digest; nothing was kept."""

    code = "digest_mismatch"


class BlobMissing(BadRequest):
    """Some blobs that a write names are not there: upload them, and write again."""

    code = "blob_missing"

    @property
    def digests(self) -> tuple[str, ...]:
        """Return which are not there, the first 1,000."""
        return tuple(self.details["digests"])


class RangeNotSatisfiable(BadRequest):
    """The file has no byte in this range."""

    code = "range_not_satisfiable"
