"""What needs attention now, as short lists for a project's first page.

Each list holds the newest few of what was found among the project's newest acts, so
the page costs the same however many sessions there are.
"""

from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.console import reading
from apps.diffs.flags import Flag
from apps.diffs.text import shorten
from apps.metrics.models import Rule
from apps.timeline import activity, listing
from apps.timeline.listing import VersionChanges
from apps.timeline.words import Status

SHOWN = 8
# The page of alerts has all of them.
RULES_SHOWN = 5
FLAG_WORDS = {
    Flag.KEYS_LOST: "keys lost",
    Flag.NULLED: "turned null",
    Flag.SHRANK: "state shrank",
}
LONGEST = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing to look at: a version of a session, and why."""

    session_id: str
    number: int
    agent: str
    user_id: str | None
    words: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemList:
    """Things of one kind, and what it means that there are none."""

    name: str
    title: str
    sign: str
    items: list[Item]
    none: str
    # In words, the searches that find all of them, also beyond the newest acts.
    searches: list[tuple[str, str]]


def firing(project: Project) -> list[Rule]:
    """Return rules that fire, not more than a page has room for at its head."""
    return list(Rule.objects.of_project(project.id).firing()[:RULES_SHOWN])


def lists(project: Project, *, now: datetime) -> list[ItemList]:
    """Return all lists, the most pressing first."""
    return [
        ItemList(
            name="escalated",
            title="Waiting for a human",
            sign="☎",
            items=_escalated(project),
            none="No agent asks for a human.",
            searches=[
                ("All escalated", "state.escalated=true"),
                ("all escalated to a human", "state.escalated_to_human=true"),
            ],
        ),
        ItemList(
            name="flagged",
            title="Flagged versions",
            sign="▲",
            items=_flagged(project),
            none="Nothing was lost that has not been rolled back.",
            searches=[
                ("All that lost keys", "flag:keys"),
                ("all with a value turned null", "flag:null"),
                ("all whose state shrank", "flag:shrank"),
            ],
        ),
        ItemList(
            name="paused",
            title="Paused sessions",
            sign="❚❚",
            items=_paused(project, now),
            none="No session is held.",
            searches=[("All of them", "status:paused")],
        ),
        ItemList(
            name="rollbacks",
            title="Recent rollbacks",
            sign="◆",
            items=_rollbacks(project),
            none="Nothing was rolled back.",
            searches=[("All of them", "rolled-back:yes")],
        ),
    ]


def _escalated(project: Project) -> list[Item]:
    return [
        Item(
            session_id=one.session_id,
            number=one.number,
            agent=one.agent,
            user_id=one.user_id,
            words="escalated"
            if one.is_said_by_state
            else shorten(one.objective_status or "", LONGEST),
            at=one.created_at,
        )
        for one in activity.escalated(project.id, limit=SHOWN)
    ]


def _flagged(project: Project) -> list[Item]:
    return [
        Item(
            session_id=one.session_id,
            number=one.number,
            agent=one.agent,
            user_id=one.user_id,
            words=", ".join(FLAG_WORDS[Flag(flag)] for flag in one.flags),
            at=one.created_at,
        )
        for one in activity.flagged(project.id, limit=SHOWN)
    ]


def _paused(project: Project, now: datetime) -> list[Item]:
    wanted = reading.Wanted(status=Status.PAUSED)
    found = reading.sessions(project, wanted, after_id=None, now=now)
    return [
        Item(
            session_id=session.id,
            number=session.head_number,
            agent=session.agent.external_id,
            user_id=session.user_id,
            words="agents' writes are held",
            at=session.updated_at,
        )
        for session in found[:SHOWN]
    ]


def _rollbacks(project: Project) -> list[Item]:
    events = Event.objects.for_project(project.id).with_action(
        [Action.SESSION_ROLLED_BACK]
    )
    found = list(events.newest_first()[:SHOWN])
    at = [(event.stream_id, event.number or 0) for event in found]
    known = listing.changes_of(at)
    return [
        _rollback(event, known[place]) for event, place in zip(found, at, strict=True)
    ]


def _rollback(event: Event, version: VersionChanges) -> Item:
    reason = f": {shorten(version.reasoning, LONGEST)}" if version.reasoning else ""
    by = shorten(event.actor_label)
    return Item(
        session_id=version.session_id,
        number=version.number,
        agent=version.agent,
        user_id=version.user_id,
        words=f"to v{version.restored_number} by {by}{reason}",
        at=event.created_at,
    )
