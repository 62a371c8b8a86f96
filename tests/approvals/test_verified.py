"""Which approvals are listed as undecided is held against votes, and made anew."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project, User
from apps.approvals import operations as approvals
from apps.approvals.models import Undecided
from apps.core.actors import SYSTEM
from apps.timeline.verification import Kind, findings
from tests.acting import tampering
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db

DAMAGE = {
    "lost": (
        "DELETE FROM approvals_undecided",
        "waits for a person, and is not listed as undecided",
    ),
    "of another agent": (
        "UPDATE approvals_undecided SET agent_id = 'agent_x'",
        "is listed with another version, project or agent",
    ),
    "of another version": (
        "UPDATE approvals_undecided SET number = 0",
        "is listed with another version, project or agent",
    ),
    "due sooner": (
        "UPDATE approvals_undecided SET due_at = '2031-01-01T00:00:00Z'",
        "is listed as due at 2031-01-01T00:00:00+00:00",
    ),
}
ROW = ("session_id", "approval_id", "project_id", "agent_id", "number", "due_at")


def listed(run: Run) -> Any:
    return list(Undecided.objects.of_session(run.id).values_list(*ROW))


def damage(statement: str) -> None:
    with tampering("approvals_undecided"), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_as_derived_and_repaired(run: Run, name: str) -> None:
    statement, sentence = DAMAGE[name]
    approval = asked(run)["id"]
    whole = listed(run)
    assert list(findings(run.id)) == []
    damage(statement)

    (found,) = findings(run.id)

    assert found.kind is Kind.DERIVED
    assert found.sentence == f"{approval} {sentence}"
    with pytest.raises(CommandError, match=f"proof holds.*{approval}"):
        call_command("verify", "--session", run.id)
    call_command("rebuild_open", "--session", run.id)
    assert list(findings(run.id)) == []
    assert listed(run) == whole


def test_what_is_decided_and_still_listed_is_named(
    run: Run, project: Project, olga: User
) -> None:
    approval = asked(run)["id"]
    row = Undecided.objects.get(approval_id=approval)
    voted(project, olga, approval)
    row.save(force_insert=True)

    (found,) = findings(run.id)

    assert found.sentence == f"{approval} is listed as undecided, which is approved"
    call_command("rebuild_open", "--session", run.id)
    assert list(findings(run.id)) == []
    assert listed(run) == []


def test_what_was_handed_to_administrators_is_made_anew_as_that(run: Run) -> None:
    asked(run, on_expiry="escalate", ttl_seconds=60)
    approvals.sweep(actor=SYSTEM, now=timezone.now() + timedelta(seconds=61))
    whole = listed(run)
    damage("DELETE FROM approvals_undecided")

    call_command("rebuild_open", "--session", run.id)

    assert listed(run) == whole
    assert list(findings(run.id)) == []


def test_what_is_set_aside_may_be_listed_or_not(run: Run) -> None:
    asked(run)
    run.rollback(1)
    assert list(findings(run.id)) == []

    damage("DELETE FROM approvals_undecided")
    assert list(findings(run.id)) == []


def test_what_is_set_aside_when_it_is_handed_over_comes_back_with_an_undo(
    run: Run, project: Project, ada: User
) -> None:
    approval = asked(run, on_expiry="escalate", ttl_seconds=60)["id"]
    run.rollback(1)
    rollback = run.head
    later = timezone.now() + timedelta(seconds=61)
    approvals.sweep(actor=SYSTEM, now=later)
    assert read(run, approval)["status"] == "voided"

    run.rollback(rollback - 1)

    assert Undecided.objects.filter(approval_id=approval).exists()
    assert voted(project, ada, approval, now=later).outcome == "approved"
