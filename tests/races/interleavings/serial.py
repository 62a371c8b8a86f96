"""What writers must be told, and what they must leave, if they came one by one.

The acts are those of the model that the random histories are held to; it shares no
code with the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from tests.model import model
from tests.model.model import Refused, Session, Store, Version
from tests.races.interleavings.actors import Writer
from tests.races.interleavings.stage import Played

WRITES: dict[str, Callable[..., Any]] = {
    "append": model.update,
    "replace": model.replace,
    "batch": model.batch,
    "turn": model.add_turn,
    "remark": model.add_turn,
    "rollback": model.rollback,
    "hold": model.rollback,
    "revert": model.revert,
    "restore": model.restore,
    "reapply": model.reapply,
}
HOLDS = ("pause", "resume", "close")
NAMES_THE_HEAD = (
    *("version_conflict", "version_mismatch", "session_paused", "session_closed"),
    *("nothing_to_roll_back", "already_paused", "not_paused"),
)
PEOPLE_ARE_STOPPED_BY = {"closed"}
GONE = ("refused", 404, "session_not_found", None)


# What the session's fork has, which writers may promote.
FIXED = {"n": 2, "fixed": True}


@dataclass(frozen=True)
class Beginning:
    """What was done to the session before the writers come."""

    is_paused: bool = False
    is_rolled_back: bool = False  # to version 0


@dataclass
class Outcome:
    """What each was told, and what stands in the session and its forks after all."""

    said: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    session: Any = None
    forks: dict[str, Any] = field(default_factory=dict)


def base(beginning: Beginning) -> Session:
    """The session that every order begins with."""
    states = [{"n": 0}, {"n": 1}, {"n": 2}]
    ops = ["create", "update", "update"]
    versions = [
        Version(number, op, state, "open")
        for number, (op, state) in enumerate(zip(ops, states, strict=True))
    ]
    session = Session("origin", versions)
    if beginning.is_rolled_back:
        model.rollback(session, {"version": 0}, (None, False))
    if beginning.is_paused:
        session.append("pause", session.head.state, hold="paused")
    return session


def outcomes(
    writers: Sequence[Writer], played: Played, begun: Session
) -> Iterator[tuple[tuple[str, ...], Outcome]]:
    """Yield the outcome of every order one by one that what was played could be.

    Who had an answer before another began comes before it.
    """
    for order in permutations(writers):
        names = tuple(writer.name for writer in order)
        pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
        if not any(played.came_first(later, sooner) for sooner, later in pairs):
            yield names, _one_by_one(order, deepcopy(begun))


def _one_by_one(order: Sequence[Writer], session: Session) -> Outcome:
    outcome, store = Outcome(), Store([session])
    if any(writer.verb.name == "promote" for writer in order):
        store.fork(session, {"state": FIXED})
    keys: dict[str, tuple[Writer, tuple[Any, ...]]] = {}
    for writer in order:
        if writer.takes_back:
            undone = deepcopy(session)
            said = _act(writer, Store([undone]), undone, Outcome())
            outcome.said[writer.name] = _taken_back(said)
        elif writer.key in keys:
            outcome.said[writer.name] = _again(writer, *keys[writer.key or ""])
        else:
            said = _act(writer, store, session, outcome)
            outcome.said[writer.name] = said
            if writer.key and said[0] == "stored":
                keys[writer.key] = (writer, said)
    outcome.session = shape(session)
    return outcome


def _taken_back(said: tuple[Any, ...]) -> tuple[Any, ...]:
    return ("taken back",) if said[0] == "stored" else said


def _again(writer: Writer, first: Writer, said: tuple[Any, ...]) -> tuple[Any, ...]:
    # A person's request is none of the API's.
    is_same = (writer.verb.body, writer.is_person) == (first.verb.body, first.is_person)
    if not is_same:
        return ("refused", 422, "idempotency_key_reused", None)
    return ("replayed", *said[1:])


def _act(
    writer: Writer, store: Store, session: Session, outcome: Outcome
) -> tuple[Any, ...]:
    try:
        return ("stored", *_acted(writer, store, session, outcome))
    except Refused as refused:
        status, code = refused.told
        head = session.head.number if code in NAMES_THE_HEAD else None
        return ("refused", status, code, head)


def _acted(
    writer: Writer, store: Store, session: Session, outcome: Outcome
) -> tuple[int | None, int | None]:
    verb, named = writer.verb, (writer.expected, writer.by_header)
    if verb.name == "fork":
        made = store.fork(session, verb.body)
        outcome.forks[writer.name] = (session.head.number, shape(made))
        return 0, 0
    if verb.name == "delete":
        model.delete(session)
        session.append("delete", session.head.state, hold="deleted")
        return None, None
    if verb.name in HOLDS:
        model.hold(session, verb.name, verb.body, named)
        return session.head.number, session.head.number
    head = session.head.number
    held = {"held": PEOPLE_ARE_STOPPED_BY} if writer.is_person else {}
    if verb.name == "promote":
        fork = store.sessions[1]
        model.promote(session, fork, named, **held)
        return head + 1, session.head.number
    if WRITES[verb.name] is model.rollback:
        held = {}
    WRITES[verb.name](session, verb.body, named, **held)
    if verb.name == "remark":
        return None, len(session.turns)
    return head + 1, session.head.number


def shape(session: Session) -> Any:
    """Return what is told of a session; `laws.shape` tells the same of its rows."""
    return (
        [(one.op, one.hold, one.restored, one.state) for one in session.versions],
        [(one.number, one.head, one.made_version) for one in session.turns],
    )
