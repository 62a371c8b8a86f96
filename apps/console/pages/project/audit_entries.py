"""The audit page's questions: acts of a project, newest first, filtered, bounded.

Two lists: what people and administrators did, from the chained record, and every act,
agents' appends among them, from the events. Filters that no index serves are asked of
so many acts only; the page then says how far it looked, and goes on from there.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard

from apps.accounts.models import Project
from apps.audit.actions import Action
from apps.audit.covered import ROW
from apps.audit.models import AuditRecord, Event
from apps.audit.querysets import EventQuerySet
from apps.core.actors import ActorKind
from apps.core.ids import first_id
from apps.diffs.text import shorten
from apps.timeline.queries import VersionChanges, version_changes

LOOKED_AT = 20_000
SESSION_PREFIX = "sess_"
LONGEST_REASON = 160
# Agents do these by the thousand: the record keeps them, the list of people's acts does
# not show them.
BY_AGENTS = frozenset(
    {
        Action.SESSION_UPDATED,
        Action.VERSION_LABELLED,
        Action.VERSION_UNLABELLED,
        Action.NOTE_ADDED,
        Action.SESSION_REVIEWED,
        Action.SESSION_SCORED,
    }
)
# The acts of which the version that they made says more.
OF_VERSIONS = frozenset(
    {
        Action.SESSION_ROLLED_BACK,
        Action.SESSION_PAUSED,
        Action.SESSION_RESUMED,
        Action.SESSION_CLOSED,
        Action.SESSION_DELETED,
        Action.SESSION_FORKED,
        Action.SESSION_PROMOTED,
        Action.SESSION_REVERTED,
        Action.SESSION_REAPPLIED,
        Action.SESSION_RESTORED,
        Action.SESSION_MIGRATED,
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ActFilter:
    """Which acts are asked for; None leaves a clause out."""

    everything: bool = False
    action: str | None = None
    actor: str | None = None
    resource: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    # Words of a reasoning, or a reason's code.
    words: str | None = None

    @property
    def is_scan(self) -> bool:
        """Whether what is asked for stands in no index."""
        return bool(self.actor or self.resource or not self.everything)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A page of acts; `after` is where the next one begins, None at the end.

    `looked_back_to` is said where the page is not full although there may be more.
    """

    acts: Sequence[Event | AuditRecord]
    after: str | None
    looked_back_to: datetime | None = None


def acts(
    project: Project, wanted: ActFilter, *, after: str | None, limit: int
) -> Found:
    """Return up to `limit` acts, newest first, before the place `after`."""
    if wanted.everything:
        return _events(project, wanted, after, limit)
    return _records(project, wanted, after, limit)


def _events(
    project: Project, wanted: ActFilter, after: str | None, limit: int
) -> Found:
    before = after
    if wanted.end is not None:
        ends = first_id("trace", wanted.end)
        before = min(before, ends) if before else ends
    found = Event.objects.for_project(project.id).before(before).newest_first()
    if wanted.start is not None:
        found = found.from_id(first_id("trace", wanted.start))
    if wanted.resource and wanted.resource.startswith(SESSION_PREFIX):
        found = found.for_stream(wanted.resource)  # its key: nothing to look through
    if wanted.action:
        found = found.with_action([wanted.action])
    floor = _floor(found) if wanted.is_scan else None
    resource = None if is_session(wanted.resource) else wanted.resource
    matched = found.from_id(floor).matching(actor=wanted.actor, resource_id=resource)
    rows = list(matched[: limit + 1])
    if len(rows) > limit:
        return Found(acts=rows[:limit], after=rows[limit - 1].id)
    return Found(acts=rows, after=floor, looked_back_to=_time_of(project, floor))


def _floor(found: EventQuerySet) -> str | None:
    """Return the last id that is looked at; None where fewer are left."""
    # An offset, but a bounded one, along an index that holds the ids themselves.
    ids = found.values_list("id", flat=True)
    return next(iter(ids[LOOKED_AT - 1 : LOOKED_AT]), None)


def _time_of(project: Project, event_id: str | None) -> datetime | None:
    if event_id is None:
        return None
    return Event.objects.for_project(project.id).get(id=event_id).created_at


def _records(
    project: Project, wanted: ActFilter, after: str | None, limit: int
) -> Found:
    place = int(after) if after else None
    found = AuditRecord.objects.for_project(project.id).before(place).newest_first()
    first = found.first()
    if first is None:
        return Found(acts=[], after=None)
    # Numbers have no gaps, so how far to look is arithmetic.
    floor = max(first.number - LOOKED_AT + 1, 1)
    matched = (
        found.from_number(floor)
        .between(wanted.start, wanted.end)
        .matching(actor=wanted.actor, resource_id=wanted.resource)
        .exclude(actor_kind=ActorKind.KEY, action__in=BY_AGENTS)
    )
    if wanted.action:
        matched = matched.with_action([wanted.action])
    rows = list(matched[: limit + 1])
    if len(rows) > limit:
        return Found(acts=rows[:limit], after=str(rows[limit - 1].number))
    if floor == 1:
        return Found(acts=rows, after=None)
    last = AuditRecord.objects.for_project(project.id).get(number=floor)
    return Found(acts=rows, after=str(floor), looked_back_to=last.created_at)


def is_session(resource: str | None) -> bool:
    """Say whether an id is a session's."""
    return resource is not None and resource.startswith(SESSION_PREFIX)


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """One act as people read it."""

    act: Event | AuditRecord
    sentence: str
    details: list[tuple[str, str]]
    session_id: str | None
    number: int | None
    agent: str | None
    # What the version says that the act made, for a file.
    said: dict[str, str]


def told(project: Project, acts: Sequence[Event | AuditRecord]) -> list[Told]:
    """Tell acts; those that made a version with what it says, read in two statements.

    The record names such a version and does not repeat it, so that its reason can be
    emptied like any other text.
    """
    events = events_of(project, acts)
    found = [(act, events.get(event_id(act))) for act in acts]
    places = [place_of(event) for _, event in found if tells_of_version(event)]
    versions = version_changes(places)
    return [
        _told(act, event, versions.get(place_of(event)) if event else None)
        for act, event in found
    ]


def events_of(
    project: Project, acts: Sequence[Event | AuditRecord]
) -> dict[str, Event]:
    """Return the events of acts, by id."""
    ids = [act.event_id for act in acts if isinstance(act, AuditRecord)]
    events = {
        one.id: one for one in Event.objects.for_project(project.id).with_ids(ids)
    }
    return events | {act.id: act for act in acts if isinstance(act, Event)}


def event_id(act: Event | AuditRecord) -> str:
    """Return the id of the event that an act is, or that tells of it."""
    return act.id if isinstance(act, Event) else act.event_id


def tells_of_version(event: Event | None) -> TypeGuard[Event]:
    """Say whether the version that an act made says more of it."""
    return event is not None and event.action in OF_VERSIONS


def place_of(event: Event) -> tuple[str, int]:
    """Return the session and the version that an event is about."""
    return event.stream_id, event.number or 0


def _told(
    act: Event | AuditRecord, event: Event | None, version: VersionChanges | None
) -> Told:
    """Tell an act; one that this installation does not know is told by its name."""
    known = act.action in set(Action)
    details = act.details if isinstance(act.details, dict) else {}
    of_session = event.stream_id if event else ""
    about = act.resource_id if is_session(act.resource_id) else of_session
    # The digests of a row are for verifying: an export has them.
    pairs = [(key, _short(value)) for key, value in details.items() if key != ROW]
    return Told(
        act=act,
        sentence=Action(act.action).sentence if known else act.action,
        details=[*pairs, *(_said(version) if version else ())],
        session_id=about if is_session(about) else None,
        number=event.number if event else _number(details),
        agent=details.get("agent_id") if act.resource_type == "agent" else None,
        said=dict(_said(version)) if version else {},
    )


def _said(version: VersionChanges) -> Iterator[tuple[str, str]]:
    """Yield from where to where, and why."""
    if version.restored_number is not None:
        yield "from", f"v{version.number - 1}"
        yield "to", f"v{version.restored_number}"
    if version.reason_code:
        yield "code", version.reason_code
    if version.reasoning:
        yield "reason", shorten(version.reasoning, LONGEST_REASON)


def written_details(told: Told) -> str:
    """Write what an act says besides its columns, for a file; with its reason."""
    details = told.act.details if isinstance(told.act.details, dict) else {}
    return json.dumps(told.said | details, ensure_ascii=False, sort_keys=True)


def _number(details: dict[str, Any]) -> int | None:
    number = details.get("version")
    return number if isinstance(number, int) else None


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
