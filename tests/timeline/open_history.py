"""What is open in a session, counted again from its rows; and random acts on sessions.

The count shares no code with the product but the codec of bodies: it walks back from
the head version by version, and reads every state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.core import sql
from apps.core.actors import Actor, ActorKind
from apps.core.errors import DomainError
from apps.core.roles.names import Role
from apps.timeline import operations as timeline
from apps.timeline.queries import open_items
from apps.timeline.versions.reading import Step
from apps.timeline.words import Op
from tests import proof
from tests.acting import acting_as
from tests.acts import act_in
from tests.proof import History

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
PERSON = Actor(kind=ActorKind.USER, id="user_1", label="olga")
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
# Kind and number, when that version was stored, whose session it is.
Row = tuple[str, int, datetime, str, str]
STORED = """
SELECT kind, number, at, project_id, agent_id FROM timeline_open WHERE session_id = %s
"""
# More short values than are kept of a head, so that what comes last is not among them.
WIDE = {f"k{number:02}": number for number in range(70)}


def list_at_most(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have so many flagged versions of a session listed, as long as the test lasts."""
    monkeypatch.setattr(open_items, "MOST_FLAGGED", count)
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION timeline_most_flagged_v1() RETURNS bigint"
            f" LANGUAGE sql IMMUTABLE AS $$ SELECT {count}::bigint $$"
        )


def stored(session_id: str) -> set[Row]:
    """Return what is listed as open."""
    return {tuple(row) for row in sql.rows(STORED, [session_id])}


def counted(session_id: str) -> set[Row]:
    """Return what is open, from versions and bodies."""
    connection.ensure_connection()
    history = proof.read(connection.connection, session_id)
    session = history.session
    return {
        (kind, number, history.versions[number].created_at, *of_session)
        for kind, number in _open(history)
        for of_session in [(session.project_id, session.agent_id)]
    }


def _open(history: History) -> set[tuple[str, int]]:
    head = history.versions[-1]
    if head.hold == "deleted" or history.session.expired_at is not None:
        return set()
    lost = _flagged(history)[: open_items.MOST_FLAGGED]
    found = {("flagged", number) for number in lost}
    if head.hold == "paused":
        number = head.number
        while history.versions[number - 1].hold == "paused":
            number -= 1
        found.add(("held", number))
    since = _waits_since(history)
    if head.hold != "closed" and since is not None:
        found.add(("waiting", since))
    return found


def _flagged(history: History) -> list[int]:
    found, number = [], history.versions[-1].number
    while number >= 0:
        version = history.versions[number]
        if version.restored_number is not None:
            number = version.restored_number
            continue
        # Over Django's connection it is the text.
        found += [] if version.flags in ([], "[]") else [number]
        number -= 1
    return found


def _waits_since(history: History) -> int | None:
    since = None
    for version, state in zip(history.versions, proof.states(history), strict=True):
        if version.op in ("pause", "resume"):
            continue
        objective = version.objective_status or ""
        asks = (
            objective.startswith("WAITING_FOR")
            or state.get("escalated") is True
            or state.get("escalated_to_human") is True
        )
        since = None if not asks else version.number if since is None else since
    return since


@dataclass
class Acts:
    """Random acts on the sessions of a project, one a minute."""

    project: Project
    chance: Random
    now: datetime = START
    sessions: list[str] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)
    rollbacks: dict[str, list[int]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)

    def act(self) -> str:
        """Do something, or have it refused; return the session it was done to."""
        living = [one for one in self.sessions if one not in self.ended]
        if not living or (len(living) < 3 and self._one_in(10)):
            return self._begin()
        ends = self._one_in(25)
        session_id = self.chance.choice(living)
        name = self.chance.choice(ENDS if ends else USUAL)
        if name == "fork" and len(living) > 3:
            name = "update"
        try:
            getattr(self, f"_{name}")(session_id)
        except DomainError:
            return session_id
        self.done.append(name)
        if ends:
            # Nothing else can happen to it.
            self.ended.add(session_id)
        return self.sessions[-1] if name == "fork" else session_id

    def _one_in(self, number: int) -> bool:
        return not self.chance.randrange(number)

    def next_act(self, actor: Actor | None = None) -> Act:
        self.now += timedelta(minutes=1)
        by = actor or self.chance.choice([AGENT, AGENT, PERSON])
        return act_in(self.project, by, self.now)

    def _step(self) -> Step:
        usual = [None, None, "In Progress", "WAITING_FOR_APPROVAL", "WAITING"]
        return Step(objective_status=self.chance.choice(usual))

    def _state(self) -> dict[str, Any]:
        """Return a state that asks or not; some are wide, some are large."""
        state: dict[str, Any] = {"a": self.chance.choice([1, None, "x" * 300])}
        if self._one_in(6):
            state |= WIDE
        if self._one_in(8):
            state["notes"] = "x" * 300_000
        for key in ("escalated", "escalated_to_human"):
            if self._one_in(3):
                state[key] = self.chance.choice([True, True, False, None, "true", 1])
        return state

    def _begin(self) -> str:
        made = timeline.create(
            agent="travel",
            state=self._state(),
            about=timeline.About(),
            step=self._step(),
            act=self.next_act(),
        )
        self._known(made.session_id, 0)
        return made.session_id

    def _known(self, session_id: str, number: int) -> None:
        if session_id not in self.heads:
            self.sessions.append(session_id)
        self.heads[session_id] = number

    def _appended(self, session_id: str, receipt: Any) -> None:
        self._known(session_id, receipt.number)

    def _update(self, session_id: str) -> None:
        made = timeline.update(
            session_id=session_id,
            patch=self._state(),
            step=self._step(),
            act=self.next_act(),
        )
        self._appended(session_id, made)

    def _repeat(self, session_id: str) -> None:
        """Write what is there already: a version without a body of its own."""
        made = timeline.update(
            session_id=session_id, patch={}, step=self._step(), act=self.next_act()
        )
        self._appended(session_id, made)

    def _replace(self, session_id: str) -> None:
        made = timeline.replace(
            session_id=session_id,
            state=self._state(),
            step=self._step(),
            act=self.next_act(),
        )
        self._appended(session_id, made)

    def _batch(self, session_id: str) -> None:
        items = [
            timeline.BatchItem(
                op=self.chance.choice([Op.UPDATE, Op.REPLACE]),
                state=self.chance.choice([{}, self._state()]),
                step=self._step(),
            )
            for _ in range(self.chance.randint(1, 4))
        ]
        made = timeline.append_batch(
            session_id=session_id, items=items, act=self.next_act()
        )
        self._appended(session_id, made)

    def _turn(self, session_id: str) -> None:
        said = {"content": "Hi"}
        made = timeline.add_turn(
            session_id=session_id,
            exchange=timeline.Exchange(input=said, output=said),
            state_after=self.chance.choice([None, self._state()]),
            step=self._step(),
            act=self.next_act(),
        )
        self._appended(session_id, made)

    def _rollback(self, session_id: str) -> None:
        made = timeline.rollback(
            session_id=session_id,
            to=self.chance.randint(0, self.heads[session_id]),
            hold=self._one_in(5),
            step=Step(),
            act=self.next_act(),
        )
        self._appended(session_id, made)
        self.rollbacks.setdefault(session_id, []).append(made.number)

    def _undo(self, session_id: str) -> None:
        if session_id not in self.rollbacks:
            return self._rollback(session_id)
        made = timeline.undo(
            session_id=session_id,
            number=self.chance.choice(self.rollbacks[session_id]),
            step=Step(),
            act=self.next_act(),
        )
        self._appended(session_id, made)
        self.rollbacks[session_id].append(made.number)
        return None

    def _pause(self, session_id: str) -> None:
        made = timeline.pause(session_id=session_id, step=Step(), act=self.next_act())
        self._appended(session_id, made)

    def _resume(self, session_id: str) -> None:
        made = timeline.resume(session_id=session_id, step=Step(), act=self.next_act())
        self._appended(session_id, made)

    def _fork(self, session_id: str) -> None:
        made = timeline.fork(
            origin=timeline.Origin(
                session_id=session_id,
                number=self.chance.randint(0, self.heads[session_id]),
            ),
            agent=self.chance.choice([None, "other"]),
            edit=timeline.Edit(patch=self.chance.choice([None, self._state()])),
            about=timeline.About(),
            step=self._step(),
            act=self.next_act(),
        )
        self._known(made.session_id, 0)

    def _close(self, session_id: str) -> None:
        made = timeline.close(session_id=session_id, step=Step(), act=self.next_act())
        self._appended(session_id, made)

    def _delete(self, session_id: str) -> None:
        if self._one_in(2):
            self._close(session_id)
        timeline.delete(session_id=session_id, step=Step(), act=self.next_act())

    def _expire(self, session_id: str) -> None:
        timeline.update_metadata(
            session_id=session_id, ttl_seconds=30, act=self.next_act()
        )
        self.now += timedelta(minutes=1)
        assert timeline.expire(actor=PERSON, now=self.now) == 1


USUAL = [
    *("update", "update", "update", "replace", "repeat", "batch", "turn", "turn"),
    *("rollback", "rollback", "undo", "undo", "pause", "resume", "resume", "fork"),
]
ENDS = ["close", "delete", "expire"]
