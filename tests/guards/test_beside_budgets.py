"""Guards and budgets of one session: each does what it says beside the other."""

from __future__ import annotations

from typing import Any

import pytest

from apps.guards.models import Budget
from apps.timeline import verification
from apps.timeline.models import Session, Turn
from tests.guards.make import CORRUPTED, guard, verdicts
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db
DID = {
    "observe": "nothing",
    "flag": "flagged",
    "hold": "held",
    "step_back": "stepped_back",
    "ask": "asked",
}


def budget(admin: Any, run: runs.Run, limit: int, **said: Any) -> Any:
    body = {"session_id": run.id, "measure": "turns", "limit": limit, **said}
    return succeeded(admin.post("/v1/budgets", body)).body


def used(admin: Any, made: Any) -> str:
    return str(succeeded(admin.get(f"/v1/budgets/{made['id']}")).body["used"])


@pytest.mark.parametrize("mode", sorted(DID))
def test_a_turn_of_a_session_with_a_budget_has_one_verdict(admin, run, mode):
    guard(admin, mode=mode)
    made = budget(admin, run, 100)

    run.turn(state_after=CORRUPTED)

    assert verdicts(run)[-1] == (1, "null_spree", "failed", DID[mode])
    assert used(admin, made) == "1"
    assert not list(verification.findings(run.id))


def test_what_a_guard_refuses_counts_in_no_budget(admin, run):
    guard(admin, mode="refuse")
    made = budget(admin, run, 1)

    body = {"input": "Hi", "output": "Hello", "state_after": CORRUPTED}
    assert_refused(run.client.post(run.path("turns"), body), 422, "guard_refused")

    assert verdicts(run) == [(1, "null_spree", "failed", "refused")]
    assert used(admin, made) == "0"


@pytest.mark.parametrize("mode", ["hold", "step_back", "ask"])
@pytest.mark.parametrize("more", [{}, {"on_reach": "ask", "ask_for": 5}])
def test_one_turn_reaches_a_budget_and_does_not_pass(admin, run, mode, more):
    guard(admin, mode=mode)
    budget(admin, run, 1, **more)

    run.turn(state_after=CORRUPTED)

    assert Session.objects.get(id=run.id).status == "paused"
    assert Budget.objects.get().reached_at is not None
    assert Turn.objects.of_session(run.id).count() == 1
    assert not list(verification.findings(run.id))


def test_repeated_under_its_key_it_is_told_again_and_judged_once(admin, run):
    guard(admin, mode="flag")
    made = budget(admin, run, 100)
    body = {"input": "Hi", "output": "Hello", "state_after": CORRUPTED}
    key = {"Idempotency-Key": "lost"}

    first, again = (
        succeeded(run.client.send("POST", run.path("turns"), body, headers=key))
        for _ in range(2)
    )

    assert again.body["turn_number"] == first.body["turn_number"] == 1
    assert len(verdicts(run)) == 1
    assert used(admin, made) == "1"
