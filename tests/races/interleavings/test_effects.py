"""Every order of an effect's begin and finish against what could make it wrong.

Whatever the order: one call of a key runs, after an acknowledged rollback or pause
nothing begins on what it set aside or holds, and what happened is heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.core.errors import DomainError
from apps.timeline import hooks
from apps.timeline import operations as timeline
from apps.timeline.models import EffectDue, EffectStep
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.races.interleavings import schedules
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
PERSON = Actor(kind=ActorKind.USER, id="user_carla", label="carla")
HEAD = 2
Verb = Callable[[Act, str], str]


def begin(act: Act, session_id: str) -> str:
    """Begin the mail, decided on the head."""
    mail = timeline.NewEffect(
        key="mail", tool="send_mail", arguments={}, number=HEAD, call_id=None
    )
    begun = timeline.begin_effect(act=act, session_id=session_id, effect=mail)
    return "runs" if begun.run else "done"


def finish(status: str) -> Verb:
    def finished(act: Act, session_id: str) -> str:
        (step,) = EffectStep.objects.filter(session_id=session_id, status="begun")
        timeline.finish_effect(
            act=act,
            session_id=session_id,
            effect_id=step.effect_id,
            attempt=1,
            finish=timeline.Finish(status=status),
        )
        return status

    return finished


def settle(act: Act, session_id: str) -> str:
    (step,) = EffectStep.objects.filter(session_id=session_id, status="begun")
    timeline.settle_effect(
        act=act,
        session_id=session_id,
        effect_id=step.effect_id,
        status="failed",
        reason="Nothing in the outbox.",
    )
    return "settled"


def lapse(act: Act, session_id: str) -> str:
    """Tell what nobody finished in time."""
    told = timeline.tell_unknown_effects(actor=SYSTEM, now=act.now)
    return "unknown" if told else "known"


def rollback(act: Act, session_id: str) -> str:
    timeline.rollback(act=act, session_id=session_id, to=0, step=Step())
    return "rolled back"


def pause(act: Act, session_id: str) -> str:
    timeline.pause(act=act, session_id=session_id, step=Step())
    return "paused"


class Effects:
    """Plays all orders of two acts, each order on a session of its own."""

    def __init__(self, stage: Stage, project: Project) -> None:
        self.stage = stage
        self.project = project

    def orders(
        self, first: tuple[Verb, Actor], second: tuple[Verb, Actor], *, before: Any = ()
    ) -> Iterator[tuple[Played, list[EffectStep]]]:
        """Yield each order with the steps it left, in their order."""
        sessions: list[str] = []

        def play(picks: list[int]) -> Played:
            sessions.append(self.stage.aside(lambda: self._begun(before)))
            acts = {
                name: self._said(verb, actor, sessions[-1])
                for name, (verb, actor) in (("A", first), ("B", second))
            }
            return self.stage.play(acts, picks, frozenset())

        for played in schedules.every(play):
            steps = EffectStep.objects.filter(session_id=sessions[-1])
            found = self.stage.aside(
                lambda steps=steps: list(steps.order_by("ordinal"))
            )
            yield played, found

    def is_waited_for(self, step: EffectStep) -> bool:
        due = EffectDue.objects.filter(session_id=step.session_id)
        return self.stage.aside(due.exists)

    def _said(self, verb: Verb, actor: Actor, session_id: str) -> Callable[[], str]:
        def said() -> str:
            late = timedelta(hours=1) if verb in (lapse, settle) else timedelta()
            act = act_in(self.project, actor)
            moved = act_in(self.project, actor, now=act.now + late)
            try:
                return verb(moved, session_id)
            except DomainError as error:
                return error.code

        return said

    def _begun(self, before: Any) -> str:
        on = act_in(self.project, AGENT)
        session_id = timeline.create(
            act=on, agent="racer", state={"n": 0}, about=timeline.About(), step=Step()
        ).session_id
        for n in (1, 2):
            timeline.update(act=on, session_id=session_id, patch={"n": n}, step=Step())
        for verb in before:
            verb(act_in(self.project, AGENT), session_id)
        return session_id


@pytest.fixture
def effects(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Effects:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    return Effects(stage, doors.project)


@pytest.fixture(params=[False, True], ids=["no gate", "a gate"])
def gate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a gate, beginning is two calls in one transaction."""
    if request.param:
        monkeypatch.setitem(hooks.BEGIN, "test", lambda asked: None)


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize("actor", [AGENT, PERSON], ids=["agent", "person"])
@pytest.mark.parametrize(
    ("stop", "code"), [(rollback, "version_set_aside"), (pause, "session_paused")]
)
def test_nothing_begins_after_what_stops_it(
    effects: Effects, stop: Verb, code: str, actor: Actor
) -> None:
    said = set()

    for played, steps in effects.orders((begin, AGENT), (stop, actor)):
        told = played.told["A"]
        said.add(told)
        assert told in ("runs", code), str(played)
        assert len(steps) == (told == "runs")
        # What began did so before the other was stored.
        assert [step.head_number for step in steps] == [HEAD] * len(steps)
        if played.came_first("B", "A"):
            assert told == code, str(played)
    assert said == {"runs", code}


@pytest.mark.usefixtures("gate")
def test_of_two_that_begin_one_runs(effects: Effects) -> None:
    for played, steps in effects.orders((begin, AGENT), (begin, AGENT)):
        assert sorted(played.told.values()) == ["effect_in_progress", "runs"]
        assert [step.status for step in steps] == ["begun"]


@pytest.mark.parametrize("stop", [rollback, pause])
def test_what_happened_is_heard_whatever_stops_the_session(
    effects: Effects, stop: Verb
) -> None:
    heads = set()

    for played, steps in effects.orders(
        (finish("done"), AGENT), (stop, PERSON), before=[begin]
    ):
        assert played.told["A"] == "done", str(played)
        assert [step.status for step in steps] == ["begun", "done"]
        heads.add(steps[-1].head_number)
    # Before it, and after it.
    assert heads == {HEAD, HEAD + 1}


def test_two_that_finish_otherwise_leave_one_outcome(effects: Effects) -> None:
    for played, steps in effects.orders(
        (finish("done"), AGENT), (finish("failed"), AGENT), before=[begin]
    ):
        (won,) = {"done", "failed"} & set(played.told.values())
        assert set(played.told.values()) == {won, "effect_finished"}
        assert [step.status for step in steps] == ["begun", won]


def test_what_is_finished_late_is_told_as_unknown_at_most_once(
    effects: Effects,
) -> None:
    said = set()

    for _, steps in effects.orders(
        (finish("done"), AGENT), (lapse, SYSTEM), before=[begin]
    ):
        statuses = tuple(step.status for step in steps)
        said.add(statuses)
        assert statuses in (("begun", "done"), ("begun", "unknown", "done"))
        assert not effects.is_waited_for(steps[0])
    assert len(said) == 2


def test_a_person_and_the_process_settle_it_once(effects: Effects) -> None:
    outcomes: Mapping[Any, Any] = {
        ("done", "effect_not_unknown"): ["begun", "done"],
        ("effect_finished", "settled"): ["begun", "failed"],
    }
    said = set()

    for played, steps in effects.orders(
        (finish("done"), AGENT), (settle, PERSON), before=[begin]
    ):
        told = (played.told["A"], played.told["B"])
        said.add(told)
        assert [step.status for step in steps] == outcomes[told], str(played)
    assert said == set(outcomes)
