"""Every order of a read that asks the record against what takes its answer away."""

from __future__ import annotations

import pytest

from apps.agents.acts import Act
from apps.timeline import operations as timeline
from apps.timeline.models import EffectStep
from tests.races.interleavings.test_effects import (
    AGENT,
    PERSON,
    Effects,
    Verb,
    effects,
    rollback,
)

pytestmark = pytest.mark.django_db
__all__ = ["effects"]


def look(key: str, scope: str = "session") -> Verb:
    def looked(act: Act, session_id: str) -> str:
        """Say whether flights have to be looked for, or the record has them."""
        flights = timeline.NewEffect(
            key=key,
            tool="find_flights",
            arguments={},
            effect_class="read",
            cache=timeline.Cache(ttl=3600, scope=scope),
        )
        begun = timeline.begin_effect(act=act, session_id=session_id, effect=flights)
        return "runs" if begun.run else "answered"

    return looked


def find(act: Act, session_id: str) -> str:
    """Look for flights, and find some."""
    look("first")(act, session_id)
    (step,) = EffectStep.objects.filter(session_id=session_id)
    timeline.finish_effect(
        act=act,
        session_id=session_id,
        effect_id=step.effect_id,
        attempt=1,
        finish=timeline.Finish(status="done", result=["SK 1"]),
    )
    return "found"


def forget(act: Act, session_id: str) -> str:
    said = timeline.Forget(reason="stale", everything=True)
    timeline.forget_results(act=act, session_id=session_id, forget=said)
    return "forgotten"


@pytest.mark.parametrize("scope", ["session", "agent"])
@pytest.mark.parametrize("taken", [rollback, forget])
def test_what_is_set_aside_or_forgotten_answers_nobody_after_it(
    effects: Effects, taken: Verb, scope: str
) -> None:
    said = set()

    for played, steps in effects.orders(
        (look("second", scope), AGENT), (taken, PERSON), before=[find]
    ):
        told = played.told["A"]
        said.add(told)
        assert told in ("runs", "answered"), str(played)
        if played.came_first("B", "A"):
            assert told == "runs", str(played)
        last = "begun" if told == "runs" else "reused"
        assert sorted(step.status for step in steps) == sorted(
            ["begun", "done", last]
        ), str(played)
    assert said == {"runs", "answered"}


def test_two_that_ask_by_one_key_are_answered_once(effects: Effects) -> None:
    for played, steps in effects.orders(
        (look("second"), AGENT), (look("second"), AGENT), before=[find]
    ):
        assert set(played.told.values()) == {"answered"}, str(played)
        statuses = [step.status for step in steps]
        assert sorted(statuses) == ["begun", "done", "reused"]
