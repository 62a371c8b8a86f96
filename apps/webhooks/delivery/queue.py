"""The queue of deliveries: lanes are claimed, sent from and released.

All statements are for many lanes at once, in autocommit or in one short transaction;
none is open while something is sent. Times are those of the database, so that workers
with other clocks agree on when a claim runs out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction

from apps.core import sql
from apps.webhooks.delivery.attempts import Lane, Outcome, Waiting, pause_after

# A claim is good for this long; each attempt begins with a fresh one and is shorter.
LEASE = timedelta(seconds=40)
# A subscription that failed this often in a row is tried with one delivery at a time.
TIRED = 5
LONGEST_REST = 300.0
GIVEN_UP_AFTER = timedelta(days=3)
# What fails is tried at least every hour or so. After more than this without an attempt
# nobody sent: how it was before says nothing, and its days are counted anew.
UNBROKEN = timedelta(hours=6)
# Of one subscription at once, so that one that is slow leaves room for the others.
EACH = 4

TAKE = sql.query("webhooks", "claim_lanes")
# The oldest delivery of each claimed lane, or none where it is empty.
HEADS = """
SELECT l.subscription_id, l.stream_id, l.last_ordinal,
       d.id, d.ordinal, d.attempts, m.id AS message_id, m.kind, m.body
  FROM unnest(%(subscriptions)s::text[], %(streams)s::text[]) AS c (s, t)
  JOIN webhooks_lane l ON l.subscription_id = c.s AND l.stream_id = c.t
   AND l.claim = %(claim)s
  LEFT JOIN LATERAL (
      SELECT p.* FROM webhooks_delivery p
       WHERE p.subscription_id = c.s AND p.stream_id = c.t AND p.status = 'pending'
       ORDER BY p.ordinal LIMIT 1) d ON true
  LEFT JOIN webhooks_message m ON m.id = d.message_id
"""
# An attempt is told of the delivery that it was made of, and only once.
NOTE = sql.query("webhooks", "note_outcomes")
HOLD_BACK = """
UPDATE webhooks_lane l SET claim = NULL, due_at = now() + r.pause
  FROM unnest(%(subscriptions)s::text[], %(streams)s::text[], %(pauses)s::interval[])
       AS r (s, t, pause)
 WHERE l.subscription_id = r.s AND l.stream_id = r.t AND l.claim = %(claim)s
RETURNING 1
"""
RENEW = """
UPDATE webhooks_lane l SET due_at = now() + %(lease)s
  FROM unnest(%(subscriptions)s::text[], %(streams)s::text[]) AS r (s, t)
 WHERE l.subscription_id = r.s AND l.stream_id = r.t AND l.claim = %(claim)s
RETURNING 1
"""
# Nothing waited when it was looked at, and nothing has come since.
REMOVE = """
DELETE FROM webhooks_lane l
 USING unnest(%(subscriptions)s::text[], %(streams)s::text[], %(ordinals)s::bigint[])
       AS r (s, t, o)
 WHERE l.subscription_id = r.s AND l.stream_id = r.t AND l.claim = %(claim)s
   AND l.last_ordinal = r.o
RETURNING 1
"""
# A rest goes on: it was asked for, or others failed while this was on its way.
SUCCEEDED = """
UPDATE webhooks_subscription
   SET failures = 0, failing_since = NULL, failed_at = NULL,
       last_delivered_at = now()
 WHERE id = ANY (%s)
   AND (failures > 0 OR failing_since IS NOT NULL OR last_delivered_at IS NULL
        OR last_delivered_at < now() - interval '10 seconds')
RETURNING 1
"""
FAILED = sql.query("webhooks", "note_failures")
# Whoever says "not before" means all that it is told, not one session alone.
ASKED_TO_WAIT = """
UPDATE webhooks_subscription s
   SET resting_until = greatest(s.resting_until, now() + r.pause)
  FROM unnest(%(ids)s::text[], %(pauses)s::interval[]) AS r (id, pause)
 WHERE s.id = r.id
RETURNING 1
"""
# In one order, so that no two workers wait for each other.
LOCK = """
SELECT id FROM webhooks_subscription WHERE id = ANY (%s) ORDER BY id FOR NO KEY UPDATE
"""
# Also in one order, which is that in which the feed opens lanes: both take several.
LOCK_LANES = """
SELECT l.stream_id FROM unnest(%(subscriptions)s::text[], %(streams)s::text[]) r (s, t)
  JOIN webhooks_lane l ON l.subscription_id = r.s AND l.stream_id = r.t
 ORDER BY l.subscription_id, l.stream_id FOR NO KEY UPDATE OF l
"""


def take(claim: str, *, busy: Sequence[str], room: int) -> list[Waiting]:
    """Claim lanes that are due, and return the delivery whose turn it is in each.

    `busy` has a subscription once for each of its lanes that this worker has in hand.
    """
    params = {
        "claim": claim,
        "busy": list(busy),
        "room": room,
        "each": EACH,
        "tired": TIRED,
        "lease": LEASE,
    }
    taken = [(row.subscription_id, row.stream_id) for row in sql.rows(TAKE, params)]
    return _heads(claim, taken)


@transaction.atomic
def settle(
    claim: str, outcomes: Sequence[Outcome], *, release: bool = False
) -> list[Waiting]:
    """Note what attempts came to; return what follows in the lanes that go on.

    A lane whose delivery failed is left alone for a while; `release` gives back also
    those that could go on. Where the claim has run out, somebody else has the lane.
    """
    params: dict[str, list[Any]] = {
        "ids": [one.waiting.id for one in outcomes],
        "ordinals": [one.waiting.ordinal for one in outcomes],
        "done": [one.is_done for one in outcomes],
        "vain": [one.is_vain for one in outcomes],
        "codes": [one.status_code for one in outcomes],
        "errors": [one.error for one in outcomes],
        "ms": [one.ms for one in outcomes],
    }
    sql.rows(LOCK, [sorted({one.waiting.lane[0] for one in outcomes})])
    _lock([one.waiting.lane for one in outcomes])
    _tell_subscriptions(outcomes)
    noted = sql.rows(NOTE, {**params, "patience": GIVEN_UP_AFTER, "unbroken": UNBROKEN})
    over = {row.id for row in noted if row.status != "pending"}
    on = [one.waiting.lane for one in outcomes if one.waiting.id in over]
    held = [one for one in outcomes if one.waiting.id not in over]
    _hold_back(claim, [(one.waiting.lane, _pause(one)) for one in held])
    if release:
        _hold_back(claim, [(lane, 0.0) for lane in on])
        return []
    if on:
        sql.rows(RENEW, {**_split(on), "claim": claim, "lease": LEASE})
    return _heads(claim, on)


@transaction.atomic
def give_back(claim: str, waiting: Sequence[Waiting]) -> None:
    """Leave lanes as they were found, for whoever comes next."""
    _lock([one.lane for one in waiting])
    _hold_back(claim, [(one.lane, 0.0) for one in waiting])


def _pause(outcome: Outcome) -> float:
    # Done, but noted by somebody else: the next has no reason to wait.
    return 0.0 if outcome.is_done else pause_after(outcome.waiting.attempts + 1)


def _tell_subscriptions(outcomes: Sequence[Outcome]) -> None:
    outcomes = [one for one in outcomes if not one.is_vain]
    fine = sorted({one.waiting.lane[0] for one in outcomes if one.is_done})
    counts: dict[str, int] = {}
    for one in outcomes:
        if not one.is_done and one.waiting.lane[0] not in fine:
            counts[one.waiting.lane[0]] = counts.get(one.waiting.lane[0], 0) + 1
    if fine:
        sql.rows(SUCCEEDED, [fine])
    if counts:
        sql.rows(
            FAILED,
            {
                "ids": list(counts),
                "counts": list(counts.values()),
                "tired": TIRED,
                "longest": LONGEST_REST,
                "unbroken": UNBROKEN,
            },
        )
    waits = {
        one.waiting.lane[0]: timedelta(seconds=one.wait)
        for one in sorted(outcomes, key=lambda one: one.wait)
        if one.wait > 0
    }
    if waits:
        asked = {"ids": list(waits), "pauses": list(waits.values())}
        sql.rows(ASKED_TO_WAIT, asked)


def _heads(claim: str, lanes: Sequence[Lane]) -> list[Waiting]:
    """Return what is next in claimed lanes, and remove those that are empty."""
    if not lanes:
        return []
    found = sql.rows(HEADS, {**_split(lanes), "claim": claim})
    _remove(claim, [row for row in found if row.id is None])
    return [
        Waiting(
            (row.subscription_id, row.stream_id),
            row.id,
            row.ordinal,
            row.attempts,
            row.message_id,
            row.kind,
            bytes(row.body),
        )
        for row in found
        if row.id is not None
    ]


@transaction.atomic
def _remove(claim: str, empty: Sequence[Any]) -> None:
    """Remove lanes in which nothing waits; give back those where something has come."""
    lanes = [(row.subscription_id, row.stream_id) for row in empty]
    if not lanes:
        return
    _lock(lanes)
    ordinals = [row.last_ordinal for row in empty]
    asked = {**_split(lanes), "ordinals": ordinals, "claim": claim}
    if len(sql.rows(REMOVE, asked)) < len(lanes):
        _hold_back(claim, [(lane, 0.0) for lane in lanes])


def _lock(lanes: Sequence[Lane]) -> None:
    sql.rows(LOCK_LANES, _split(lanes))


def _hold_back(claim: str, pauses: Sequence[tuple[Lane, float]]) -> None:
    if not pauses:
        return
    keys = _split([lane for lane, _ in pauses])
    seconds = [timedelta(seconds=pause) for _, pause in pauses]
    sql.rows(HOLD_BACK, {**keys, "pauses": seconds, "claim": claim})


def _split(lanes: Sequence[Lane]) -> dict[str, list[str]]:
    return {"subscriptions": [s for s, _ in lanes], "streams": [t for _, t in lanes]}
