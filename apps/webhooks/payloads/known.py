"""What some events speak of, read at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.timeline.masking import MaskedReader, readers_of
from apps.timeline.models import Review, Session, Version

STEP = {
    "step_number": "step_number",
    "parent_id": "step_parent_id",
    "objective_status": "objective_status",
    "schema_version": "schema_version",
    "release": "release",
    "model": "model",
}
REMOVING = (Action.DATA_DELETED, Action.DATA_EXPIRED)
# So many keys are counted; more are told as so many.
MOST_COUNTED = 1_000
SAID = ("reasoning", "reason_code", "external_id", "undo_of", "size", "flags")
COUNTED = ("change_count", "changes_truncated")
VERSION_COLUMNS = (
    *("session_id", "number", "op", "parent_number", "restored_number", "hold"),
    *("created_at", "changes", *SAID, *COUNTED, *STEP.values()),
)


@dataclass(frozen=True, slots=True)
class Known:
    """What some events speak of, read at once."""

    sessions: dict[str, Session] = field(default_factory=dict)
    versions: dict[tuple[str, int], Version] = field(default_factory=dict)
    # Why somebody said how a session went, by the review's ordinal.
    whys: dict[tuple[str, int], str | None] = field(default_factory=dict)
    # What agents are called, whose data or config it is.
    agents: dict[str, str] = field(default_factory=dict)
    # How many keys are gone with a version of an agent's data, if it is there still.
    removed: dict[tuple[str, int], int] = field(default_factory=dict)
    # Who is told of a project that has masks: whoever listens at an address.
    readers: dict[str, MaskedReader] = field(default_factory=dict)


def known_of(events: Iterable[Entry]) -> Known:
    """Read the sessions, versions and reviews that these events name."""
    events = list(events)
    named = {
        (event.stream_id, event.number)
        for event in events
        if event.stream_id.startswith("sess_")
    }
    streams = {stream for stream, _ in named}
    sessions = Session.objects.filter(id__in=streams).select_related("agent")
    versions = Version.objects.filter(
        session_id__in=streams,
        number__in={number for _, number in named if number is not None},
    ).only(*VERSION_COLUMNS)
    return Known(
        {one.id: one for one in sessions},
        {
            (one.session_id, one.number): one
            for one in versions
            if (one.session_id, one.number) in named
        },
        _whys_of(event for event in events if event.action == Action.SESSION_REVIEWED),
        _agents_of(events),
        _removed_in(event for event in events if event.action in REMOVING),
        readers_of({event.project_id for event in events}),
    )


def _whys_of(reviewed: Iterable[Entry]) -> dict[tuple[str, int], str | None]:
    """Read why, one review after the other: people give few."""
    named = {(event.stream_id, event.details["review"]) for event in reviewed}
    return {
        (stream, ordinal): why
        for stream, ordinal in named
        for why in Review.objects.of_session(stream)
        .filter(ordinal=ordinal)
        .values_list("why", flat=True)
    }


def _agents_of(events: Iterable[Entry]) -> dict[str, str]:
    ids = {one.resource_id for one in events if one.resource_type in ("data", "config")}
    found = Agent.objects.filter(id__in=ids)
    return dict(found.values_list("id", "external_id")) if ids else {}


def _removed_in(removing: Iterable[Entry]) -> dict[tuple[str, int], int]:
    # A feed is loaded while Django starts, before there are models.
    from apps.timeline import queries

    named = {(one.stream_id, one.number) for one in removing if one.number is not None}
    counted = {
        (stream, number): queries.count_touched(stream, number, most=MOST_COUNTED)
        for stream, number in named
    }
    # Each took some: of one that was pruned since nobody knows how many.
    return {version: keys for version, keys in counted.items() if keys}
