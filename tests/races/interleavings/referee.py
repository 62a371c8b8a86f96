"""Plays every order of some writers, and holds each to the laws and to the model."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import psycopg

from apps.audit import operations as audit
from apps.core.actors import Actor, ActorKind
from apps.timeline import operations as timeline
from apps.timeline.versions import heads
from apps.timeline.versions.reading import Step
from apps.timeline.words import Op
from tests import proof
from tests.acts import act_in
from tests.proof import History
from tests.races.interleavings import laws, schedules, serial
from tests.races.interleavings.actors import Doors, Told, Writer, of_fork
from tests.races.interleavings.serial import FIXED, GONE, Beginning, Outcome
from tests.races.interleavings.stage import SHOW, Played, Stage

UNTOUCHED = Beginning()
AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")


class Referee:
    """Judges the orders of one group of writers, each order on a session of its own."""

    def __init__(
        self, stage: Stage, doors: Doors, reader: psycopg.Connection[Any]
    ) -> None:
        self.stage = stage
        self.doors = doors
        self.reader = reader
        # Making the project and its key was recorded too.
        self.proven = audit.verify_records(stream_id=doors.project.id)
        self.records = self.proven.count

    def judge(
        self,
        writers: Sequence[Writer],
        *,
        beginning: Beginning = UNTOUCHED,
        remembers: bool = False,
        without: Set[str] = frozenset(),
    ) -> int:
        """Play all orders; return how many there are.

        `without` names steps that make no difference here. A deletion shows in every
        read, so only where somebody deletes is every read a step. `remembers`: the
        process has made the head, and need not read it.

        Raises: AssertionError telling the steps of the first that is wrong.
        """
        count = 0
        verbs = {writer.verb.name for writer in writers}
        forks = "promote" in verbs
        if "delete" not in verbs:
            without = without | {SHOW}
        sessions: list[str] = []

        def play(picks: list[int]) -> Played:
            session_id = self.stage.aside(lambda: self._begun(beginning))
            fork = self.stage.aside(lambda: self._forked(session_id)) if forks else ""
            sessions.append(session_id)
            if not remembers:
                heads.REMEMBERED.forget(sessions[-1])
            # The keys of a fork are the project's, not the session's.
            fresh = [of_fork(_keyed(writer, session_id), fork) for writer in writers]
            acts = {w.name: self.doors.act(w, sessions[-1]) for w in fresh}
            return self.stage.play(acts, picks, without)

        for played in schedules.every(play):
            count += 1
            wrong = self._wrong(writers, played, sessions[-1], beginning)
            assert not wrong, _story(writers, played, wrong)
        assert audit.verify_records(stream_id=self.doors.project.id) == self.proven
        return count

    def _begun(self, beginning: Beginning) -> str:
        act = act_in(self.doors.project, AGENT)
        session_id = timeline.create(
            act=act, agent="racer", state={"n": 0}, about=timeline.About(), step=Step()
        ).session_id
        items = [
            timeline.BatchItem(op=Op.UPDATE, state={"n": n}, step=Step())
            for n in (1, 2)
        ]
        on = {"act": act, "session_id": session_id}
        timeline.append_batch(items=items, **on)
        if beginning.is_rolled_back:
            timeline.rollback(to=0, step=Step(), **on)
        if beginning.is_paused:
            timeline.pause(step=Step(), **on)
        return session_id

    def _forked(self, session_id: str) -> str:
        """Return a fork of the session, in which something was mended."""
        return timeline.fork(
            act=act_in(self.doors.project, AGENT),
            origin=timeline.Origin(session_id=session_id),
            edit=timeline.Edit(patch=FIXED),
            about=timeline.About(),
            step=Step(),
        ).session_id

    def _wrong(
        self,
        writers: Sequence[Writer],
        played: Played,
        session_id: str,
        beginning: Beginning,
    ) -> list[str]:
        told: dict[str, Told] = played.told
        forks = {
            writer.name: told[writer.name].session_id or ""
            for writer in writers
            if writer.verb.name == "fork" and told[writer.name].said[0] == "stored"
        }
        histories = {
            one: proof.read(self.reader, one) for one in (session_id, *forks.values())
        }
        found = laws.problems(self.reader, histories[session_id])
        for fork in forks.values():
            found += laws.problems(self.reader, histories[fork])
            found += laws.not_as_its_origin(histories[fork])
        self.records += sum(
            told[writer.name].records for writer in writers if writer.is_person
        )
        stream = self.doors.project.id
        self.proven, unproven = laws.records(stream, self.proven, self.records)
        found += unproven
        found += _unlike(writers, told)
        if found:
            return found
        became = Outcome(
            said={name: answer.said for name, answer in told.items()},
            session=laws.shape(histories[session_id]),
            forks={name: _fork(histories[fork]) for name, fork in forks.items()},
        )
        return _out_of_order(writers, played, became, beginning)


def _out_of_order(
    writers: Sequence[Writer],
    played: Played,
    became: Outcome,
    beginning: Beginning,
) -> list[str]:
    """Compare with what the writers would have made one by one."""
    base = serial.base(beginning)
    possible = list(serial.outcomes(writers, played, base))
    if any(_is_same(became, one, order) for order, one in possible):
        return []
    return [
        f"it became {became}",
        *(f"as {', then '.join(order)}: {one}" for order, one in possible),
    ]


def _fork(history: History) -> Any:
    return history.session.origin_number, laws.shape(history)


def _keyed(writer: Writer, session_id: str) -> Writer:
    if writer.key is None:
        return writer
    return replace(writer, key=f"{writer.key}-{session_id}")


def _unlike(writers: Sequence[Writer], told: dict[str, Told]) -> list[str]:
    """A repeated request is answered with the same bytes."""
    contents: dict[Any, set[bytes]] = {}
    for writer in writers:
        answer = told[writer.name]
        if writer.key and not writer.is_person and answer.said[0] != "refused":
            contents.setdefault(writer.key, set()).add(answer.content)
    return [
        f"{key} was answered in {len(different)} ways: {different}"
        for key, different in contents.items()
        if len(different) > 1
    ]


def _is_same(became: Outcome, expected: Outcome, order: tuple[str, ...]) -> bool:
    if (became.session, became.forks) != (expected.session, expected.forks):
        return False
    return all(
        told == expected.said[name] or _is_gone_since(told, name, expected, order)
        for name, told in became.said.items()
    )


def _is_gone_since(
    told: tuple[Any, ...], name: str, expected: Outcome, order: tuple[str, ...]
) -> bool:
    """What was stored and then deleted by another cannot be shown any more."""
    was_stored = expected.said[name][0] in ("stored", "replayed")
    later = order[order.index(name) + 1 :]
    is_deleted = any(expected.said[one] == ("stored", None, None) for one in later)
    return told == GONE and was_stored and is_deleted


def _story(writers: Sequence[Writer], played: Played, wrong: list[str]) -> str:
    who = "\n".join(f"  {writer.name} is: {writer}" for writer in writers)
    said = "\n".join(f"  {name}: {told.said}" for name, told in played.told.items())
    what = "\n".join(f"  {one}" for one in wrong)
    return f"\n{who}\nThe steps:\n{played}\nThey were told:\n{said}\nWrong:\n{what}"
