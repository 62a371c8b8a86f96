"""Two people at once, and a decision against a rollback: one outcome, in any order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
# Of two people at once, for each of four cases.
DECISIONS = 50
ROUNDS = 12
AT_ONCE = 4

Together = Callable[..., list[Any]]


@pytest.fixture
def at_once() -> Iterator[Together]:
    """Run acts in threads that start together; return what each came to.

    Each thread keeps its connection until the test is over.
    """
    threads = [ThreadPoolExecutor(1) for _ in range(AT_ONCE)]

    def run(*acts: Any) -> list[Any]:
        barrier = threading.Barrier(len(acts))

        def work(act: Any) -> Any:
            barrier.wait(30)
            try:
                return act()
            except DomainError as refused:
                return refused

        begun = [
            thread.submit(work, act) for thread, act in zip(threads, acts, strict=False)
        ]
        return [one.result(60) for one in begun]

    yield run
    for thread in threads:
        thread.submit(lambda: connection.close()).result(30)
        thread.shutdown()


@pytest.mark.parametrize("second", ["approve", "reject"])
@pytest.mark.parametrize("votes", [1, 2])
def test_two_people_decide_once(
    at_once: Together,
    run: Run,
    project: Project,
    olga: User,
    dana: User,
    second: str,
    votes: int,
) -> None:
    for _ in range(DECISIONS):
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
    assert decisions == DECISIONS
    assert run.get("verify")["valid"] is True


def test_one_person_in_two_tabs_votes_once(
    at_once: Together, run: Run, project: Project, olga: User
) -> None:
    approval = asked(run, votes=2)["id"]

    at_once(*[lambda: voted(project, olga, approval)] * 4)

    assert Vote.objects.filter(approval_id=approval).count() == 1
    assert read(run, approval)["status"] == "pending"


def test_after_a_rollback_nothing_is_approved(
    at_once: Together, run: Run, project: Project, olga: User
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


def test_an_agent_that_asks_twice_at_once_under_its_key_asks_once(
    at_once: Together, run: Run
) -> None:
    def ask() -> Any:
        return asked(run, key="once")["id"]

    assert len(set(at_once(ask, ask, ask))) == 1
    assert Version.objects.filter(session_id=run.id, op="wait").count() == 1
