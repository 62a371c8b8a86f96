"""Every order of an effect's begin and finish against what could make it wrong.

Whatever the order: one call of a key runs, after an acknowledged rollback or pause
nothing begins on what it set aside or holds, and what happened is heard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from apps.agents.acts import Act
from apps.core.actors import SYSTEM, Actor
from apps.timeline import hooks
from apps.timeline import operations as timeline
from apps.timeline.models import Compensation, EffectDue, EffectStep
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import (
    AGENT,
    HEAD,
    PERSON,
    Pairs,
    Verb,
    begin,
    pause,
    rollback,
)
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db


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


class Effects(Pairs):
    """Plays all orders of two acts, with the steps that each leaves."""

    def orders(
        self, first: tuple[Verb, Actor], second: tuple[Verb, Actor], *, before: Any = ()
    ) -> Iterator[tuple[Played, list[EffectStep]]]:
        """Yield each order with the steps it left, in their order."""
        done = [(verb, AGENT) for verb in before]
        for played, session_id in self.played(first, second, before=done):
            yield played, self.stage.aside(partial(steps_of, session_id))

    def is_waited_for(self, step: EffectStep) -> bool:
        due = EffectDue.objects.filter(session_id=step.session_id)
        return self.stage.aside(due.exists)

    def is_owed(self, step: EffectStep) -> bool:
        owed = Compensation.objects.filter(session_id=step.session_id)
        return self.stage.aside(owed.exists)

    def clock(self, verb: Verb) -> timedelta:
        return timedelta(hours=1) if verb in (lapse, settle) else timedelta()


def steps_of(session_id: str) -> list[EffectStep]:
    steps = EffectStep.objects.filter(session_id=session_id)
    return list(steps.order_by("ordinal"))


@pytest.fixture
def effects(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Effects:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    return Effects(stage, doors.project)


@pytest.fixture(params=[False, True], ids=["no gate", "a gate"])
def gate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a gate, beginning is two calls in one transaction."""
    monkeypatch.delitem(hooks.BEGIN, "approvals")
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


@pytest.mark.parametrize("status", ["done", "failed"])
def test_a_rollback_owes_what_may_have_happened(effects: Effects, status: str) -> None:
    owed = set()

    for played, steps in effects.orders(
        (finish(status), AGENT), (rollback, PERSON), before=[begin]
    ):
        is_owed = effects.is_owed(steps[0])
        owed.add(is_owed)
        # What nobody knew to have failed may have happened.
        knew = steps[-1].head_number == HEAD
        assert is_owed == (status == "done" or not knew), str(played)
    assert owed == ({True} if status == "done" else {True, False})


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
