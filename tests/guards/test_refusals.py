"""A refused write stores nothing but that it was refused, once for each request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connections
from django.utils import timezone

from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.guards import operations as guards
from apps.guards.models import Refusal, Verdict
from apps.timeline import verification
from apps.timeline.hooks import derived_problems, erase_leavings, leavings_of_sessions
from apps.timeline.models import Session, Version
from tests.acting import acting_as
from tests.guards.make import CORRUPTED, TRIP, forget, guard, verdicts
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db
REFUSED = (1, "null_spree", "failed", "refused")


def told() -> list[Any]:
    return [one.details for one in Event.objects.filter(action="guard.failed")]


def patch(run: runs.Run, state: Any = CORRUPTED, **headers: str) -> Any:
    return run.client.send(
        "PATCH", run.path("state"), {"state": state}, headers=headers
    )


def refused(run: runs.Run, *, key: str | None = None) -> None:
    headers = {} if key is None else {"Idempotency-Key": key}
    assert_refused(patch(run, **headers), 422, "guard_refused")


def test_a_refused_write_leaves_a_verdict_and_an_event_and_no_version(admin, run):
    made = guard(admin, mode="refuse")

    refused(run)

    assert verdicts(run) == [REFUSED]
    (event,) = told()
    assert (event["guard_id"], event["did"]) == (made["id"], "refused")
    assert (event["version"], event["refused_version"]) == (None, 1)
    assert not Verdict.objects.exists()
    assert Version.objects.filter(session_id=run.id).count() == 1


def test_it_holds_neither_values_nor_places_of_the_state(admin, run):
    guard(admin, kind="check", mode="refuse", check="state.canary<1")

    assert_refused(patch(run, {"canary": 4711}), 422, "guard_refused")

    kept = [*Refusal.objects.values_list(), *told()]
    assert len(kept) == 2
    assert "4711" not in str(kept)
    assert "/canary" not in str(kept)


def test_repeated_under_its_key_it_is_refused_again_and_counts_once(admin, run):
    guard(admin, mode="refuse")

    refused(run, key="lost"), refused(run, key="lost"), refused(run, key="other")

    assert verdicts(run) == [REFUSED] * 2
    assert len(told()) == 2


def test_with_another_body_under_its_key_it_is_another_request(admin, run):
    guard(admin, mode="refuse")
    corrected = CORRUPTED | {"budget": 1_000}

    for state in (CORRUPTED, corrected, corrected):
        answer = patch(run, state, **{"Idempotency-Key": "step 5"})
        assert_refused(answer, 422, "guard_refused")

    assert verdicts(run) == [REFUSED] * 2
    assert len(told()) == 2


def test_without_a_key_each_request_is_one_of_its_own(admin, run):
    guard(admin, mode="refuse")

    refused(run), refused(run)

    assert verdicts(run) == [REFUSED] * 2


def test_each_guard_that_refuses_is_kept_and_of_a_batch_the_item(admin, run):
    guard(admin, mode="refuse")
    guard(admin, kind="check", mode="refuse", check="NOT state.destination=null")
    body = {"versions": [{"state": TRIP | {"n": 1}}, {"state": CORRUPTED}]}

    answer = run.client.post(run.path("versions"), body)

    assert_refused(answer, 422, "guard_refused", "versions[1]")
    assert sorted(verdicts(run)) == [
        (2, "check", "failed", "refused"),
        (2, "null_spree", "failed", "refused"),
    ]


def test_a_turn_and_a_session_that_would_have_begun_are_kept(admin, run, api):
    guard(admin, kind="low_confidence", mode="refuse")
    made = guard(admin, kind="check", mode="refuse", check="NOT state.destination=null")
    said = {"input": "Hi", "output": "Hello", "metadata": {"confidence": 0.1}}
    body = {"agent_id": "travel", "initial_state": CORRUPTED}

    assert_refused(run.client.post(run.path("turns"), said), 422, "guard_refused")
    assert_refused(api().post("/v1/sessions", body), 422, "guard_refused")

    assert verdicts(run) == [(0, "low_confidence", "failed", "refused")]
    (begun,) = of_guard(admin, made)["data"]
    assert (begun["session_id"], begun["version"]) == (None, 0)


def test_what_cannot_be_decided_says_so(admin, run):
    guard(admin, kind="check", mode="refuse", check="EACH state.items (item.qty>0)")

    patch(run, {"items": [{"qty": 1} for _ in range(4_000)]})

    assert verdicts(run) == [(1, "check", "undecided", "refused")]


def test_refusals_stand_among_the_verdicts_page_by_page(admin, run):
    guard(admin, mode="refuse")
    guard(admin, kind="check", name="seen", check="NOT state.seen=true")
    refused(run), refused(run)
    for state in ({"seen": True}, {"seen": True, "n": 1}):
        run.patch(state)
    refused(run)

    pages, after = [], {}
    while True:
        page = run.get("verdicts", limit=2, **after)
        pages += [(one["version"], one["did"]) for one in page["data"]]
        if not page["has_more"]:
            break
        after = {"starting_after": page["last_id"]}

    assert sorted(pages) == [
        (1, "nothing"),
        (1, "refused"),
        (1, "refused"),
        (2, "nothing"),
        (3, "refused"),
    ]
    assert [one[0] for one in pages] == [3, 2, 1, 1, 1]


def of_guard(admin: Any, made: Any, **query: Any) -> Any:
    path = f"/v1/guards/{made['id']}/verdicts"
    return succeeded(admin.get(path, query or None)).body


def test_a_guards_verdicts_are_listed_over_all_sessions_the_newest_first(
    admin, run, api
):
    made = guard(admin, mode="refuse")
    other = runs.begin(api(), TRIP)
    refused(run), refused(other), refused(run)

    first = of_guard(admin, made, limit=2)
    rest = of_guard(admin, made, limit=2, starting_after=first["last_id"])

    found = [one["session_id"] for one in first["data"] + rest["data"]]
    assert found == [run.id, other.id, run.id]
    assert rest["has_more"] is False
    read = succeeded(admin.get(f"/v1/guards/{made['id']}")).body
    assert read["refused_last_7_days"] == 3


def test_of_an_unknown_or_anothers_guard_nothing_is_listed(admin, run, stranger):
    made = guard(admin)
    path = f"/v1/guards/{made['id']}/verdicts"

    assert_refused(stranger.get(path), 404, "guard_not_found")
    assert_refused(
        admin.get(f"/v1/guards/guar_{'0' * 26}/verdicts"), 404, "guard_not_found"
    )
    assert_refused(
        admin.get(path, {"starting_after": "x"}),
        400,
        "invalid_request",
        "starting_after",
    )
    assert admin.post(path, {}).status == 405


def test_verification_has_nothing_against_it(admin, run):
    guard(admin, mode="refuse")
    refused(run)
    run.patch({"n": 1})

    assert not list(derived_problems(run.id))
    assert not list(verification.findings(run.id))


def test_one_that_names_no_revision_or_a_number_that_is_none_is_told(admin, run):
    made = guard(admin, mode="refuse")
    refused(run)
    with acting_as(Role.OWNER):
        Refusal.objects.update(revision=9)

    (said,) = derived_problems(run.id)

    assert said == f"The refusal of v1 by {made['id']} names no revision that there is."
    with acting_as(Role.OWNER):
        Refusal.objects.update(revision=1, number=700)
    (said,) = derived_problems(run.id)
    assert said == f"The refusal of v700 by {made['id']} is of no version to come."


def test_a_session_that_is_removed_takes_its_refusals(admin, run):
    guard(admin, mode="refuse")
    refused(run)
    project = Session.objects.get(id=run.id).project_id

    with acting_as(Role.RETENTION):
        gone = erase_leavings(
            leavings_of_sessions(), {"session": run.id, "project": project}
        )

    assert gone["refusals"] == 1
    assert not Refusal.objects.exists()


def test_those_of_no_session_are_forgotten_after_ninety_days(admin, run, api):
    guard(admin, kind="check", mode="refuse", check="NOT state.destination=null")
    api().post("/v1/sessions", {"agent_id": "travel", "initial_state": CORRUPTED})
    refused(run)

    with acting_as(Role.WORKER):
        for days, forgotten in ((89, 0), (91, 1)):
            later = timezone.now() + timedelta(days=days)
            assert guards.forget_refusals(actor=SYSTEM, now=later) == forgotten

    assert [one.session_id for one in Refusal.objects.all()] == [run.id]


def test_a_refusal_that_cannot_be_kept_is_answered_all_the_same(
    admin, run, monkeypatch
):
    guard(admin, mode="refuse")

    def broken(**_: Any) -> None:
        raise DatabaseError("no room")

    monkeypatch.setattr("apps.guards.live.telling.audit.record", broken)

    refused(run)

    assert not Refusal.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_one_request_sent_at_once_one_refusal_is_kept(admin, run):
    guard(admin, mode="refuse")

    def one(number: int) -> None:
        try:
            refused(run, key=f"k{number % 2}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(8)))

    assert Refusal.objects.count() == len(told()) == 2
    assert (run.head, run.state) == (0, TRIP)


@pytest.mark.django_db(transaction=True)
def test_one_that_is_refused_within_a_transaction_is_kept_after_it(admin, run):
    made = guard(admin, mode="refuse", kind="check", check="NOT state.destination=null")
    fork = run.fork()
    succeeded(admin.send("PATCH", f"/v1/guards/{made['id']}", {"mode": "observe"}))
    forget()
    fork.patch(CORRUPTED)
    succeeded(admin.send("PATCH", f"/v1/guards/{made['id']}", {"mode": "refuse"}))
    forget()

    body = {"fork": fork.id, "expected_version": 0}
    answer = run.client.post(run.path("promote"), body)

    assert_refused(answer, 422, "guard_refused")
    assert verdicts(run) == [(1, "check", "failed", "refused")]
