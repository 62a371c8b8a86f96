"""Who a key is, as Anchor's clients ask, and whose project that is."""

from typing import Any

import pytest

from apps.accounts.models import ApiKey

pytestmark = pytest.mark.django_db
WORKSPACES, ME = "/workspaces", "/auth/me"


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_a_keys_one_workspace_is_its_project(
    api: Any, project: Any, other_project: Any, prefix: str
) -> None:
    answer = api().get(prefix + WORKSPACES)

    body = answer.body
    assert (answer.status, body["total"], body["has_more"]) == (200, 1, False)
    assert body["data"] == body["workspaces"]
    (mine,) = body["data"]
    assert mine.keys() == {"id", "workspaceId", "name", "slug", "createdAt"}
    assert mine["id"] == mine["workspaceId"] == project.id
    assert (mine["name"], mine["slug"]) == ("Checkout", "checkout")


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_a_key_is_told_who_it_is_and_that_it_is_nobodys(
    api: Any, make_key: Any, project: Any, prefix: str
) -> None:
    secret = make_key(scope="read", agents=["billing"])
    key = ApiKey.objects.get()

    answer = api(secret).get(prefix + ME)

    told = answer.body
    assert (answer.status, told["user"]) == (200, None)
    assert told["workspace"] == api(secret).get(WORKSPACES).body["data"][0]
    mine = told["apiKey"]
    assert (mine["id"], mine["workspaceId"]) == (key.id, project.id)
    assert (mine["scope"], mine["agents"]) == ("read", ["billing"])
    assert mine["prefix"] == secret[:11]
    assert mine["expiresAt"] is None
    assert secret.encode() not in answer.content


@pytest.mark.parametrize("path", [WORKSPACES, ME])
def test_another_method_is_not_allowed(api: Any, path: str) -> None:
    for method in ("POST", "PATCH", "DELETE"):
        answer = api().send(method, path)

        assert (answer.status, answer.code) == (405, "method_not_allowed")
        assert answer.body["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", [WORKSPACES, ME])
def test_nobody_is_told_nothing(api: Any, path: str) -> None:
    answer = api(None).get(path)

    assert (answer.status, answer.body["code"]) == (401, "authentication_failed")
