"""What a session's page says of its heartbeat."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.timeline import operations as timeline
from tests.acts import act_in
from tests.console.agent_pages import plain
from tests.console.test_approvals import Person
from tests.heartbeats.beating import expect, sweep_in
from tests.timeline import runs
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(api: runs.Clients) -> Run:
    return runs.begin(api(), {"a": 0})


@pytest.fixture
def shown(project: Any, run: Run) -> Any:
    """`shown()` is the text of the session's page, as a viewer sees it."""
    viewer = Person(project, Role.VIEWER, "vera")
    return lambda: plain(viewer.looks("session_detail", run.id))


def test_how_often_it_is_expected_to_write_stands_above_the_timeline(
    shown: Any, run: Run
) -> None:
    assert "expected to write" not in shown()
    expect(run, 300)

    assert "It is expected to write every 5.0 min" in shown()
    assert "silent" not in shown()


def test_that_it_is_silent_stands_there_until_it_writes(
    shown: Any, run: Run, project: Any
) -> None:
    expect(run, 60)
    sweep_in(61)
    assert "Silent: it wrote last" in shown()

    timeline.update(
        act=act_in(project, now=timezone.now() + timedelta(seconds=90)),
        session_id=run.id,
        patch={"a": 1},
        step=timeline.Step(),
    )
    sweep_in(122)

    assert "It is expected to write every 1.0 min" in shown()
