"""How far followers of the events may read: below what still runs.

A sequence gives its numbers before a commit, so one that was passed can appear later.
Transactions are followed instead: below `settled` none can appear any more, for
statements after the one that asked (READ COMMITTED).
"""

from dataclasses import dataclass

from apps.core import sql

HORIZON = """
SELECT audit_settled_v1()::text::bigint AS settled,
       pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
"""


@dataclass(frozen=True, slots=True)
class Horizon:
    """Transactions of this server: all below `settled` are over, `next` is to come."""

    settled: int
    next: int

    def is_of_another_server(self, xid: int) -> bool:
        """Whether the place was reached elsewhere, before a move to this server."""
        return xid > self.next


def horizon() -> Horizon:
    """Look how far events may be read; read them in a later statement."""
    (found,) = sql.records(Horizon, HORIZON, [])
    return found
