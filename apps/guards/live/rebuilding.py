"""Hold a session's verdicts against its history, and make them anew from it.

Each is judged again by the revision that it names. A guard counts in all processes
within half a minute, so what was written about when a revision began or ended may or
may not have been looked at by it: there a verdict may stand, and may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.agents.remembered import REMEMBERED_SECONDS
from apps.core import sql
from apps.guards.detecting import OF_TURNS, Moment, Outcome
from apps.guards.live.judging import said_of
from apps.guards.live.standing import Standing, read
from apps.guards.models import GuardRevision, Refusal, Verdict
from apps.guards.trying.histories import looks_of, moments_of
from apps.guards.trying.windows import Seen, Window
from apps.guards.words import Did, Kind, Mode
from apps.timeline.models import Session

# Both what an agent has and what its guards are is remembered for so long.
# Later than any write.
FAR = datetime(9999, 1, 1, tzinfo=UTC)
UNSURE = timedelta(seconds=2 * REMEMBERED_SECONDS)
# So many versions are judged again; what was said of older ones stands.
MOST_JUDGED = 5_000
# The last version of a batch comes so far after the head.
MOST_AT_ONCE = 100
READ = ("agent_id", "head_number", "created_at", "origin_session_id", "origin_number")
Key = tuple[int, int, str]

_REFUSED = "SELECT FROM guards_refusal r WHERE r.session_id = %s LIMIT 1"
_AGENT = sql.of_session("SELECT s.agent_id FROM timeline_session s WHERE s.id = %s")
_GUARDED = "SELECT FROM guards_guard g WHERE g.agent_id = %s LIMIT 1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """What a revision says of a write; `is_sure`: it had to be looked at."""

    revision: int
    is_undecided: bool
    is_sure: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """What history says of a session, and the writes that nobody can judge again."""

    lowest: int
    expected: dict[tuple[Key, int], Expected]
    unreadable: set[tuple[int, int]]


def problems(session_id: str) -> Iterator[str]:
    """Yield a sentence for each verdict that does not follow, or is missing.

    What was refused is nowhere in history: of that it is asked what it names. Most
    sessions have neither refusals nor guards, so that is asked first.
    """
    if sql.rows(_REFUSED, [session_id]):
        yield from _of_refusals(session_id)
    held = _held(session_id) if _is_guarded(session_id) else None
    if held is None:
        return
    stored = {_key(one): one for one in Verdict.objects.of_session(session_id)}
    for (number, turn, guard), one in sorted(stored.items()):
        said = held.expected.get(((number, turn, guard), one.revision))
        if (number, turn) in held.unreadable or number < held.lowest:
            continue
        if said is None or said.is_undecided != one.is_undecided:
            yield f"The verdict of {guard} on v{number} does not follow from history."
    for (key, _), said in sorted(held.expected.items(), key=lambda item: item[0]):
        if said.is_sure and key not in stored:
            yield f"There is no verdict of {key[2]} on v{key[0]}."


def _is_guarded(session_id: str) -> bool:
    """Whether the session's agent ever had a guard."""
    return any(
        sql.rows(_GUARDED, [row.agent_id]) for row in sql.rows(_AGENT, [session_id])
    )


def _of_refusals(session_id: str) -> Iterator[str]:
    refusals = list(Refusal.objects.of_session(session_id)[:MOST_JUDGED])
    if not refusals:
        return
    guards = {one.guard_id for one in refusals}
    revisions = GuardRevision.objects.filter(guard_id__in=guards)
    known = set(revisions.values_list("guard_id", "number"))
    sessions = Session.objects.filter(id=session_id)
    next_number = 1 + (sessions.values_list("head_number", flat=True).first() or 0)
    for one in refusals:
        named = f"The refusal of v{one.number} by {one.guard_id}"
        if (one.guard_id, one.revision) not in known:
            yield f"{named} names no revision that there is."
        elif not 0 <= one.number <= next_number + MOST_AT_ONCE:
            yield f"{named} is of no version to come."


def rebuild(session_id: str) -> None:
    """Take away what does not follow, and write what is missing."""
    held = _held(session_id)
    if held is None:
        return
    project_id = Session.objects.values_list("project_id", flat=True).get(id=session_id)
    stored = {_key(one): one for one in Verdict.objects.of_session(session_id)}
    for key, one in stored.items():
        said = held.expected.get((key, one.revision))
        if key[:2] in held.unreadable or key[0] < held.lowest:
            continue
        if said is None:
            one.delete()
        elif said.is_undecided != one.is_undecided:
            one.is_undecided = said.is_undecided
            one.save(update_fields=["is_undecided"])
    Verdict.objects.bulk_create(
        Verdict(
            project_id=project_id,
            session_id=session_id,
            number=key[0],
            turn_number=key[1],
            guard_id=key[2],
            revision=said.revision,
            is_undecided=said.is_undecided,
            did=Did.NOTHING,
            created_at=said.at,
        )
        for (key, _), said in held.expected.items()
        if said.is_sure and key not in stored
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    """A revision as it held: since when, and until when."""

    asked: Standing
    since: datetime
    until: datetime


def _held(session_id: str) -> Held | None:
    """Judge the whole history again; None where no guard ever looked at it."""
    # No more of it than is needed: verification reads whatever stands there.
    sessions = Session.objects.only(*READ)
    session = sessions.filter(id=session_id).first()
    if session is None:
        return None
    revisions = _revisions(session.agent_id)
    rules = [one.asked.rule for one in revisions if one.asked.rule is not None]
    if not rules:
        return None
    lowest = max(0, session.head_number - MOST_JUDGED)
    held = Held(lowest, {}, set())
    window = Window(session.created_at, FAR, lowest)
    for seen in moments_of(session, looks_of(rules), window):
        if seen.moment is None:
            held.unreadable.update({(seen.number, 0), (seen.number, seen.turn_number)})
            continue
        for one in revisions:
            if one.since <= seen.at < min(one.until, FAR - UNSURE) + UNSURE:
                _judge(held, one, seen, seen.moment)
    return held


def _revisions(agent_id: str) -> list[_Held]:
    """Return all revisions of an agent's guards that this version can read."""
    found: list[_Held] = []
    rows = GuardRevision.objects.filter(guard__agent_id=agent_id)
    rows = rows.select_related("guard").order_by("guard_id", "-number")
    after: GuardRevision | None = None
    for row in rows:
        is_last = after is None or after.guard_id != row.guard_id
        until = row.guard.withdrawn_at or FAR
        if not is_last and after is not None:
            until = after.created_at
        after = row
        rule = read(row.kind, bytes(row.rule))
        if rule is None:
            continue
        asked = Standing(
            id=row.guard_id,
            name=row.guard.name,
            kind=Kind(row.kind),
            revision=row.number,
            mode=Mode.OBSERVE,
            rule=rule,
        )
        found.append(_Held(asked=asked, since=row.created_at, until=until))
    return found


def _judge(held: Held, one: _Held, seen: Seen, moment: Moment) -> None:
    found = said_of(one.asked, moment)
    if found is None or found.outcome is Outcome.PASSED:
        return
    is_of_turn = one.asked.kind in OF_TURNS
    key = (seen.number, seen.turn_number if is_of_turn else 0, one.asked.id)
    held.expected[key, one.asked.revision] = Expected(
        revision=one.asked.revision,
        is_undecided=found.outcome is Outcome.UNDECIDED,
        is_sure=one.since + UNSURE <= seen.at < one.until,
        at=seen.at,
    )


def _key(one: Verdict) -> Key:
    return one.number, one.turn_number, one.guard_id
