"""A session waits as long as people are asked, whatever is written meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.console.pages.project.session_rows import row_of, standing_of
from apps.timeline import hooks
from apps.timeline.models import Session
from apps.timeline.queries import read_list_rows
from apps.timeline.words import Standing
from tests.approvals.make import asked, voted
from tests.timeline.runs import Run
from tests.timeline.search.asking import ids

pytestmark = pytest.mark.django_db
# As people type it, where that is another word than is kept.
WORDS = {"rolled-back": "rolled", "held": "paused"}


def status(run: Run) -> str:
    session = Session.objects.select_related("agent").get(id=run.id)
    return standing_of(session, session.status, row_of(session))


def found(run: Run, name: str) -> bool:
    return run.id in ids(run.client, f"status:{name}")


def assert_stands(run: Run, name: str) -> None:
    assert status(run) == Standing(WORDS.get(name, name))
    assert found(run, name)
    assert name == "waiting" or not found(run, "waiting")


def test_it_waits_until_the_last_is_decided(
    run: Run, project: Any, olga: User, begin_other: Run
) -> None:
    first, second = asked(run)["id"], asked(run)["id"]
    run.patch({"written_by": "another task"})
    assert_stands(run, "waiting")

    voted(project, olga, first)
    run.patch({"written_by": "one more"})
    assert_stands(run, "waiting")
    assert status(begin_other) == "active"

    voted(project, olga, second, "reject")
    assert_stands(run, "active")


def test_it_waits_no_more_once_the_question_is_set_aside_or_over(run: Run) -> None:
    asked(run)
    run.patch({"written_by": "another task"})
    asked_at = run.head
    run.rollback(1)
    assert_stands(run, "rolled-back")

    run.rollback(asked_at)
    assert_stands(run, "waiting")
    over = timezone.now() + timedelta(days=2)
    assert hooks.asked_among([run.id], now=over) == set()


def test_what_comes_before_waiting_is_said_before_it(run: Run) -> None:
    asked(run)
    run.patch({"written_by": "another task"})
    run.hold("pause")
    assert_stands(run, "held")

    run.hold("resume")
    assert_stands(run, "waiting")
    run.hold("close")
    assert_stands(run, "closed")


def test_of_a_list_those_that_are_asked_about_wait(
    run: Run, begin_other: Run, project: Any
) -> None:
    asked(run)
    run.patch({"written_by": "another task"})

    rows = read_list_rows([run.id, begin_other.id])

    assert rows[run.id].is_waiting
    assert not rows[begin_other.id].is_waiting
    assert hooks.newest_asked(project.id, 10) == {run.id}
