"""Writing things down beside a history: notes, summaries, and how the session went.

A review is a person's verdict, a score a number of an agent or evaluator. Nothing of it
is ever changed: whoever thinks otherwise writes another one, and the newest counts.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.timeline import scores
from apps.timeline.covered import NOTE, REVIEW, SCORE, SUMMARY
from apps.timeline.errors import ReviewReplaced, TurnNotFound
from apps.timeline.ledger.locking import lock_existing
from apps.timeline.models import Note, Review, Score, Session, Summary, Turn
from apps.timeline.projection import labelling
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import require_text
from apps.timeline.words import Outcome

MAX_NOTE = 10_000
MAX_WHY = 2_000
# A few paragraphs. All of it is searched by words.
MAX_SUMMARY = 20_000
MOST_SUMMARIES = 10_000
_SET_SCORE = sql.of_session("""
UPDATE timeline_session s
   SET scores = coalesce(s.scores, '{}')
                || jsonb_build_object(%(name)s::text, %(value)s::float8)
 WHERE s.id = %(session)s RETURNING 1
""")


@transaction.atomic
def add_note(
    *,
    act: Act,
    session_id: str,
    number: int | None = None,
    text: str,
) -> Note:
    """Write a note about a version, or without a number about the whole session.

    It is never changed. The record names it, not what it says.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    require_text("text", text, MAX_NOTE)
    if not text.strip():
        raise InvalidRequest("A note says something.", param="text")
    fetching.version(act.scope, session_id, number, now=act.now)
    # Read again under the lock: a removal may have taken the version in between.
    lock_existing(session_id)
    version = fetching.version(act.scope, session_id, number, now=act.now)
    note = Note(
        session_id=session_id,
        id=new_id("note", now=act.now),
        number=None if number is None else version.number,
        text=text,
        **act.by,
    )
    note.save(force_insert=True)
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.NOTE_ADDED,
        resource_type="note",
        resource_id=note.id,
        act=act,
        details={"version": note.number}
        | NOTE.left(note, act.project.index_key).details(),
        number=note.number,
    )
    return note


@transaction.atomic
def add_summary(
    *, act: Act, session_id: str, first_turn: int, last_turn: int, text: str
) -> Summary:
    """Tell shortly what was said from one turn to another; the turns stay.

    It makes no version and is never changed. Saying again what the newest summary says
    already, by the same actor, is that one. The record names it, not what it says.

    Raises: SessionNotFound, TurnNotFound, InvalidRequest.
    """
    _require_summary(first_turn, last_turn, text)
    fetching.head(act.scope, session_id, now=act.now)
    lock_existing(session_id)
    head_number = _left_by(session_id, first_turn, last_turn)
    last = Summary.objects.of_session(session_id).newest()
    if (
        last is not None
        and _is_by(last, act)
        and (last.first_turn, last.last_turn, last.text)
        == (first_turn, last_turn, text)
    ):
        return last
    ordinal = 1 if last is None else last.ordinal + 1
    if ordinal > MOST_SUMMARIES:
        raise InvalidRequest(f"A session has at most {MOST_SUMMARIES:,} summaries.")
    made = Summary(
        session_id=session_id,
        id=new_id("sum", now=act.now),
        ordinal=ordinal,
        first_turn=first_turn,
        last_turn=last_turn,
        head_number=head_number,
        text=text,
        **act.by,
    )
    made.save(force_insert=True)
    labelling.note_summary(act.project_id, made)
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.SUMMARY_ADDED,
        resource_type="summary",
        resource_id=made.id,
        act=act,
        details={"first_turn": first_turn, "last_turn": last_turn}
        | SUMMARY.left(made, act.project.index_key).details(),
        number=head_number,
    )
    return made


@transaction.atomic
def review(
    *,
    act: Act,
    session_id: str,
    outcome: str,
    why: str | None = None,
) -> Review:
    """Say how the session went: `fine` or `failed`, and why.

    Saying again what the newest review says already, by the same actor, is that one.

    Raises: SessionNotFound, InvalidRequest.
    """
    why = _said(outcome, why)
    fetching.head(act.scope, session_id, now=act.now)
    # Two at once follow each other, so there is one that counts.
    lock_existing(session_id)
    last = Review.objects.of_session(session_id).newest()
    if (
        last is not None
        and _is_by(last, act)
        and (last.outcome, last.why)
        == (
            outcome,
            why,
        )
    ):
        return last
    return _reviewed(act, session_id, last, outcome, why)


@transaction.atomic
def withdraw_review(*, act: Act, session_id: str, given_at: datetime) -> Review:
    """Write a review that says what counted before the one of that moment.

    Where that was the first, the session counts as not reviewed again.

    Raises: SessionNotFound, ReviewReplaced where it is not the newest.
    """
    fetching.head(act.scope, session_id, now=act.now)
    lock_existing(session_id)
    known = Review.objects.of_session(session_id)
    last = known.newest()
    if last is None or last.created_at != given_at:
        raise ReviewReplaced
    before = known.filter(ordinal=last.ordinal - 1).first()
    outcome, why = (None, None) if before is None else (before.outcome, before.why)
    return _reviewed(act, session_id, last, outcome, why)


@transaction.atomic
def score(
    *,
    act: Act,
    session_id: str,
    name: str,
    value: float,
) -> Score:
    """Give the session a score; giving the newest of its name again is that one.

    Raises: SessionNotFound, InvalidRequest.
    """
    scores.require_name(name)
    value = scores.finite(value)
    fetching.head(act.scope, session_id, now=act.now)
    lock_existing(session_id)
    known = Score.objects.of_session(session_id)
    last = known.newest(name)
    if last is None and known.count_names() >= scores.MOST_NAMES:
        message = f"A session has scores of at most {scores.MOST_NAMES} names."
        raise InvalidRequest(message, param="name")
    if last is not None and _is_by(last, act) and last.value == value:
        return last
    made = Score(
        session_id=session_id,
        name=name,
        ordinal=1 if last is None else last.ordinal + 1,
        value=value,
        **act.by,
    )
    made.save(force_insert=True)
    sql.rows(_SET_SCORE, {"session": session_id, "name": name, "value": value})
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.SESSION_SCORED,
        resource_type="session",
        resource_id=session_id,
        act=act,
        details={"score": name, "value": value}
        | SCORE.left(made, act.project.index_key).details(),
    )
    return made


def _reviewed(
    act: Act, session_id: str, last: Review | None, outcome: str | None, why: str | None
) -> Review:
    """Write the review behind the newest one, under the session's lock."""
    made = Review(
        session_id=session_id,
        ordinal=1 if last is None else last.ordinal + 1,
        outcome=outcome,
        why=why,
        **act.by,
    )
    made.save(force_insert=True)
    Session.objects.filter(id=session_id).update(review=outcome)
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.SESSION_REVIEWED,
        resource_type="session",
        resource_id=session_id,
        act=act,
        # The record names it, not what it says.
        details={"outcome": outcome, "review": made.ordinal}
        | REVIEW.left(made, act.project.index_key).details(),
    )
    return made


def _require_summary(first_turn: int, last_turn: int, text: str) -> None:
    """Raises: InvalidRequest for turns in no order, and for a text without words."""
    require_text("text", text, MAX_SUMMARY)
    if not text.strip():
        raise InvalidRequest("A summary says something.", param="text")
    if first_turn > last_turn:
        message = f"first_turn, {first_turn}, is behind last_turn, {last_turn}."
        raise InvalidRequest(message, param="first_turn")


def _left_by(session_id: str, first_turn: int, last_turn: int) -> int:
    """Return the head that the last turn left.

    Raises: TurnNotFound for turns that there are not.
    """
    turns = Turn.objects.of_session(session_id).filter(
        turn_number__in=[first_turn, last_turn]
    )
    heads = dict(turns.values_list("turn_number", "head_number"))
    for name, number in (("first_turn", first_turn), ("last_turn", last_turn)):
        if number not in heads:
            message = f"This session has no turn {number}."
            raise TurnNotFound(message, param=name)
    return heads[last_turn]


def _said(outcome: str, why: str | None) -> str | None:
    """Raises: InvalidRequest for what is no outcome, and for a text without end."""
    if outcome not in Outcome:
        message = f"outcome takes {' or '.join(Outcome)}."
        raise InvalidRequest(message, param="outcome")
    if why is None or not why.strip():
        return None
    require_text("why", why, MAX_WHY)
    return why


def _is_by(one: Review | Score | Summary, act: Act) -> bool:
    return (one.actor_kind, one.actor_id) == (act.actor.kind, act.actor.id)
