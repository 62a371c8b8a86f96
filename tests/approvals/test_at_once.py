"""Two people at once, and a decision against a rollback: one outcome, in any order."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import Project, User
from apps.approvals.errors import ApprovalClosed
from apps.approvals.models import Vote
from apps.core.errors import DomainError
from apps.timeline.models import Version
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 12


def at_once(*acts: Any) -> list[Any]:
    """Run the acts in threads that start together; return what each came to."""
    outcomes: list[Any] = [None] * len(acts)
    barrier = threading.Barrier(len(acts))

    def work(place: int, act: Any) -> None:
        try:
            barrier.wait(30)
            outcomes[place] = act()
        except DomainError as refused:
            outcomes[place] = refused
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=one) for one in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.parametrize("second", ["approve", "reject"])
@pytest.mark.parametrize("votes", [1, 2])
def test_two_people_decide_once(
    run: Run, project: Project, olga: User, dana: User, second: str, votes: int
) -> None:
    for _ in range(ROUNDS // 4):
        approval = asked(run, votes=votes)["id"]

        came = at_once(
            lambda id=approval: voted(project, olga, id),
            lambda id=approval: voted(project, dana, id, second),
        )

        found = read(run, approval)
        rows = Vote.objects.filter(approval_id=approval)
        assert rows.exclude(outcome=None).count() == 1
        assert {one["by"] for one in found["votes"]} == {"olga", "dana"}
        late = [one for one in came if isinstance(one, ApprovalClosed)]
        assert len(late) == rows.filter(is_late=True).count()
        if votes == 2 and second == "reject":
            assert found["status"] == "rejected"
        if second == "approve":
            assert found["status"] == "approved"
    decisions = Version.objects.filter(session_id=run.id, op="decide").count()
    assert decisions == ROUNDS // 4
    assert run.get("verify")["valid"] is True


def test_one_person_in_two_tabs_votes_once(
    run: Run, project: Project, olga: User
) -> None:
    approval = asked(run, votes=2)["id"]

    at_once(*[lambda: voted(project, olga, approval)] * 4)

    assert Vote.objects.filter(approval_id=approval).count() == 1
    assert read(run, approval)["status"] == "pending"


def test_after_a_rollback_nothing_is_approved(
    run: Run, project: Project, olga: User
) -> None:
    for _ in range(ROUNDS):
        approval = asked(run)
        head = approval["version"] - 1

        at_once(
            lambda id=approval["id"]: voted(project, olga, id),
            lambda to=head: run.client.post(run.path("rollback"), {"version": to}),
        )

        found = read(run, approval["id"])
        assert found["status"] == "voided"
        assert found["outcome"]["arguments"] is None
    assert run.get("verify")["valid"] is True


def test_an_agent_that_asks_twice_at_once_under_its_key_asks_once(run: Run) -> None:
    def ask() -> Any:
        return asked(run, key="once")["id"]

    assert len(set(at_once(ask, ask, ask))) == 1
    assert Version.objects.filter(session_id=run.id, op="wait").count() == 1
