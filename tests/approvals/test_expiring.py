"""Time ends what nobody decides: rejected, or first handed to administrators."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.approvals import operations as approvals
from apps.approvals.errors import ApprovalClosed
from apps.approvals.models import Approval, Undecided
from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.core.errors import PermissionDenied
from apps.core.roles.names import Role
from apps.timeline.models import Version
from tests.acting import acting_as
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def swept(after: timedelta) -> None:
    """Do what the worker does so long from now, with its rights."""
    with acting_as(Role.WORKER):
        approvals.sweep(actor=SYSTEM, now=timezone.now() + after)


def told(run: Run) -> list[str]:
    found = Event.objects.for_stream(run.id).order_by("id")
    return [one for one in found.values_list("action", flat=True) if "." in one]


def test_what_nobody_decides_is_rejected_once(run: Run, project: Any) -> None:
    approval = asked(run, ttl_seconds=60)
    swept(MINUTE / 2)
    assert read(run, approval["id"])["status"] == "pending"

    swept(2 * MINUTE)
    swept(2 * MINUTE)

    found = read(run, approval["id"])
    assert found["status"] == "expired"
    assert found["outcome"]["approved"] is False
    assert run.get("versions", 3)["op"] == "decide"
    assert Version.objects.filter(session_id=run.id, op="decide").count() == 1
    assert not Undecided.objects.exists()
    assert run.get("verify")["valid"] is True


def test_a_vote_after_its_time_is_refused_with_the_outcome(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run, ttl_seconds=60)
    later = timezone.now() + 2 * MINUTE

    for is_swept in (False, True):
        if is_swept:
            swept(2 * MINUTE)
        with pytest.raises(ApprovalClosed) as refused:
            voted(project, olga, approval["id"], now=later)
        assert refused.value.details["outcome"] == "expired"
    assert [one["verdict"] for one in read(run, approval["id"])["votes"]] == ["expire"]


def test_administrators_have_as_long_again(
    run: Run, project: Any, olga: User, ada: User
) -> None:
    approval = asked(run, ttl_seconds=60, on_expiry="escalate")
    later = timezone.now() + 1.5 * MINUTE

    swept(1.5 * MINUTE)
    swept(1.5 * MINUTE)

    actions = told(run)
    assert actions.count("approval.escalated") == 1
    assert actions.count("session.escalated") == 1
    with pytest.raises(PermissionDenied):
        voted(project, olga, approval["id"], now=later)
    voted(project, ada, approval["id"], now=later)
    assert read(run, approval["id"])["status"] == "approved"


def test_what_administrators_do_not_decide_is_rejected(run: Run) -> None:
    approval = asked(run, ttl_seconds=60, on_expiry="escalate")

    swept(1.5 * MINUTE)
    swept(3 * MINUTE)

    assert read(run, approval["id"])["status"] == "expired"
    verdicts = [one["verdict"] for one in read(run, approval["id"])["votes"]]
    assert verdicts == ["escalate", "expire"]


def test_a_sweep_that_is_a_day_behind_ends_it_once(run: Run) -> None:
    approval = asked(run, ttl_seconds=60, on_expiry="escalate")

    swept(DAY)
    swept(DAY)

    assert read(run, approval["id"])["status"] == "expired"
    assert Version.objects.filter(session_id=run.id, op="decide").count() == 1


def test_what_is_set_aside_or_over_waits_no_more_and_makes_no_version(
    run: Run,
) -> None:
    asked(run, ttl_seconds=60)
    run.rollback(1)
    head = run.head

    swept(2 * MINUTE)

    assert run.head == head
    assert not Undecided.objects.exists()
    assert Approval.objects.count() == 1


def test_a_deleted_session_stops_no_sweep(run: Run, begin_other: Run) -> None:
    asked(run, ttl_seconds=60)
    other = asked(begin_other, ttl_seconds=60)
    assert run.client.delete(run.path()).status == 204

    swept(2 * MINUTE)

    assert read(begin_other, other["id"])["status"] == "expired"
    assert not Undecided.objects.exists()
