"""The embedded PostgreSQL: where it lives, how it starts, attaches and stops.

Owns the data folder and the launcher over the binaries of a pip wheel. It refuses
TCP, logins without a password, data of another major version, and to widen the
permissions of any folder that it did not make. `locate` has no side effects; only
`Cluster` and `made_secret` write.
"""

from apps.core.postgres.cluster import Cluster
from apps.core.postgres.errors import ClusterError
from apps.core.postgres.locate import Location, locate
from apps.core.postgres.secret import made_secret

__all__ = ["Cluster", "ClusterError", "Location", "locate", "made_secret"]
