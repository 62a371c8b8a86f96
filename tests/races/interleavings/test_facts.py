"""Every order of two checks of facts, and of one against a write.

Whatever the order: what has changed is stored and told once for each value that it
became, nothing that was written is lost, and people have one question before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from apps.agents.acts import Act
from apps.approvals import operations as approvals
from apps.approvals.models import Approval
from apps.approvals.operations import Asked
from apps.approvals.standing import standings
from apps.audit.models import Event
from apps.core import json
from apps.timeline import operations as timeline
from apps.timeline.bodies import Part
from apps.timeline.models import Version
from apps.timeline.verification import findings
from apps.timeline.versions import facts_of, head_of
from apps.timeline.versions.reading import Step, parsed, parts
from tests.acts import act_by, act_in
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, PERSON, Pairs, Verb, rollback
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db


def price_of(value: int) -> Part:
    facts = [{"key": "price", "value": value, "source": "airline.example"}]
    return Part("facts", "application/json", json.dumps(facts))


def remember(act: Act, session_id: str) -> str:
    return observed(500)(act, session_id)


def ask(act: Act, session_id: str) -> str:
    """Ask people for what rests on the price."""
    wanted = Asked(tool="buy", arguments={}, key="buy", depends_on=("fact:price",))
    approvals.ask(act=act, session_id=session_id, asked=wanted)
    return "asked"


def check(price: int) -> Verb:
    def checked(act: Act, session_id: str) -> str:
        timeline.check_facts(act=act, session_id=session_id, values={"price": price})
        return "same"

    return checked


def observed(price: int) -> Verb:
    def written(act: Act, session_id: str) -> str:
        timeline.update(
            act=act,
            session_id=session_id,
            patch={"seen": price},
            parts=(price_of(price),),
            step=Step(),
        )
        return "written"

    return written


def write(act: Act, session_id: str) -> str:
    timeline.update(act=act, session_id=session_id, patch={"n": 9}, step=Step())
    return "written"


@dataclass(frozen=True, kw_only=True)
class Left:
    """What an order came to."""

    state: Any
    price: Any
    versions: int
    told: int
    # How approvals stand, the oldest first.
    asked: list[str]
    wrong: list[Any]


class Checks(Pairs):
    """Plays all orders of two acts on a session that remembers a price."""

    without = frozenset({"record"})

    def orders(self, first: Verb, second: Verb) -> Iterator[tuple[Played, Left]]:
        before = [(remember, AGENT), (ask, AGENT)]
        for played, session_id in self.played(
            (first, AGENT), (second, PERSON), before=before
        ):
            left = self.stage.aside(lambda id=session_id: self._left(id))
            assert left.wrong == [], str(played)
            yield played, left

    def _left(self, session_id: str) -> Left:
        act = act_in(self.project, AGENT)
        head = head_of(act.scope, session_id, now=act.now)
        (fact,) = facts_of(parts(head), parsed(head)).found
        asked = list(Approval.objects.of_session(session_id).order_by("number"))
        stand = standings(asked, now=act_by().now)
        told = Event.objects.filter(stream_id=session_id, action="facts.changed")
        writes = Version.objects.filter(session_id=session_id, op="update")
        return Left(
            state=parsed(head),
            price=fact.value,
            # The two with which every session begins, and what it remembers.
            versions=writes.count() - 3,
            told=told.count(),
            asked=[str(stand[one.id].status) for one in asked],
            wrong=list(findings(session_id)),
        )


@pytest.fixture
def checks(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Checks:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    return Checks(stage, doors.project)


def test_two_that_find_the_same_store_tell_and_ask_once(checks: Checks) -> None:
    for played, left in checks.orders(check(620), check(620)):
        assert sorted(played.told.values()) == ["assumptions_changed", "same"], str(
            played
        )
        assert (left.price, left.versions, left.told) == (620, 1, 1), str(played)
        assert left.asked == ["voided", "pending"], str(played)


def test_two_that_find_otherwise_are_each_kept_and_one_question_is_left(
    checks: Checks,
) -> None:
    for played, left in checks.orders(check(620), check(700)):
        assert set(played.told.values()) == {"assumptions_changed"}, str(played)
        assert (left.versions, left.told) == (2, 2), str(played)
        assert left.asked == ["voided", "voided", "pending"], str(played)
        if played.came_first("A", "B"):
            assert left.price == 700, str(played)
        if played.came_first("B", "A"):
            assert left.price == 620, str(played)


def test_a_write_beside_a_check_is_kept_and_so_is_what_it_found(
    checks: Checks,
) -> None:
    for played, left in checks.orders(check(620), write):
        assert played.told == {"A": "assumptions_changed", "B": "written"}, str(played)
        assert (left.price, left.state["n"], left.versions) == (620, 9, 2), str(played)
        assert (left.told, left.asked) == (1, ["voided", "pending"]), str(played)


def test_what_a_write_observed_first_is_no_surprise_to_the_check(
    checks: Checks,
) -> None:
    said = set()

    for played, left in checks.orders(check(620), observed(620)):
        told = played.told["A"]
        said.add(told)
        assert played.told["B"] == "written", str(played)
        assert (left.price, left.state["seen"]) == (620, 620), str(played)
        assert left.told == (told == "assumptions_changed"), str(played)
        if played.came_first("B", "A"):
            assert told == "same", str(played)
        if played.came_first("A", "B"):
            assert told == "assumptions_changed", str(played)
    assert said == {"same", "assumptions_changed"}


def test_beside_a_rollback_it_is_of_what_is_there_then(checks: Checks) -> None:
    """Back at the beginning no price is remembered, and none comes back by a check."""
    said = set()

    for played, session in checks.played(
        (check(620), AGENT), (rollback, PERSON), before=[(remember, AGENT)]
    ):
        said.add(played.told["A"])
        assert played.told["B"] == "rolled back", str(played)
        state = checks.stage.aside(lambda id=session: parsed(_head(checks, id)))
        kept = checks.stage.aside(lambda id=session: parts(_head(checks, id)))
        assert (state, [one.name for one in kept]) == ({"n": 0}, ["state"]), str(played)
        if played.came_first("B", "A"):
            assert played.told["A"] == "unacceptable_fact", str(played)
    assert said == {"assumptions_changed", "unacceptable_fact"}


def _head(checks: Checks, session_id: str) -> Any:
    act = act_in(checks.project, AGENT)
    return head_of(act.scope, session_id, now=act.now)
