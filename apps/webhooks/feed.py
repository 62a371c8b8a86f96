"""Follows the events and puts what concerns a subscription into its lanes.

Events are read in the order of their transactions, below the oldest that still runs:
nothing can appear behind the place that was reached, which a sequence cannot promise.
A transaction may have begun before another and yet written to the session after it, so
what is read of one session is put in the order of its versions, and an earlier version
in a later transaction is read ahead.

Nobody who writes waits for any of this: events are there anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from apps.audit import following
from apps.core import sql
from apps.core.ids import new_id
from apps.webhooks import payloads
from apps.webhooks.entries import COLUMNS, Entry
from apps.webhooks.kinds import FOLLOWED, kinds_of, message_id
from apps.webhooks.models import Delivery, Feed, Message, Subscription

AT_ONCE = 500
# Nothing was found, but the place is moved so that less is looked through next time.
FAR = 10_000

# What is older is not told any more; what was told stays longer in the log than this,
# so that nothing is told again, whatever is read again.
OLDEST = timedelta(days=29)

BEGIN = """
INSERT INTO webhooks_feed (id, after_xid, after_id, ordinal)
VALUES (1, audit_settled_v1(), '', 0)
    ON CONFLICT DO NOTHING RETURNING 1
"""
FOLLOW = f"""
SELECT {COLUMNS} FROM audit_event e
 WHERE e.xid >= %(after)s::text::xid8 AND e.xid < %(low)s::text::xid8
   AND (e.xid > %(after)s::text::xid8 OR e.id > %(after_id)s)
   AND e.project_id = ANY (%(projects)s) AND e.action = ANY (%(actions)s)
   AND e.created_at > %(oldest)s
 ORDER BY e.xid, e.id LIMIT %(limit)s
"""
# What another server had written and not told before it was moved here: by its count
# of transactions it is still to come.
MOVED = f"""
SELECT {COLUMNS} FROM audit_event e
 WHERE e.xid >= %(after)s::text::xid8
   AND (e.xid > %(after)s::text::xid8 OR e.id > %(after_id)s)
   AND e.project_id = ANY (%(projects)s) AND e.action = ANY (%(actions)s)
   AND e.created_at > %(oldest)s
 ORDER BY e.xid, e.id
"""
# Committed before what was read of their session, in a transaction that began later.
AHEAD = f"""
SELECT {COLUMNS} FROM unnest(%(streams)s::text[], %(numbers)s::bigint[]) AS r (s, n)
  JOIN audit_event e ON e.stream_id = r.s AND e.number <= r.n
 WHERE e.xid >= %(from)s::text::xid8 AND e.action = ANY (%(actions)s)
   AND (e.xid > %(from)s::text::xid8 OR e.id > %(from_id)s)
"""
# A lane's row is locked while its deliveries come in: whoever finds it empty at this
# moment, and would remove it, looks again.
OPEN_LANES = """
INSERT INTO webhooks_lane AS l (subscription_id, stream_id, due_at, last_ordinal)
SELECT s, t, now(), o FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS r (s, t, o)
 ORDER BY s, t
    ON CONFLICT (subscription_id, stream_id) DO UPDATE
   SET last_ordinal = greatest(l.last_ordinal, excluded.last_ordinal)
RETURNING 1
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message for one subscription, not in its lane yet."""

    subscription_id: str
    message_id: str
    stream_id: str


def follow(*, now: datetime) -> int:
    """Put every event that is there into the lanes; return how many deliveries."""
    made = 0
    while True:
        read, put = _some(now)
        made += put
        if read < AT_ONCE:
            return made


def locked() -> Feed | None:
    """Lock the feed's row; None where another worker reads on at this moment."""
    return Feed.objects.select_for_update(no_key=True, skip_locked=True).first()


def place() -> Feed:
    """Lock the feed's row, once whoever has it is ready; make it if it is not there."""
    sql.rows(BEGIN, [])
    return Feed.objects.select_for_update(no_key=True).get()


def begin(*, feed: Feed) -> None:
    """Go to the present: nobody was subscribed, so nobody missed what was before."""
    feed.after_xid, feed.after_id = following.horizon().settled, ""
    feed.save(update_fields=["after_xid", "after_id"])


def put(drafts: Sequence[Draft], *, feed: Feed, now: datetime) -> int:
    """Append deliveries to their lanes, in this order; what is there already stays.

    The feed is locked by the caller, and saved by it.
    """
    if not drafts:
        return 0
    rows = []
    for draft in drafts:
        feed.ordinal += 1
        rows.append(
            Delivery(
                id=new_id("dlv", now=now, sequence=feed.ordinal),
                subscription_id=draft.subscription_id,
                message_id=draft.message_id,
                stream_id=draft.stream_id,
                ordinal=feed.ordinal,
                created_at=now,
            )
        )
    Delivery.objects.bulk_create(rows, ignore_conflicts=True)
    open_lanes(rows)
    return len(rows)


def open_lanes(deliveries: Iterable[Delivery]) -> None:
    """Have a lane for each of these deliveries, and note the newest in it."""
    newest: dict[tuple[str, str], int] = {}
    for one in deliveries:
        newest[one.subscription_id, one.stream_id] = one.ordinal
    keys = list(newest)
    sql.rows(
        OPEN_LANES, [[a for a, _ in keys], [b for _, b in keys], [*newest.values()]]
    )


@transaction.atomic
def _some(now: datetime) -> tuple[int, int]:
    feed = locked()
    subscriptions = list(Subscription.objects.enabled()) if feed else []
    if feed is None or not subscriptions:
        return 0, 0
    seen = following.horizon()
    asked: dict[str, object] = {
        "after": str(feed.after_xid),
        "after_id": feed.after_id,
        "projects": list({one.project_id for one in subscriptions}),
        "oldest": now - OLDEST,
    }
    if seen.is_of_another_server(feed.after_xid):
        # Restored on another server, whose transactions count from elsewhere: tell the
        # rest of what was written there, then look through all that is recent.
        made = _take_in(_read(MOVED, **asked), subscriptions, feed, now)
        feed.after_xid, feed.after_id = 0, ""
        feed.save(update_fields=["after_xid", "after_id", "ordinal"])
        return AT_ONCE, made
    events = _read(FOLLOW, **asked, low=str(seen.settled), limit=AT_ONCE)
    is_all = len(events) < AT_ONCE
    if not is_all:
        last = events[-1]
        reached = last.xid, last.id
        events += _ahead(events, reached)
    else:
        reached = seen.settled, ""
    made = _take_in(events, subscriptions, feed, now)
    if events or seen.settled - feed.after_xid > FAR:
        feed.after_xid, feed.after_id = reached
        feed.save(update_fields=["after_xid", "after_id", "ordinal"])
    return (0 if is_all else AT_ONCE), made


def _take_in(
    events: list[Entry],
    subscriptions: list[Subscription],
    feed: Feed,
    now: datetime,
) -> int:
    wanted = _wanted(subscriptions)
    known = payloads.known_of(events)
    messages: dict[str, Message] = {}
    drafts: list[Draft] = []
    for event in in_order(events):
        for kind in kinds_of(event):
            concerned = [
                one
                for one in wanted[event.project_id, kind]
                if one.since <= event.created_at
            ]
            if not concerned:
                continue
            id = message_id(event, kind)
            messages[id] = Message(
                id=id,
                project_id=event.project_id,
                stream_id=event.stream_id,
                kind=kind,
                number=event.number,
                body=payloads.body_of(event, kind, known),
                created_at=event.created_at,
            )
            drafts += [Draft(one.id, id, event.stream_id) for one in concerned]
    Message.objects.bulk_create(messages.values(), ignore_conflicts=True)
    return put(drafts, feed=feed, now=now)


def in_order(events: Iterable[Entry]) -> list[Entry]:
    """Return events so that those of one session stand as they happened.

    Versions by their numbers, a turn after the version that it made or found; what has
    no number (metadata, expiry) by its time, between those.
    """
    streams: dict[str, dict[str, Entry]] = defaultdict(dict)
    for event in events:
        streams[event.stream_id][event.id] = event
    ordered: list[Entry] = []
    for stream in streams.values():
        ordered += _stream_in_order(stream.values())
    return ordered


def _stream_in_order(events: Iterable[Entry]) -> list[Entry]:
    numbered: list[Entry] = []
    rest: list[Entry] = []
    for event in events:
        (rest if event.number is None else numbered).append(event)
    numbered.sort(key=_place)
    rest.sort(key=lambda event: (event.created_at, event.id), reverse=True)
    ordered: list[Entry] = []
    for event in numbered:
        while rest and rest[-1].created_at < event.created_at:
            ordered.append(rest.pop())
        ordered.append(event)
    return ordered + rest[::-1]


def _place(event: Entry) -> tuple[int, int, str]:
    return event.number or 0, event.details.get("turn_number") or 0, event.id


def _wanted(
    subscriptions: list[Subscription],
) -> dict[tuple[str, str], list[Subscription]]:
    wanted: dict[tuple[str, str], list[Subscription]] = defaultdict(list)
    for one in subscriptions:
        for kind in one.kinds:
            wanted[one.project_id, kind].append(one)
    return wanted


def _ahead(events: list[Entry], reached: tuple[int, str]) -> list[Entry]:
    numbers: dict[str, int] = {}
    for event in events:
        if event.number is not None:
            before = numbers.get(event.stream_id, 0)
            numbers[event.stream_id] = max(before, event.number)
    return _read(
        AHEAD,
        streams=list(numbers),
        numbers=list(numbers.values()),
        **{"from": str(reached[0])},
        from_id=reached[1],
    )


def _read(query: str, **params: object) -> list[Entry]:
    return sql.records(Entry, query, {**params, "actions": FOLLOWED})
