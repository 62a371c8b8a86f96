"""What the indexes do not cover yet, and how a page says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from apps.core import sql
from apps.timeline import projection

# How many are counted.
MOST = 1_000
_UNSEARCHED = f"""
SELECT count(*) AS count,
       EXISTS (SELECT FROM accounts_project
                WHERE id = %(project)s AND data_key IS NOT NULL) AS is_encrypted
  FROM (SELECT FROM timeline_unsearched
         WHERE project_id = %(project)s LIMIT {MOST}) found
"""  # noqa: S608
_THINNED = sql.across(f"""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.thinned_below IS NOT NULL LIMIT {MOST}
""")  # noqa: S608


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """How far the indexes of a project go."""

    # Since when writes wait, if they are more than a search looks through.
    as_of: datetime | None
    # How many sessions none finds, up to a bound.
    unsearched: int
    is_encrypted: bool

    @property
    def is_behind(self) -> bool:
        return self.as_of is not None or self.unsearched > 0


def measured(project_id: str) -> Coverage:
    """Look how far they go; behind the search, since what waits then waited before."""
    waiting = projection.measure_lag()
    (row,) = sql.rows(_UNSEARCHED, {"project": project_id})
    return Coverage(
        as_of=waiting.oldest if waiting.is_long else None,
        unsearched=row.count,
        is_encrypted=row.is_encrypted,
    )


def notices(project_id: str, covered: Coverage, *, of_history: bool) -> Iterator[str]:
    """Say what may be missing from a page: sessions, and all that came since.

    `of_history`: it was asked for what versions hold, say or did, which a removal may
    have taken.
    """
    if covered.as_of is not None:
        yield (
            f"what was stored since {covered.as_of:%Y-%m-%d %H:%M:%S} UTC is not "
            "indexed yet, and some of it may be missing"
        )
    if covered.unsearched:
        yield (
            f"{_many(covered.unsearched)} sessions are not indexed yet and may be "
            "missing: manage.py rebuild_search"
        )
    if covered.is_encrypted and of_history:
        yield (
            "this project is encrypted: what was said in reasoning, turns and "
            "messages is found by its words only where it is older and not encrypted "
            "yet, values only as a whole"
        )
    thinned = len(sql.rows(_THINNED, {"project": project_id})) if of_history else 0
    if thinned:
        yield (
            f"older versions of {_many(thinned)} sessions were thinned, emptied or "
            "removed: their words are not searched any more, states that are left "
            "are looked into, and what is gone is not found"
        )


def _many(count: int) -> str:
    return f"{count:,}" if count < MOST else f"{MOST:,} or more"
