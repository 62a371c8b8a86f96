"""Put what concerns a subscription into its lanes, as events are fed.

Versions and turns are fed in the order of their session, other acts when they are
taken. Nobody who writes waits for any of this. What is fed again makes nothing new: a
delivery has its subscription and its message as a key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.audit.entries import Entry
from apps.core import sql
from apps.core.ids import new_id
from apps.webhooks import payloads
from apps.webhooks.kinds import FOLLOWED, kinds_of, message_id
from apps.webhooks.models import Delivery, Feed, Message, Subscription

# What is older is not told any more; what was told stays longer in the log than this,
# so that nothing is told again, whatever is read again.
OLDEST = timedelta(days=29)

BEGIN = """
INSERT INTO webhooks_feed (id, ordinal) VALUES (1, 0) ON CONFLICT DO NOTHING RETURNING 1
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


def place() -> Feed:
    """Lock the feed's row, once whoever has it is ready; make it if it is not there."""
    sql.rows(BEGIN, [])
    return Feed.objects.select_for_update(no_key=True).get()


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


def feed(entries: Sequence[Entry], now: datetime) -> None:
    """Put deliveries of these events into the lanes of whoever subscribes to them."""
    oldest = now - OLDEST
    told = [
        one for one in entries if one.action in FOLLOWED and one.created_at > oldest
    ]
    if not told:
        return
    projects = {one.project_id for one in told}
    subscriptions = list(Subscription.objects.enabled().of_projects(projects))
    if subscriptions:
        _take_in(told, subscriptions, now)


def _take_in(
    events: list[Entry], subscriptions: list[Subscription], now: datetime
) -> None:
    wanted = _wanted(subscriptions)
    known = payloads.known_of(events)
    messages: dict[str, Message] = {}
    drafts: list[Draft] = []
    for event in events:
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
    if drafts:
        Message.objects.bulk_create(messages.values(), ignore_conflicts=True)
        counter = place()
        put(drafts, feed=counter, now=now)
        counter.save(update_fields=["ordinal"])


def _wanted(
    subscriptions: list[Subscription],
) -> dict[tuple[str, str], list[Subscription]]:
    wanted: dict[tuple[str, str], list[Subscription]] = defaultdict(list)
    for one in subscriptions:
        for kind in one.kinds:
            wanted[one.project_id, kind].append(one)
    return wanted
