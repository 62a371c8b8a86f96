"""The sweep tells once of who is silent, and once of who is heard again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.audit import operations as audit
from apps.heartbeats.models import Heartbeat
from apps.timeline import operations as timeline
from apps.timeline.models import Turn
from apps.timeline.operations import Step
from tests.acting import tampering
from tests.acts import act_in
from tests.heartbeats.beating import expect, sweep_at, sweep_in, told
from tests.timeline import runs
from tests.timeline.keeping.taking import remove
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
DAY = 86_400


def write_in(run: Run, project: Project, seconds: float) -> None:
    """Write as if so many seconds had passed."""
    now = timezone.now() + timedelta(seconds=seconds)
    timeline.update(
        act=act_in(project, now=now),
        session_id=run.id,
        patch={"a": seconds},
        step=Step(),
    )


def test_who_writes_in_time_is_not_told_of(run: Run) -> None:
    expect(run, 60)

    assert sweep_in(30) == 0
    assert told(run) == []


def test_who_is_silent_is_told_of_once(run: Run) -> None:
    expect(run, 60)

    for seconds in (61, 125, 300, 700):
        sweep_in(seconds)

    assert told(run) == ["session.silent"]
    assert run.get("heartbeat")["silent_since"] is not None


def test_who_writes_again_is_told_of_once(run: Run, project: Project) -> None:
    expect(run, 60)
    sweep_in(61)
    write_in(run, project, 100)

    for seconds in (122, 130, 150):
        sweep_in(seconds)

    assert told(run) == ["session.silent", "session.heard"]
    assert run.get("heartbeat")["silent_since"] is None


def test_a_turn_without_a_version_is_a_sign_of_life(run: Run) -> None:
    expect(run, 60)
    sweep_in(61)
    run.turn()
    with tampering("timeline_turn"):
        Turn.objects.filter(session_id=run.id).update(
            created_at=timezone.now() + timedelta(seconds=100)
        )

    sweep_in(125)

    assert told(run) == ["session.silent", "session.heard"]


def test_a_worker_that_was_away_for_a_day_tells_once(run: Run) -> None:
    silent = [runs.begin(run.client) for _ in range(3)]
    for one in [run, *silent]:
        expect(one, 60)

    for seconds in (DAY, DAY + 60, DAY + 120):
        sweep_in(seconds)

    assert [told(one) for one in silent] == [["session.silent"]] * 3


def test_one_that_is_paused_or_waits_for_people_is_not_silent(run: Run) -> None:
    expect(run, 60)
    run.hold("pause")

    sweep_in(DAY)

    assert told(run) == []
    run.hold("resume")
    sweep_in(2 * DAY)
    assert told(run) == ["session.silent"]


@pytest.mark.parametrize("verb", ["suspend", "delete"])
def test_one_whose_agent_may_not_write_is_not_silent(
    run: Run, project: Project, verb: str
) -> None:
    expect(run, 600)
    stop = agents.suspend if verb == "suspend" else agents.delete
    stop(act=act_in(project), reference="travel")

    sweep_in(DAY)

    assert told(run) == []
    again = timezone.now() + timedelta(seconds=DAY)
    agents.activate(
        act=act_in(project, now=again), reference="travel", may_restore=True
    )
    sweep_in(DAY + 599)
    assert told(run) == []
    sweep_in(DAY + 601)
    assert told(run) == ["session.silent"]


def test_who_was_silent_before_its_agent_was_suspended_is_not_heard_by_that(
    run: Run, project: Project
) -> None:
    expect(run, 60)
    sweep_in(61)
    agents.suspend(act=act_in(project), reference="travel")
    sweep_in(DAY)
    again = timezone.now() + timedelta(seconds=DAY)
    agents.activate(
        act=act_in(project, now=again), reference="travel", may_restore=False
    )

    sweep_in(DAY + 1)
    sweep_in(2 * DAY)

    assert told(run) == ["session.silent"]


@pytest.mark.parametrize("verb", ["close", "delete"])
def test_one_that_is_over_is_expected_no_more(run: Run, verb: str) -> None:
    expect(run, 60)
    if verb == "close":
        run.hold("close")
    else:
        run.client.delete(run.path())

    sweep_in(DAY)

    assert told(run) == []
    assert not Heartbeat.objects.exists()


def test_an_append_asks_and_writes_nothing_for_it(run: Run) -> None:
    run.patch({"a": 2})
    with CaptureQueriesContext(connection) as before:
        run.patch({"a": 3})
    expect(run, 60)
    with CaptureQueriesContext(connection) as after:
        run.patch({"a": 4})

    assert len(after) == len(before)
    assert not any("heartbeat" in one["sql"] for one in after)


def test_what_is_told_and_that_it_was_are_stored_together(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that dies after the first of two leaves both to the next one."""
    other = runs.begin(run.client)
    expect(run, 60)
    expect(other, 60)
    record = audit.record
    calls: list[Any] = []

    def dying(**given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise SystemExit
        return record(**given)

    monkeypatch.setattr(audit, "record", dying)
    with pytest.raises(SystemExit):
        sweep_in(61)
    monkeypatch.setattr(audit, "record", record)
    assert told(run) == told(other) == []

    sweep_in(62)

    assert told(run) == told(other) == ["session.silent"]


def test_the_worker_may_do_all_of_it(run: Run) -> None:
    expect(run, 60)
    now = timezone.now()
    sweep_at(now + timedelta(seconds=61))
    run.hold("close")
    sweep_at(now + timedelta(seconds=200))

    assert told(run) == ["session.silent"]
    assert not Heartbeat.objects.exists()


def test_a_removal_takes_it(run: Run) -> None:
    expect(run, 60)
    remove(run)

    assert not Heartbeat.objects.exists()
