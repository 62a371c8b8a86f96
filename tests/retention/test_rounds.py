"""The rounds of the sweeping process: what is due, how often, and at what price."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.models import Heartbeat, Removal
from apps.retention.sweeping import process
from apps.retention.sweeping.process import EVERY, Process
from apps.retention.terms import Terms
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.retention.aged import Past, enabled

pytestmark = pytest.mark.django_db
Captured = Callable[[int], AbstractContextManager[Any]]
# A look for erasures, for what they need no more, for what is to be sealed, for
# previews, and for what is due;
# each ten seconds a heartbeat.
IDLE = 5


def work(mine: Process, rounds: int = 1) -> None:
    """Do what the process does each two seconds, as its role."""
    with acting_as(Role.RETENTION):
        for _ in range(rounds):
            mine._round()


def due() -> None:
    """Have the last sweep been an hour ago."""
    with acting_as(Role.OWNER):
        Heartbeat.objects.update(swept_at=timezone.now() - EVERY)


def test_an_idle_round_asks_the_database_five_times(
    django_assert_num_queries: Captured,
) -> None:
    mine = Process()
    work(mine)
    with acting_as(Role.RETENTION), django_assert_num_queries(IDLE):
        mine._round()


def test_a_preview_is_counted_by_the_next_round(project: Project) -> None:
    mine = Process()
    work(mine)
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    asked = retention.ask_preview(act=act_in(project), policy_id=policy.id)
    work(mine)

    assert Removal.objects.get(id=asked.id).state == "ready"


def test_it_sweeps_once_an_hour(project: Project) -> None:
    past, mine = Past.of(project, [90, 80, 1]), Process()
    work(mine)
    feed_all()
    enabled(project, empty_days=30)
    work(mine)
    assert past.full == [0, 1, 2]
    due()
    work(mine)

    assert past.full == [2]
    swept_at = Heartbeat.objects.get().swept_at
    assert swept_at is not None
    assert timezone.now() - swept_at < timedelta(minutes=1)


def test_what_a_killed_sweep_left_does_not_wait_for_the_hour(project: Project) -> None:
    past, mine = Past.of(project, [90, 80, 1]), Process()
    feed_all()
    policy = enabled(project, empty_days=30)
    with acting_as(Role.RETENTION):
        Heartbeat.objects.create(id=1, at=timezone.now(), swept_at=timezone.now())
        Removal.objects.create(
            id="rmvl_" + "0" * 26,
            project=project,
            policy=policy,
            is_preview=False,
            policy_digest=policy.digest,
            state="running",
            asked_by_label="system",
            started_at=timezone.now(),
        )
    work(mine)

    assert past.full == [2]
    assert Removal.objects.removals().get().state == "done"


def test_a_database_that_is_away_stops_nobody(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    past, mine = Past.of(project, [90, 80, 1]), Process()
    feed_all()
    enabled(project, empty_days=30)

    def away(**_: object) -> int:
        raise OperationalError("the connection is lost")

    with monkeypatch.context() as patch:
        patch.setattr(process, "sweep", away)
        patch.setattr(process.connection, "close", lambda: None)
        work(mine)
    assert past.full == [0, 1, 2]
    work(mine)

    assert past.full == [2]


def test_told_to_stop_it_does_its_step_whole_and_goes_on_next_time(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.retention.sweeping.planning.AT_ONCE", 2)
    past, mine = Past.of(project, [90, 89, 88, 87, 86, 85, 1]), Process()
    feed_all()
    enabled(project, empty_days=30)
    answers = iter([False, False, True])
    monkeypatch.setattr(mine, "_is_stopping", lambda: next(answers, True))
    work(mine)
    left = past.full
    assert 1 < len(left) < 7
    assert Removal.objects.running().exists()
    past.require_whole()
    work(Process())

    assert past.full == [6]
    assert Removal.objects.removals().get().counts["steps"]["empty"]["versions"] == 6
