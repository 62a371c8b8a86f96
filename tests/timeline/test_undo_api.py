"""`POST /v1/sessions/{id}/undo`: taking a rollback back over the API."""

import pytest

from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def test_the_head_is_taken_back(run: Run) -> None:
    before = run.state
    run.rollback(0)

    answer = run.client.post(run.path("undo"), {"reason": "It was fine"})

    body = answer.body
    assert answer.status == 200
    assert body["state"] == before
    assert (body["version"], body["restored_from_version"]) == (4, 2)
    made = run.get("versions", 4)
    assert (made["undo_of"], made["reason_code"]) == (3, "undo")
    assert made["reasoning"] == "It was fine"
    assert run.get("verify")["valid"]


def test_an_older_rollback_is_taken_back_by_its_number(run: Run) -> None:
    before = run.state
    run.rollback(0)
    run.patch({"step": 9})

    body = run.client.post(run.path("undo"), {"version": 3}).body

    assert body["state"] == before
    assert run.get("versions", 5)["undo_of"] == 3


def test_a_head_that_is_no_rollback_is_not_undone(run: Run) -> None:
    answer = run.client.post(run.path("undo"), {})

    assert_refused(answer, 409, "no_rollback", "version")


def test_of_a_head_that_was_named_another_one_is_not_undone(run: Run) -> None:
    run.rollback(0)
    run.patch({"step": 9})

    answer = run.client.post(run.path("undo"), {"version": 3, "expected_version": 3})

    assert_refused(answer, 409, "version_conflict")


def test_a_head_that_moves_meanwhile_is_not_undone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.timeline import operations

    run.rollback(0)
    undo = operations.undo

    def overtaken(**asked: object) -> object:
        run.patch({"step": 9})
        run.rollback(0)
        return undo(**asked)  # type: ignore[arg-type]

    monkeypatch.setattr(operations, "undo", overtaken)

    answer = run.client.post(run.path("undo"), {})

    assert_refused(answer, 409, "version_conflict")
    assert run.get("versions", 5)["undo_of"] is None


def test_sent_twice_it_is_done_once(run: Run) -> None:
    run.rollback(0)
    key = {"Idempotency_Key": "take-it-back"}

    first, again = (run.client.post(run.path("undo"), {}, **key) for _ in range(2))

    assert first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert run.get("versions", 4)["undo_of"] == 3
    assert run.client.get(run.path("versions", 5)).status == 404


@pytest.mark.parametrize("version", [-1, "3", 2**63, 1.5])
def test_a_number_that_is_none_is_refused(run: Run, version: object) -> None:
    answer = run.client.post(run.path("undo"), {"version": version})

    assert_refused(answer, 400, "invalid_request", "version")


def test_a_version_that_is_not_there_is_not_found(run: Run) -> None:
    answer = run.client.post(run.path("undo"), {"version": 9})

    assert_refused(answer, 404, "version_not_found", "version")
