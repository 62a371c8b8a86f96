"""Plan a restore of a keyed document that goes by steps: which keys each takes.

What follows from a plan never changes: it looks at entries up to one version alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from apps.core import sql
from apps.timeline.versions.keyed.keys import LAST_KEY

_STEP = sql.of_session(sql.query("timeline", "restore_step"))
_SKIPPED = sql.of_session(sql.query("timeline", "restore_skipped"))
_TOUCHED = sql.of_session("""
SELECT count(DISTINCT e.key) AS keys FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.number > %(target)s AND e.number <= %(seen)s
   AND CASE WHEN e.key = '' THEN %(config)s ELSE %(data)s END
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Touched:
    """The keys of a document that were touched after `target`, up to version `seen`."""

    session: str
    target: int
    seen: int
    config: bool
    data: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreStep:
    """The keys from `first` to before `before` of a restore that goes by steps.

    `seen` is the head on which it was confirmed: a key that was touched after it is
    left alone, as if the whole had been restored at once then, and written later.
    """

    first: str
    before: str
    seen: int
    # How many were touched, of which some may have been touched again.
    keys: int

    @property
    def is_last(self) -> bool:
        return self.before == LAST_KEY


def count_to_restore(touched: Touched) -> int:
    """Return how many keys these are; the config counts as one."""
    (found,) = sql.rows(_TOUCHED, asdict(touched))
    return int(found.keys)


def next_step(touched: Touched, *, first: str, keys: int) -> RestoreStep:
    """Return the step that takes so many keys from `first` on; it may take none."""
    (found,) = sql.rows(_STEP, asdict(touched) | {"first": first, "keys": keys + 1})
    is_last = found.keys <= keys
    return RestoreStep(
        first=first,
        before=LAST_KEY if is_last else found.last_key,
        seen=touched.seen,
        keys=found.keys if is_last else keys,
    )


def count_skipped(
    touched: Touched, step: RestoreStep, *, since: int, number: int, at: datetime
) -> int:
    """Return how many keys of the target others wrote since the step before this one.

    `since` is the version of that step, or what was seen; `number` is this one's. Keys
    that were counted after an earlier step, or have been restored, are not counted.
    """
    asked = {
        "session": touched.session,
        "target": touched.target,
        "seen": touched.seen,
        "first": step.first,
        "since": since,
        "number": number,
        "at": at,
    }
    return int(sql.rows(_SKIPPED, asked)[0].keys)
