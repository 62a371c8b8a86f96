"""A project can require a reason of every rollback; an undo needs none."""

from typing import Any

import pytest

from apps.accounts import operations as accounts
from apps.timeline.models import Version
from tests.acts import act_by
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db
PATHS = ["rollback", "state/rollback"]


def require(project: Any, *, is_required: bool = True) -> None:
    accounts.require_rollback_reason(
        act=act_by(), project=project, is_required=is_required
    )


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"reason": None},
        {"reason": ""},
        {"reasoning": " \n\u00a0"},
        {"reason_code": "wrong_state"},
        {"reason": None, "reasoning": "", "hold": True},
    ],
)
def test_without_a_reason_nothing_is_stored(
    run: Run, project: Any, path: str, given: dict[str, Any]
) -> None:
    require(project)

    answer = run.client.post(run.path(path), {"version": 0, **given})

    assert_refused(answer, 400, "reason_required", "reasoning")
    assert Version.objects.filter(session_id=run.id).count() == 3
    assert run.get("state")["hold"] == "open"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["reason", "reasoning"])
def test_with_one_it_rolls_back(run: Run, project: Any, path: str, name: str) -> None:
    require(project)

    answer = run.client.post(run.path(path), {"version": 0, name: "Wrong city."})

    assert (answer.status, answer.body["reason"]) == (200, "Wrong city.")


def test_by_count_it_needs_one_as_well(run: Run, project: Any) -> None:
    require(project)

    answer = run.client.post(run.path("rollback"), {"count": 1})

    assert_refused(answer, 400, "reason_required", "reasoning")


def test_what_was_stored_before_is_repeated_as_it_was(run: Run, project: Any) -> None:
    client, path = run.client, run.path("rollback")
    first = client.post(path, {"version": 0}, Idempotency_Key="k")
    require(project)

    again = client.post(path, {"version": 0}, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)
    assert run.head == 3


def test_a_refused_request_can_be_repeated_with_a_reason(
    run: Run, project: Any
) -> None:
    require(project)
    client, path = run.client, run.path("rollback")
    client.post(path, {"version": 0}, Idempotency_Key="k")

    said = {"version": 0, "reason": "Wrong city."}
    answer = client.post(path, said, Idempotency_Key="k")

    assert answer.status == 200
    assert run.head == 3


def test_an_undo_needs_none(run: Run, project: Any) -> None:
    require(project)
    run.rollback(0, reason="Wrong city.")

    answer = run.client.post(run.path("undo"), {})

    assert answer.status == 200
    assert run.get("versions", 4)["undo_of"] == 3


def test_other_writes_need_none(run: Run, project: Any) -> None:
    require(project)

    assert run.patch({"step": 7}).status == 200


def test_another_project_requires_none(run: Run, other_project: Any) -> None:
    require(other_project)

    assert run.rollback(0)["version"] == 3


def test_required_no_longer_it_rolls_back_without(run: Run, project: Any) -> None:
    require(project)
    require(project, is_required=False)

    assert run.rollback(0)["reason"] is None


def test_a_stranger_learns_nothing_of_it(
    run: Run, api: Any, make_key: Any, project: Any, other_project: Any
) -> None:
    require(project)
    stranger = api(make_key(project=other_project))

    answer = stranger.post(run.path("rollback"), {"version": 0})

    assert_refused(answer, 404, "session_not_found", None)


def test_a_key_that_only_reads_is_refused_as_ever(
    run: Run, api: Any, make_key: Any, project: Any
) -> None:
    require(project)
    reader = api(make_key(scope="read"))

    answer = reader.post(run.path("rollback"), {"version": 0, "reason": "Why not"})

    assert (answer.status, answer.code) == (403, "permission_denied")
