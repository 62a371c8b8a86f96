"""The turns that are to form memories: noted, claimed, tried again, given up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core import sql
from apps.memory.models import Formation, FormingTurn, Mode

# What a sweep forms; the next one goes on.
MOST = 200
# After so many failed calls nothing is formed of a turn: about two hours in all.
ATTEMPTS = 8
# Longer than a call and a sweep together, so that nobody else asks meanwhile.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)

_AGENTS = sql.across("""
SELECT s.id, s.agent_id FROM timeline_session s
 WHERE s.id = ANY (%(sessions)s::text[]) AND s.kind = 'session' LIMIT %(most)s
""")


def note_turns(entries: Sequence[Entry], now: datetime) -> None:
    """Note the turns among these events that are to form memories."""
    turns = [one for one in entries if one.action == Action.TURN_ADDED]
    forming = _forming({one.project_id for one in turns}) if turns else {}
    if not forming:
        return
    sessions = {one.stream_id for one in turns}
    asked = {"sessions": sql.text_array(sorted(sessions)), "most": len(sessions)}
    agents = {row.id: row.agent_id for row in sql.rows(_AGENTS, asked)}
    FormingTurn.objects.bulk_create(
        [
            FormingTurn(
                session_id=one.stream_id,
                turn_id=one.resource_id,
                project_id=one.project_id,
                noted_at=now,
                mode=forming[agents[one.stream_id]],
            )
            for one in turns
            if agents.get(one.stream_id) in forming
        ],
        ignore_conflicts=True,
    )


def due(mode: Mode, now: datetime) -> list[FormingTurn]:
    """Return the turns of this mode that are to be formed now, the oldest first."""
    waiting = FormingTurn.objects.filter(mode=mode)
    ready = waiting.filter(Q(retry_at__isnull=True) | Q(retry_at__lte=now))
    return list(ready.order_by("noted_at", "turn_id")[:MOST])


def claim(one: FormingTurn, *, now: datetime) -> bool:
    """Take a turn for one call; False where another worker has it.

    The attempt counts before it is made: a worker that is killed in it has made it.
    """
    pause = min(FIRST_PAUSE * 2**one.attempts, LONGEST_PAUSE)
    unclaimed = _row(one).filter(attempts=one.attempts, answer__isnull=True)
    claimed = unclaimed.update(attempts=one.attempts + 1, retry_at=now + pause)
    one.attempts += claimed
    return bool(claimed)


def keep_answer(one: FormingTurn, answer: str) -> None:
    """Keep what was answered, so that it is not asked for again."""
    one.answer = answer
    _row(one).update(answer=answer, retry_at=None)


def note_failure(
    one: FormingTurn, agent_id: str, reason: str, *, now: datetime
) -> None:
    """Note that a call failed; the last one gives the turn up."""
    if one.attempts >= ATTEMPTS:
        give_up(one, agent_id, reason, now=now)
    else:
        Formation.objects.filter(agent_id=agent_id).update(failed_at=now, reason=reason)


def give_up(one: FormingTurn, agent_id: str, reason: str, *, now: datetime) -> None:
    """Form nothing of a turn, and say so."""
    if end(one):
        Formation.objects.filter(agent_id=agent_id).update(
            given_up=F("given_up") + 1, failed_at=now, reason=reason
        )


def end(one: FormingTurn) -> bool:
    """Take a turn away; say whether it was still there."""
    return bool(_row(one).delete()[0])


def mode_of(agent_id: str) -> Mode:
    """Return how an agent's turns form memories now."""
    found = Formation.objects.filter(agent_id=agent_id).first()
    return Mode.OFF if found is None else Mode(found.mode)


def _forming(project_ids: set[str]) -> dict[str, str]:
    """Return the agents whose turns form memories, and how."""
    found = Formation.objects.filter(project_id__in=project_ids).exclude(mode=Mode.OFF)
    return dict(found.values_list("agent_id", "mode"))


def _row(one: FormingTurn) -> QuerySet[FormingTurn]:
    return FormingTurn.objects.filter(session_id=one.session_id, turn_id=one.turn_id)
