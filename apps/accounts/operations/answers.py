"""Idempotency for writes outside sessions: one act, and a replay of its answer.

Writes to a session have their key on the version or turn they made; these rows are
for everything else and count for 24 hours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import StoredAnswer
from apps.core import sql
from apps.core.actors import Actor
from apps.core.errors import Busy, IdempotencyKeyReused, InvalidRequest

KEPT = timedelta(hours=24)
LONGEST_KEY = 255
ATTEMPTS = 3
FORGOTTEN_AT_ONCE = 1_000
# A subquery in place of `old` could be asked more than once, and each time find others.
FORGET = """
WITH old AS MATERIALIZED (
    SELECT project_id, key FROM accounts_storedanswer
     WHERE created_at <= %(until)s AND status IS NOT NULL
     LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
DELETE FROM accounts_storedanswer a USING old
 WHERE a.project_id = old.project_id AND a.key = old.key
RETURNING 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redaction:
    """What of an answer is not kept, since the request that is repeated has it.

    `without` returns what is kept of a body, `whole` the body that this was made of.
    """

    without: Callable[[bytes], bytes]
    whole: Callable[[bytes], bytes]


@transaction.atomic
def answer_once(
    *,
    project_id: str,
    key: str,
    digest: bytes,
    now: datetime,
    perform: Callable[[], tuple[int, bytes]],
    redaction: Redaction | None = None,
) -> tuple[int, bytes, bool]:
    """Return (status, body, replayed), calling `perform` for a new key only.

    1. The row is inserted first: a second request with the key waits here for the
       transaction of the first, then replays its answer.
    2. `perform` runs in the same transaction. What it raises undoes the row as well, so
       errors are never replayed.
    3. With a `redaction` the row has no more of the answer than that leaves, and a
       replay is made whole from its request, which is equal to the first.

    Raises: IdempotencyKeyReused when the key came with another request before.
    """
    if not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise InvalidRequest(
            f"An idempotency key has 1 to {LONGEST_KEY} printable characters.",
            param="Idempotency-Key",
        )
    row = _claim(project_id, key, digest, now)
    # Only a row of this very transaction has no status: others' are committed whole.
    if row.status is not None and now - row.created_at < KEPT:
        if bytes(row.digest) != digest:
            raise IdempotencyKeyReused(param="Idempotency-Key")
        kept = bytes(row.body)
        return row.status, redaction.whole(kept) if redaction else kept, True
    status, body = perform()
    StoredAnswer.objects.filter(project_id=project_id, key=key).update(
        digest=digest,
        status=status,
        body=redaction.without(body) if redaction else body,
        created_at=now,
    )
    return status, body, False


def forget_answers(*, actor: Actor, now: datetime) -> int:
    """Delete the answers that count no more, some at a time; return how many.

    Rows that somebody is using are left for the next time. Nothing is recorded: no
    act of anybody is undone by it.
    """
    forgotten = 0
    while True:
        asked = {"until": now - KEPT, "limit": FORGOTTEN_AT_ONCE}
        found = len(sql.rows(FORGET, asked))
        forgotten += found
        if found < FORGOTTEN_AT_ONCE:
            return forgotten


def _claim(project_id: str, key: str, digest: bytes, now: datetime) -> StoredAnswer:
    fresh = StoredAnswer(project_id=project_id, key=key, digest=digest, created_at=now)
    found = StoredAnswer.objects.select_for_update().filter(
        project_id=project_id, key=key
    )
    for _ in range(ATTEMPTS):
        # ON CONFLICT DO NOTHING: waits for whoever is inserting the same key.
        StoredAnswer.objects.bulk_create([fresh], ignore_conflicts=True)
        row = found.first()
        if row is not None:
            return row
        # Retention deleted the old row between the two statements.
    raise Busy
