"""Facets of a list of sessions: what they share, each value a link that narrows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.console.queries import EXPIRED
from apps.metrics.totals import Glance
from apps.timeline.search import (
    AgentIs,
    Clause,
    CreatedBetween,
    Field,
    Forked,
    Marked,
    Query,
    ReviewedAs,
    RolledBack,
    SchemaIs,
    Shared,
    StandsAs,
    StatusIs,
    TaskIs,
    UsedWithin,
    UserIs,
    VersionSays,
    by_cost,
    by_mark,
    by_task,
    releases,
    schemas,
    write_clause,
    write_query,
)
from apps.timeline.words import Standing, Status

SHOWN = 6
# Only lists by agent, user, status and time have these.
GONE = (Status.DELETED, EXPIRED)

# As rows say them.
STATUS_WORDS: dict[str, str] = {
    Standing.HELD: "held",
    Standing.WRONG: "looks wrong",
    Standing.ROLLED: "rolled back",
}


class Seen(Protocol):
    """What is counted of a session: a row, be it of a list or of a search."""

    id: str
    agent: str
    user_id: str | None
    status: str
    created_at: datetime
    review: str | None
    rollback_count: int
    origin_session_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One value that sessions share, how many do, and the search for those."""

    name: str
    count: int
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Facet:
    """The values that most sessions have; `n_more` have another."""

    title: str
    choices: Sequence[Choice]
    n_more: int = 0


class Ways:
    """The searches that narrow this one by one more term."""

    def __init__(self, project: Project, query: Query) -> None:
        self.query = query
        self.here = reverse("console:sessions", args=[project.slug])

    def choices(
        self, counts: Iterable[tuple[str, int]], clause: type[Clause], name: str
    ) -> list[Choice]:
        return [
            Choice(
                name=value, count=count, url=self.to(clause(text="", **{name: value}))
            )
            for value, count in counts
            if value.strip()
        ]

    def to(self, clause: Clause) -> str:
        """Return the search with this term, in place of one of its kind about time."""
        kept = [
            one
            for one in self.query.clauses
            if not (isinstance(one, CreatedBetween) and isinstance(clause, type(one)))
        ]
        text = write_query(Query((*kept, clause)))
        return f"{self.here}?{urlencode({'q': text})}"

    def between(self, start: datetime, end: datetime) -> str:
        before = start - timedelta(microseconds=1)
        return self.to(CreatedBetween(text="", after=before, before=end))

    def has(self, kind: type[Clause]) -> bool:
        return any(isinstance(one, kind) for one in self.query.clauses)


def facets(
    project: Project,
    seen: Sequence[Seen],
    standing: Mapping[str, Standing],
    ways: Ways,
    *,
    now: datetime,
) -> Iterable[Facet]:
    """Yield what the sessions share, counted; a facet may have no choice.

    `standing` says how those stand that are not over.
    """
    agents = Counter(one.agent for one in seen)
    if not ways.has(AgentIs):
        yield _facet("Agent", agents, ways, AgentIs, "name")
    live = [one for one in seen if one.status not in GONE]
    found = releases(project, [one.id for one in live], most=SHOWN)
    says = [
        Choice(name=name, count=count, url=ways.to(_release(name)))
        for name, count in found
        if name.strip()
    ]
    yield Facet(title="Release", choices=says)
    if not (ways.has(StatusIs) or ways.has(StandsAs)):
        yield _statuses(seen, standing, ways)
    if not ways.has(ReviewedAs):
        reviews = Counter(one.review for one in seen if one.review is not None)
        yield _facet("Review", reviews, ways, ReviewedAs, "review")
    if not ways.has(UserIs):
        users = Counter(one.user_id for one in seen if one.user_id is not None)
        often = Counter({user: n for user, n in users.items() if n > 1})
        yield _facet("User, more than once", often, ways, UserIs, "user_id")
    yield Facet(title="What happened", choices=list(_happened(live, ways)))
    yield from of_work(project, [one.id for one in live], ways, now=now)


def _release(name: str) -> Clause:
    return VersionSays(text="", field=Field.RELEASE, value=name)


def _facet(
    title: str, counts: Counter[str], ways: Ways, clause: type[Clause], name: str
) -> Facet:
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    choices = ways.choices(most[:SHOWN], clause, name)
    return Facet(title=title, choices=choices, n_more=len(most[SHOWN:]))


def _statuses(
    seen: Sequence[Seen], standing: Mapping[str, Standing], ways: Ways
) -> Facet:
    """Count how sessions stand, as their rows say it."""
    counts = Counter(standing.get(one.id, one.status) for one in seen)
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return Facet(
        title="Status",
        choices=[
            Choice(name=STATUS_WORDS.get(one, one), count=n, url=ways.to(_stands(one)))
            for one, n in most
        ],
    )


def _stands(status: str) -> Clause:
    if status in (*GONE, Standing.HELD):
        return StatusIs(text="", status=status)
    return StandsAs(text="", standing=status)


def _happened(seen: Sequence[Seen], ways: Ways) -> Iterable[Choice]:
    for name, kind, count in (
        ("rolled back", RolledBack, sum(one.rollback_count > 0 for one in seen)),
        ("forked from another", Forked, sum(map(_is_fork, seen))),
    ):
        if count and not ways.has(kind):
            url = ways.to(kind(text="", wanted=True))
            yield Choice(name=name, count=count, url=url)


def _is_fork(one: Seen) -> bool:
    return one.origin_session_id is not None


def of_work(
    project: Project,
    sessions: Sequence[str],
    ways: Ways,
    *,
    now: datetime,
    of: str = "",
) -> Iterable[Facet]:
    """Yield what sessions work at: schemas, tasks, cost, and what is open.

    `of` says which sessions were looked at, where they are not all.
    """
    if not ways.has(SchemaIs):
        found = schemas(sessions, most=SHOWN + 1)
        yield Facet(
            title=f"Schema{of}",
            choices=ways.choices(found[:SHOWN], SchemaIs, "schema"),
            n_more=len(found[SHOWN:]),
        )
    if not ways.has(TaskIs):
        yield _shared(f"Tasks{of}", by_task(project, sessions), ways)
    if not ways.has(UsedWithin):
        yield _shared(f"Cost{of}", by_cost(sessions), ways)
    if not ways.has(Marked):
        yield _shared(f"Open{of}", by_mark(sessions, now=now), ways)


def _shared(title: str, found: Sequence[Shared], ways: Ways) -> Facet:
    choices = [
        Choice(name=_work_words(one.clause), count=one.count, url=ways.to(one.clause))
        for one in found
    ]
    return Facet(title=title, choices=choices)


def _work_words(clause: Clause) -> str:
    """Return what a choice says, beside the title of its facet."""
    if isinstance(clause, TaskIs):
        return clause.status.replace("_", " ")
    if isinstance(clause, UsedWithin):
        return f"over {clause.low:f} {clause.currency}"
    if isinstance(clause, Marked):
        return f"{clause.field} {clause.value}"
    return write_clause(clause)


def rolled_up(found: Glance, ways: Ways, names: list[str]) -> Iterable[Facet]:
    """Yield what closed hours say of agents and releases."""
    if not names:
        most = found.by_agent.most_common(SHOWN)
        known = Agent.objects.filter(id__in=[one for one, _ in most])
        of_ids = dict(known.values_list("id", "external_id"))
        counts = [(of_ids[one], count) for one, count in most if one in of_ids]
        yield Facet(
            title="Agent, sessions begun",
            choices=ways.choices(counts, AgentIs, "name"),
            n_more=max(0, len(found.by_agent) - SHOWN),
        )
    told = Counter({name: n for name, n in found.by_release.items() if name.strip()})
    yield Facet(
        title="Release, sessions active",
        choices=[
            Choice(name=name, count=count, url=ways.to(_release(name)))
            for name, count in told.most_common(SHOWN)
        ],
        n_more=max(0, len(told) - SHOWN),
    )
