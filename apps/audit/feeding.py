"""Feed events to what follows from them: webhooks, rollups, signatures.

An outbox: whoever writes an event leaves a row in the same transaction, the ledger's
functions one of what is pending (`timeline.projection`), everybody else one of
`audit_outbox`. Feeding takes the row away in the transaction in which all feeds have
it, so each event is fed once, whatever is killed and however long a transaction was
open; no place in the order of transactions is kept. A rebuild feeds nobody.

Feeds are idempotent all the same: distributed, they commit before the row goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction

from apps.audit.entries import COLUMNS, Entry
from apps.core import sql

AT_ONCE = 500

Feed = Callable[[Sequence[Entry], datetime], None]
# Apps above enter what follows from events here, by its name.
FEEDS: dict[str, Feed] = {}

# Rows that another worker holds are passed by: acts have no order among them.
_TAKE = f"""
SELECT {COLUMNS}
  FROM (SELECT o.stream_id, o.event_id FROM audit_outbox o
         ORDER BY o.event_id, o.stream_id LIMIT %(most)s FOR UPDATE SKIP LOCKED) o
  JOIN audit_event e ON e.stream_id = o.stream_id AND e.id = o.event_id
 ORDER BY e.id, e.stream_id
"""  # noqa: S608
_DONE = """
DELETE FROM audit_outbox o
 USING unnest(%(streams)s::text[], %(events)s::text[]) d (stream_id, event_id)
 WHERE o.stream_id = d.stream_id AND o.event_id = d.event_id RETURNING 1
"""


def feed(entries: Sequence[Entry], *, now: datetime) -> None:
    """Feed these events, in this order; the caller takes their rows away."""
    if entries:
        for one in FEEDS.values():
            one(entries, now)


@transaction.atomic
def feed_outbox(*, now: datetime) -> int:
    """Feed the oldest events of the outbox; return how many."""
    entries = sql.records(Entry, _TAKE, {"most": AT_ONCE})
    feed(entries, now=now)
    if entries:
        streams = [one.stream_id for one in entries]
        sql.rows(_DONE, {"streams": streams, "events": [one.id for one in entries]})
    return len(entries)
