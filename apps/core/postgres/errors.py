"""What can keep the embedded PostgreSQL from running, as sentences for people.

They are met by whoever starts Stepback, never by a caller of the API, so they are
no `DomainError` and have no place in the table of HTTP statuses.
"""


class ClusterError(Exception):
    """The embedded PostgreSQL cannot be used."""


class BinariesMissing(ClusterError):
    """The package with PostgreSQL's binaries is not installed."""


class DataFolderUnusable(ClusterError):
    """The data folder cannot be used by the one who is to use it."""


class OtherMajorVersion(ClusterError):
    """The data was written by another major version of PostgreSQL."""


class StartFailed(ClusterError):
    """PostgreSQL did not start."""


class StopFailed(ClusterError):
    """PostgreSQL did not stop."""


class ArchiveUnusable(ClusterError):
    """A backup could not be written or read; the message says why."""
