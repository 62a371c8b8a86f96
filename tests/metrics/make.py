"""Tells histories at given moments, through the timeline's own operations."""

from datetime import UTC, datetime

from django.db import connection, transaction

from apps.agents.scope import Scope
from apps.core.actors import Actor, ActorKind
from apps.metrics import rollups
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range, between
from apps.timeline import operations as timeline
from apps.timeline.queries.merging import Restore
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.feeding import feed_all

KEY = Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
OTHER_KEY = Actor(kind=ActorKind.KEY, id="key_2", label="sb_99aa")
OLGA = Actor(kind=ActorKind.USER, id="user_1", label="olga")
DAY = datetime(2026, 3, 10, tzinfo=UTC)


def at(text: str, day: datetime = DAY) -> datetime:
    """`at("10:05")`, `at("10:05:30")`, `at("+1 10:05")` for the day after."""
    days, _, clock = text.rpartition(" ")
    hour, minute, *rest = (float(part) for part in clock.split(":"))
    seconds = rest[0] if rest else 0
    return datetime.fromtimestamp(
        day.timestamp()
        + int(days or 0) * 86_400
        + hour * 3_600
        + minute * 60
        + seconds,
        tz=UTC,
    )


class Told:
    """One session; every act is told with its moment."""

    def __init__(self, project, moment, *, agent="travel", by=KEY, **step) -> None:
        self.scope = Scope(project)
        receipt = timeline.create(
            agent=agent,
            state={"n": 0},
            about=timeline.About(),
            step=Step(**step),
            act=self.act(moment, by),
        )
        self.id, self.count = receipt.session_id, 0

    def act(self, moment, by):
        now = at(moment) if isinstance(moment, str) else moment
        return act_in(self.scope, by, now)

    def update(self, *moments, by=KEY, **step):
        for moment in moments:
            self.count += 1
            timeline.update(
                session_id=self.id,
                patch={"n": self.count},
                remove=(),
                step=Step(**step),
                act=self.act(moment, by),
            )
        return self

    def turn(self, moment, *, state=None, by=KEY, exchange=None):
        timeline.add_turn(
            session_id=self.id,
            exchange=exchange or HELLO,
            state_after=state,
            step=Step(),
            act=self.act(moment, by),
        )
        return self

    def back(self, to, moment, *, by=OLGA, reason=None):
        timeline.rollback(
            session_id=self.id,
            to=to,
            step=Step(),
            reason_code=reason,
            act=self.act(moment, by),
        )
        return self

    def restore(self, version, moment, *, by=OLGA):
        """Set the place `n` back to an earlier version, which is no rollback."""
        timeline.merge(
            session_id=self.id,
            request=Restore(version=version, pointers=("/n",)),
            choices={},
            step=Step(),
            expected=timeline.Expected(),
            act=self.act(moment, by),
        )
        return self

    def ask(self, moment, *, by=KEY):
        timeline.wait(
            session_id=self.id,
            step=Step(),
            details={},
            kept={},
            act=self.act(moment, by),
        )
        return self

    def undo(self, number, moment, *, by=OLGA):
        timeline.undo(
            session_id=self.id, number=number, step=Step(), act=self.act(moment, by)
        )
        return self

    def fork(self, number, moment, *, agent=None, by=OLGA):
        receipt = timeline.fork(
            origin=timeline.Origin(session_id=self.id, number=number),
            agent=agent,
            about=timeline.About(),
            step=Step(),
            act=self.act(moment, by),
        )
        made = object.__new__(Told)
        made.scope, made.id, made.count = self.scope, receipt.session_id, 100
        return made


HELLO = timeline.Exchange(
    input={"type": "text", "content": "Hi"},
    output={"type": "text", "content": "Hello"},
)


def called(tool, *, failed=False, ms=None):
    """One call of a tool, as StateBase's client tells of it."""
    output = {"type": "error" if failed else "tool_response", "content": "x"}
    return timeline.Exchange(
        input={"type": "tool_call", "content": "", "tool_metadata": {"name": tool}},
        output=output,
        metadata=None if ms is None else {"latency_ms": ms},
    )


def reading(project, start, end, *, now=None, agents=None) -> Reading:
    end = at(end) if isinstance(end, str) else end
    start = at(start) if isinstance(start, str) else start
    wanted: Range = between(start, end, now=now or end)
    return Reading(project.id, wanted, agents)


def roll_up(now) -> int:
    """Feed what was written, and add up every hour that is over."""
    moment = at(now) if isinstance(now, str) else now
    feed_all(now=moment)
    return rollups.sweep(now=moment)


# What is of the one thing that was asked: it takes too long, or somebody has its lock.
TOO_LONG = ("SET LOCAL statement_timeout = 1", "SELECT pg_sleep(1)")
LOCKED = ("DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$",)
# There is no connection left for anything.
NO_ROOM = ("DO $$ BEGIN RAISE SQLSTATE '53300'; END $$",)


@transaction.atomic
def refused(statements) -> None:
    """Ask the database what it refuses; the transaction around it goes on."""
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
