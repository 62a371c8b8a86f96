"""What sessions that a search found have in common of their work, counted.

Each count is of what the word beside it finds among these sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from apps.accounts.models import Project
from apps.core import sql
from apps.diffs.readers import reader
from apps.timeline import hooks
from apps.timeline.bodies.tasks import STATUSES
from apps.timeline.ledger.facts import tasked
from apps.timeline.search import index_scan
from apps.timeline.search.clauses import (
    Clause,
    Marked,
    SchemaIs,
    TaskIs,
    Used,
    UsedWithin,
)
from apps.timeline.search.grammar.allowed import hides_statuses
from apps.timeline.search.grammar.fields import HAVING
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.sessions.working import amount_of, marked_among, spent_by

# How many amounts of a currency are offered, each a tenth of the one before.
AMOUNTS = 3
_SCHEMAS = sql.across("""
SELECT v.schema_version AS name, count(*) AS sessions
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(ids)s::varchar[]) AND v.schema_version IS NOT NULL
 GROUP BY v.schema_version ORDER BY sessions DESC, v.schema_version LIMIT %(most)s
""")


@dataclass(frozen=True, slots=True)
class Shared:
    """The search for sessions that share something, and how many of these do."""

    clause: Clause
    count: int


def schemas(sessions: Sequence[str], *, most: int) -> list[tuple[str, int]]:
    """Return the schemas that most heads are of, with how many are."""
    if not sessions:
        return []
    rows = sql.rows(_SCHEMAS, {"ids": sql.text_array(sessions), "most": most})
    return [(row.name, row.sessions) for row in rows]


def shared(
    project: Project, sessions: Sequence[str], *, most: int, now: datetime
) -> dict[str, list[Shared]]:
    """Return all of these by name, `most` schemas of them."""
    of_schemas = [
        Shared(SchemaIs(text="", schema=name), count)
        for name, count in schemas(sessions, most=most)
    ]
    return {
        "schema": of_schemas,
        "task": by_task(project, sessions),
        "cost": by_cost(sessions),
        "open": by_mark(sessions, now=now),
    }


def by_task(project: Project, sessions: Sequence[str]) -> list[Shared]:
    """Return how many have a task of each status; nothing where masks cover it."""
    who = reader()
    if who is not None and hides_statuses(who):
        return []
    key = bytes(project.index_key)
    scans = {
        status: IndexScan([index_scan.tagged([tasked.task_key(key, status=status)])])
        for status in STATUSES
    }
    every = IndexScan([entry for scan in scans.values() for entry in scan.entries])
    # Where no session has any, the walk ends at once.
    if not sessions or not every.below(None, 1):
        return []
    some = sorted(every.among(sessions))
    counted = {status: len(scan.among(some)) for status, scan in scans.items()}
    return [
        Shared(TaskIs(text="", status=status), count)
        for status, count in counted.items()
        if count
    ]


def by_cost(sessions: Sequence[str]) -> list[Shared]:
    """Return how many cost more than some round amounts, of each currency."""
    costs: dict[str, list[Decimal]] = {}
    for spent in spent_by(sessions).values():
        cost, currency = amount_of(spent, Used.COST)
        if cost is not None and currency:
            costs.setdefault(currency, []).append(cost)
    return [
        Shared(
            UsedWithin(
                text="",
                used=Used.COST,
                low=amount,
                high=None,
                excludes=True,
                currency=currency,
            ),
            sum(cost > amount for cost in costs[currency]),
        )
        for currency in sorted(costs)
        for amount in _below(max(costs[currency]))
    ]


def by_mark(sessions: Sequence[str], *, now: datetime) -> list[Shared]:
    """Return how many have an effect, a request or a budget that stands so."""
    if not sessions:
        return []
    counted = [
        (field, word, len(marked_among(field, word, sessions, now=now)))
        for field, words in HAVING.items()
        for word in words
        if field != "budget" or field in hooks.STANDING
    ]
    return [
        Shared(Marked(text="", field=field, value=word), count)
        for field, word, count in counted
        if count
    ]


def _below(most: Decimal) -> list[Decimal]:
    """Return round amounts below one, the largest first."""
    if most <= 0:
        return []
    largest = Decimal(10) ** most.adjusted()
    if largest == most:
        largest /= 10
    return [largest / 10**step for step in range(AMOUNTS)]
