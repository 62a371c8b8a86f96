"""When a model failed last, and until when it is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.core import sql

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(minutes=5)
# Twice as long each time: the sixth pause is the longest.
DOUBLED = 6

_OF = (
    "SELECT model, failures, in_a_row, failed_at, retry_at, reason FROM meaning_failure"
)
_ONE = f"{_OF} WHERE model = %s"
_NOTE = """
INSERT INTO meaning_failure AS f (
    model, failures, in_a_row, failed_at, retry_at, reason)
VALUES (%(model)s, 1, 1, %(now)s, %(retry_at)s, %(reason)s)
    ON CONFLICT (model) DO UPDATE
   SET failures = f.failures + 1, in_a_row = f.in_a_row + 1,
       failed_at = excluded.failed_at, retry_at = excluded.retry_at,
       reason = excluded.reason
RETURNING 1
"""
_OVER = """
UPDATE meaning_failure SET in_a_row = 0, retry_at = NULL WHERE model = %s RETURNING 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failing:
    """How often a model failed in all and since its last success, when last and why."""

    model: str
    failures: int
    in_a_row: int
    failed_at: datetime
    retry_at: datetime | None
    reason: str

    def is_resting(self, now: datetime) -> bool:
        return self.retry_at is not None and self.retry_at > now


def of(model: str) -> Failing | None:
    """Return what is known of a model's failures; None: it never failed."""
    found = sql.records(Failing, _ONE, [model])
    return found[0] if found else None


def note(model: str, reason: str, before: Failing | None, *, now: datetime) -> None:
    """Note a failure; the pause behind it grows with each in a row."""
    doubled = min(before.in_a_row if before else 0, DOUBLED)
    pause = min(FIRST_PAUSE * 2**doubled, LONGEST_PAUSE)
    asked = {"model": model, "now": now, "retry_at": now + pause, "reason": reason}
    sql.rows(_NOTE, asked)


def end(before: Failing | None) -> None:
    """Note that the model answers again."""
    if before is not None and before.in_a_row:
        sql.rows(_OVER, [before.model])
