"""Who may ask for an erasure, what is refused, and what a lost answer does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import Scope
from apps.erasures.models import Erasure, Preview
from tests.conftest import Api
from tests.erasures.leaving import begun_erasure, done, erased, leave, previewed
from tests.timeline import runs

pytestmark = pytest.mark.django_db
PREVIEWS, ERASURES = "/v1/erasures/previews", "/v1/erasures"
UNKNOWN = "0" * 26


def test_a_lost_answer_of_a_preview_is_answered_again(
    api: runs.Clients, admin: Api
) -> None:
    leave(api())
    said = {"user_id": "ann"}

    first = admin.post(PREVIEWS, said, Idempotency_Key="lost")
    again = admin.post(PREVIEWS, said, Idempotency_Key="lost")

    assert (first.status, again.status) == (201, 201)
    assert first.body == again.body
    assert Preview.objects.count() == 1


def test_a_lost_answer_of_the_beginning_is_answered_again_also_when_it_is_over(
    api: runs.Clients, admin: Api, sweep: Callable[[], int]
) -> None:
    leave(api())
    said = {"preview_id": previewed(admin, user_id="ann")["id"], "reason": "Asked"}

    first = admin.post(ERASURES, said, Idempotency_Key="lost")
    again = admin.post(ERASURES, said, Idempotency_Key="lost")
    sweep()
    after = admin.post(ERASURES, said)

    assert (first.status, again.status, after.status) == (202, 202, 202)
    assert first.body["id"] == again.body["id"] == after.body["id"]
    assert after.body["state"] == "done"
    assert after.body["certificate"]
    assert Erasure.objects.count() == 1


def test_a_reader_and_a_writer_and_a_key_of_some_agents_are_refused(
    api: runs.Clients, make_key: runs.Keys, admin: Api
) -> None:
    begun = begun_erasure(admin, user_id="ann")
    some = make_key(scope=Scope.ADMIN, agents=["travel"])
    for secret in (make_key(scope=Scope.READ), make_key(scope=Scope.WRITE), some):
        client = api(secret)
        answers = [
            client.post(PREVIEWS, {"user_id": "ann"}),
            client.post(ERASURES, {"preview_id": "x", "reason": "x"}),
            client.get(ERASURES),
            client.get(f"{ERASURES}/{begun['id']}"),
        ]
        assert {one.status for one in answers} == {403}


def test_nobody_without_a_key_comes_in() -> None:
    client = Api(None)

    assert client.post(PREVIEWS, {"user_id": "ann"}).status == 401
    assert client.post(ERASURES, {"preview_id": "x", "reason": "x"}).status == 401
    assert client.get(f"{ERASURES}/eras_{UNKNOWN}").status == 401


def test_another_project_is_told_that_there_is_none(
    api: runs.Clients, make_key: runs.Keys, admin: Api, other_project: Any
) -> None:
    begun = begun_erasure(admin, user_id="ann")
    seen = previewed(admin, user_id="ann")
    stranger = api(make_key(scope=Scope.ADMIN, project=other_project))

    found = stranger.get(f"{ERASURES}/{begun['id']}")
    said = {"preview_id": seen["id"], "reason": "x"}
    tried = stranger.post(ERASURES, said)

    assert (found.status, found.code) == (404, "erasure_not_found")
    assert (tried.status, tried.code) == (404, "preview_not_found")
    assert done(stranger.get(ERASURES))["data"] == []


def test_what_is_unknown_is_404_and_a_wrong_method_405(admin: Api) -> None:
    assert admin.get(f"{ERASURES}/eras_{UNKNOWN}").code == "erasure_not_found"
    said = {"preview_id": f"eprv_{UNKNOWN}", "reason": "x"}
    assert admin.post(ERASURES, said).code == "preview_not_found"
    unknown = admin.post(PREVIEWS, {"session_id": f"sess_{UNKNOWN}"})
    assert (unknown.status, unknown.code) == (404, "session_not_found")
    assert admin.get(PREVIEWS).status in (404, 405)
    assert admin.delete(f"{ERASURES}/eras_{UNKNOWN}").status == 405
    assert admin.put(ERASURES, {}).status == 405


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({}, "user_id"),
        ({"user_id": "a", "session_id": "b"}, "user_id"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "x" * 256}, "user_id"),
        ({"user_id": 7}, "user_id"),
        ({"user_id": "a\u0000b"}, "user_id"),
    ],
)
def test_who_is_meant_is_said_in_one_way(
    admin: Api, said: dict[str, Any], param: str
) -> None:
    answer = admin.post(PREVIEWS, said)

    assert answer.status in (400, 422), answer.content
    assert answer.param == param
    assert not Preview.objects.exists()


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2_001, None, 7, "a\u0000b"])
def test_a_reason_is_needed(admin: Api, reason: Any) -> None:
    seen = previewed(admin, user_id="ann")

    answer = admin.post(ERASURES, {"preview_id": seen["id"], "reason": reason})

    assert answer.status in (400, 422), answer.content
    assert answer.param == "reason"
    assert not Erasure.objects.exists()


@pytest.mark.parametrize("kind", ["user", "session"])
def test_a_second_preview_of_whom_the_first_has_erased_counts_no_more(
    api: runs.Clients, admin: Api, sweep: Any, kind: str
) -> None:
    """Whose it was stands nowhere: it would certify that nobody was erased."""
    run = leave(api())
    whose = {"user_id": "ann"} if kind == "user" else {"session_id": run.id}
    second = previewed(admin, **whose)
    erased(admin, sweep, **whose)

    said = {"preview_id": second["id"], "reason": "Asked by mail"}
    answer = admin.post("/v1/erasures", said)

    runs.assert_refused(answer, 409, "preview_stale")
    assert len(done(admin.get("/v1/erasures"))["data"]) == 1
