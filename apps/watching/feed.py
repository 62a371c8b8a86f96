"""Note what happened to what is watched, as events are fed.

Nobody who writes waits for it, and no mail is sent here. What is fed again notes
nothing new: a notice has its watch and its event as a key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.timeline.models import Session, Version
from apps.watching.models import Happening, Notice, Watch

HAPPENINGS = {
    Action.SESSION_ROLLED_BACK: Happening.ROLLED_BACK,
    Action.SESSION_PAUSED: Happening.HELD,
    Action.APPROVAL_REQUESTED: Happening.ASKED,
    Action.APPROVAL_ESCALATED: Happening.ESCALATED,
    # Of an approval the event above tells.
    Action.SESSION_ESCALATED: Happening.HANDED_OVER,
    # If the version has flags.
    Action.VERSION_CREATED: Happening.FLAGGED,
}


def feed(entries: Sequence[Entry], now: datetime) -> None:
    """Put a notice for each watch that one of these events concerns."""
    told = [one for one in entries if _is_told(one)]
    if not told:
        return
    watches = list(Watch.objects.in_projects({one.project_id for one in told}))
    if watches:
        Notice.objects.bulk_create(_notices(told, watches), ignore_conflicts=True)


def _is_told(entry: Entry) -> bool:
    """Whether watches tell of it: an escalation only where it says because of what."""
    if entry.action not in HAPPENINGS or entry.number is None:
        return False
    return entry.action != Action.SESSION_ESCALATED or "because" in entry.details


def _notices(told: Sequence[Entry], watches: Sequence[Watch]) -> list[Notice]:
    by_subject: dict[tuple[str, str], list[Watch]] = defaultdict(list)
    for watch in watches:
        by_subject[watch.project_id, watch.subject_id].append(watch)
    agents = _agents_of({one.stream_id for one in told})
    concerned = [
        (entry, watch)
        for entry in told
        for subject in (entry.stream_id, agents.get(entry.stream_id, ""))
        for watch in by_subject.get((entry.project_id, subject), ())
        # What was before it is not told afterwards.
        if watch.created_at <= entry.created_at
    ]
    flagged = _flagged_among(
        [entry for entry, _ in concerned if entry.action == Action.VERSION_CREATED]
    )
    return [
        _notice(entry, watch)
        for entry, watch in concerned
        if entry.action != Action.VERSION_CREATED
        or (entry.stream_id, entry.number) in flagged
    ]


def _notice(entry: Entry, watch: Watch) -> Notice:
    return Notice(
        watch=watch,
        event_id=entry.id,
        session_id=entry.stream_id,
        # What has none was left out.
        number=entry.number or 0,
        happening=HAPPENINGS[Action(entry.action)],
        actor_label=entry.actor_label,
        at=entry.created_at,
    )


def _agents_of(session_ids: set[str]) -> dict[str, str]:
    found = Session.objects.filter(id__in=session_ids).values_list("id", "agent_id")
    return dict(found[: len(session_ids)])


def _flagged_among(entries: Sequence[Entry]) -> set[tuple[str, int | None]]:
    if not entries:
        return set()
    found = (
        Version.objects.filter(
            session_id__in={one.stream_id for one in entries},
            number__in={one.number for one in entries},
            restored_number__isnull=True,
        )
        .exclude(flags=[])
        .values_list("session_id", "number")
    )
    # Of each of these sessions at most these versions.
    most = len(entries) ** 2
    return {(session_id, number) for session_id, number in found[:most]}
