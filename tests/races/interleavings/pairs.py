"""Two acts on one session in every order, each order on a session of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, TypeAlias

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.core.actors import Actor, ActorKind
from apps.core.errors import DomainError
from apps.timeline import operations as timeline
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.races.interleavings import schedules
from tests.races.interleavings.stage import Played, Stage

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
PERSON = Actor(kind=ActorKind.USER, id="user_carla", label="carla")
HEAD = 2
Verb: TypeAlias = Callable[[Act, str], str]


class Pairs:
    """Plays all orders of two acts; what they are refused with is told by its code."""

    # Steps that both take under the session's lock alone.
    without: frozenset[str] = frozenset()

    def __init__(self, stage: Stage, project: Project) -> None:
        self.stage = stage
        self.project = project

    def played(
        self,
        first: tuple[Verb, Actor],
        second: tuple[Verb, Actor],
        *,
        before: Any = (),
    ) -> Iterator[tuple[Played, str]]:
        """Yield each order with its session."""
        sessions: list[str] = []

        def play(picks: list[int]) -> Played:
            sessions.append(self.stage.aside(lambda: self.begun(before)))
            acts = {
                name: self._said(verb, actor, sessions[-1])
                for name, (verb, actor) in (("A", first), ("B", second))
            }
            return self.stage.play(acts, picks, self.without)

        for played in schedules.every(play):
            yield played, sessions[-1]

    def begun(self, before: Any) -> str:
        """Return a session with two versions after the first, and what was done."""
        session_id = self.session()
        for verb, actor in before:
            verb(act_in(self.project, actor), session_id)
        return session_id

    def session(self) -> str:
        on = act_in(self.project, AGENT)
        session_id = timeline.create(
            act=on, agent="racer", state={"n": 0}, about=timeline.About(), step=Step()
        ).session_id
        for n in range(1, HEAD + 1):
            timeline.update(act=on, session_id=session_id, patch={"n": n}, step=Step())
        return session_id

    def clock(self, verb: Verb) -> timedelta:
        """Return how late it is for an act."""
        return timedelta()

    def _said(self, verb: Verb, actor: Actor, session_id: str) -> Callable[[], str]:
        def said() -> str:
            act = act_in(self.project, actor)
            moved = act_in(self.project, actor, now=act.now + self.clock(verb))
            try:
                return verb(moved, session_id)
            except DomainError as error:
                return error.code

        return said


def rollback(act: Act, session_id: str) -> str:
    timeline.rollback(act=act, session_id=session_id, to=0, step=Step())
    return "rolled back"


def pause(act: Act, session_id: str) -> str:
    timeline.pause(act=act, session_id=session_id, step=Step())
    return "paused"


def begin(act: Act, session_id: str) -> str:
    """Begin the mail, decided on the head."""
    mail = timeline.NewEffect(
        key="mail", tool="send_mail", arguments={}, number=HEAD, call_id=None
    )
    begun = timeline.begin_effect(act=act, session_id=session_id, effect=mail)
    if begun.approval is not None:
        return "waits"
    return "runs" if begun.run else "done"
