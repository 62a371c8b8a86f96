"""What waits for a person by an agent's rules: as it is written, and derived anew."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.agents import operations as agents
from apps.agents.mapping import Mapping
from apps.agents.models import Agent
from apps.timeline.models import Open
from apps.timeline.projection import remapping
from apps.timeline.verification import findings
from tests.acts import act_in
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db(transaction=True)


def map_states(project: Any, *waiting: str, agent: str = "travel") -> None:
    mapping = Mapping(waiting=list(waiting))
    agents.map_states(act=act_in(project), reference=agent, mapping=mapping)


def later() -> Any:
    """Return when the worker may derive what waits anew."""
    return timezone.now() + remapping.SETTLED


def waiting(run: Run) -> list[int]:
    found = Open.objects.filter(session_id=run.id, kind="waiting")
    return sorted(found.values_list("number", flat=True))


@pytest.mark.parametrize(
    ("state", "waits"),
    [
        ({"requires_confirmation": True}, True),
        ({"requires_confirmation": "yes"}, False),
        ({"pending_action": {"tool": "refund", "amount": 20}}, True),
        ({"pending_action": None}, False),
        ({"pending_approval": "apr_17"}, True),
        ({"approval_status": "pending"}, True),
        ({"approval_status": "approved", "approval_id": "apr_17"}, False),
        ({"escalation_ticket_id": "T-1", "human_agent_assigned": "ann"}, False),
    ],
    ids=str,
)
def test_the_usual_rules_are_those_of_the_conventions(
    run: Run, state: dict[str, Any], waits: bool
) -> None:
    run.patch(state)

    assert waiting(run) == ([run.head] if waits else [])
    assert list(findings(run.id)) == []


def test_a_write_is_decided_by_the_rules_of_its_agent(
    begin: Begin, project: Any
) -> None:
    begin({}, agent_id="other")
    run = begin({})
    map_states(project, "/review/needed = true")
    other = begin({"review": {"needed": True}}, agent_id="other")

    run.patch({"escalated": True})
    assert waiting(run) == waiting(other) == []
    run.patch({"review": {"needed": True}})

    assert waiting(run) == [2]
    assert waiting(begin({"review": {"needed": True}})) == [0]


def test_a_rollback_to_a_large_state_that_asks_waits(
    begin: Begin, project: Any
) -> None:
    begin({})
    map_states(project, "/review/needed = true")
    run = begin({"review": {"needed": True}, "notes": "x" * 300_000})
    run.patch({"review": {"needed": False}})
    assert waiting(run) == []

    run.rollback(0)

    assert waiting(run) == [2]


def test_what_was_there_before_is_derived_anew(begin: Begin, project: Any) -> None:
    by_old = begin({"escalated": True})
    by_new, held = begin({"a": 1}), begin({"queue": "people"})
    by_new.patch({"queue": "people"})
    by_new.patch({"a": 2})
    held.hold("pause")
    ended = begin({"queue": "people"})
    ended.hold("close")
    map_states(project, "/queue = people")

    assert remapping.remap(now=timezone.now()) == 0
    assert (waiting(by_old), waiting(by_new)) == ([0], [])
    assert remapping.remap(now=later()) == 4

    assert (waiting(by_old), waiting(by_new)) == ([], [1])
    assert (waiting(held), waiting(ended)) == ([0], [])
    assert Agent.objects.get(external_id="travel").remap_after is None
    for run in (by_old, by_new, held, ended):
        assert list(findings(run.id)) == []


def test_verify_does_not_judge_what_is_still_to_be_derived(
    begin: Begin, project: Any
) -> None:
    run = begin({"escalated": True})
    map_states(project)

    assert list(findings(run.id)) == []
    remapping.remap(now=later())
    assert list(findings(run.id)) == []

    Open.objects.create(
        session_id=run.id,
        kind="waiting",
        number=0,
        project_id=project.id,
        agent_id=Agent.objects.get(external_id="travel").id,
        at=timezone.now() - timedelta(days=1),
    )
    told = [one.sentence for one in findings(run.id)]
    assert "it is listed as waiting since v0, which it is not" in told


def test_where_it_was_cut_short_it_goes_on(
    begin: Begin, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [begin({"queue": "people"}) for _ in range(3)]
    map_states(project, "/queue = people")
    monkeypatch.setattr(remapping, "AT_ONCE", 1)
    seen: list[str] = []
    remap_session = remapping._remap_session

    def stumbling(session_id: str, among: Any) -> None:
        seen.append(session_id)
        if len(seen) == 2:
            raise OSError("The worker is gone.")
        remap_session(session_id, among)

    monkeypatch.setattr(remapping, "_remap_session", stumbling)
    with pytest.raises(OSError, match="gone"):
        remapping.remap(now=later())
    assert remapping.remap(now=later()) == 2

    ids = sorted(run.id for run in runs)
    assert seen == [ids[0], ids[1], ids[1], ids[2]]
    assert [waiting(run) for run in runs] == [[0], [0], [0]]


def test_rules_that_change_meanwhile_begin_anew(
    begin: Begin, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"queue": "people"})
    map_states(project, "/other")
    remap_session = remapping._remap_session

    def changing(session_id: str, among: Any) -> None:
        remap_session(session_id, among)
        map_states(project, "/queue = people")

    monkeypatch.setattr(remapping, "_remap_session", changing)
    remapping.remap(now=later())
    monkeypatch.undo()
    assert Agent.objects.get(external_id="travel").remap_after is not None

    assert remapping.remap(now=later()) == 1
    assert waiting(run) == [0]
