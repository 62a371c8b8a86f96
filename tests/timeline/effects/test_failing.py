"""The third failed attempt at a tool hands a session to people, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.metrics import operations as metrics
from apps.metrics.models import Rule
from apps.timeline.models import Session
from tests.acts import act_in
from tests.feeding import feed_all
from tests.timeline.effects.acting import MAIL, ask, begun, finish, finished, overdue
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db
NOTHING = {"status": "failed", "result": None, "external_id": None}


def fails(run: Run, times: int, **said: Any) -> None:
    for _ in range(times):
        finished(run, begun(run, **said), **NOTHING)


def escalations() -> list[Event]:
    return list(Event.objects.filter(action="session.escalated").order_by("id"))


def test_the_third_failed_attempt_is_told_once(run: Run) -> None:
    fails(run, 2)
    assert escalations() == []

    fails(run, 3)

    (event,) = escalations()
    assert (event.stream_id, event.resource_id) == (run.id, run.id)
    assert event.details["because"] == "failed_attempts"
    assert set(event.details) == {"because", "effect_id"}
    assert (event.number, event.actor_kind) == (2, "key")


def test_attempts_of_several_effects_count_together(run: Run) -> None:
    for key in ("a", "b", "c"):
        fails(run, 1, key=key)

    assert len(escalations()) == 1


def test_a_success_of_the_tool_begins_anew(run: Run) -> None:
    fails(run, 2)
    finished(run, begun(run, key="good"))
    fails(run, 2)
    assert escalations() == []

    fails(run, 1)
    assert len(escalations()) == 1

    finished(run, begun(run, key="better"))
    fails(run, 3)
    assert len(escalations()) == 2


def test_a_success_of_another_tool_changes_nothing(run: Run) -> None:
    fails(run, 2)
    finished(run, begun(run, key="call", tool="call_ann"))
    fails(run, 1)

    assert len(escalations()) == 1


def test_other_tools_and_sessions_count_apart(run: Run, begin: Begin) -> None:
    fails(run, 2)
    fails(run, 2, key="call", tool="call_ann")
    fails(begin({}), 2)

    assert escalations() == []


def test_what_is_unknown_is_no_failure(run: Run) -> None:
    fails(run, 2)
    overdue(run, key="late")
    finished(run, begun(run, key="x"), **NOTHING | {"status": "unknown"})

    assert escalations() == []


def test_a_repeated_finish_counts_once(run: Run) -> None:
    fails(run, 1)
    effect = begun(run)
    for _ in range(3):
        assert finish(run, effect, **NOTHING).status == 200

    assert escalations() == []
    assert ask(run).status == 201


@pytest.fixture
def rules(run: Run, project: Project) -> None:
    """Rules about the rollback rate: of the project, of this agent, of another."""
    ours = Session.objects.get(id=run.id).agent_id
    for email, agent_id in (
        ("oncall@example.com", None),
        ("oncall@example.com", ours),
        ("travel@example.com", ours),
        ("other@example.com", "agent_other"),
    ):
        rule = metrics.make_rule(
            fields={"name": "Too many", "threshold": 0.5, "email": email},
            act=act_in(project),
        )
        Rule.objects.filter(id=rule.id).update(agent_id=agent_id)


def sent(django_capture_on_commit_callbacks: Any) -> list[str]:
    with django_capture_on_commit_callbacks(execute=True):
        feed_all()
    return [to for message in mail.outbox for to in message.to]


def test_the_recipients_of_alerts_are_told(
    run: Run, rules: None, django_capture_on_commit_callbacks: Any
) -> None:
    fails(run, 4)

    told = sent(django_capture_on_commit_callbacks)

    assert sorted(told) == ["oncall@example.com", "travel@example.com"]
    text = mail.outbox[0].subject + mail.outbox[0].body
    assert run.id in text
    assert MAIL["tool"] not in text
    assert sent(django_capture_on_commit_callbacks) == told


def test_who_is_silenced_or_off_is_not_told(
    run: Run, rules: None, django_capture_on_commit_callbacks: Any
) -> None:
    Rule.objects.filter(agent_id=None).update(is_active=False)
    later = timezone.now() + timedelta(hours=1)
    Rule.objects.exclude(agent_id=None).update(silenced_until=later)
    fails(run, 3)

    assert sent(django_capture_on_commit_callbacks) == []
