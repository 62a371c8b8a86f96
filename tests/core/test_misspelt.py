"""An address at which there is nothing says which one was probably meant."""

from typing import Any

import pytest
from django.test import Client

ID = "sess_00000000000000000000000000"


def asked(path: str, **headers: str) -> tuple[int, dict[str, Any]]:
    answer = Client().get(path, headers=headers)
    return answer.status_code, answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "meant", "why"),
    [
        ("/v1/sessions/", "/v1/sessions", "no slash at their end"),
        ("/sessions", "/v1/sessions", "begin with /v1"),
        ("/sessions/", "/v1/sessions", "begin with /v1"),
        ("/v1/v1/sessions", "/v1/sessions", "in it twice"),
        ("/v1//sessions", "/v1/sessions", "no empty part"),
        (f"/v1/sessions/{ID}/state/", f"/v1/sessions/{ID}/state", "no slash"),
        (f"/sessions/{ID}/fork", f"/v1/sessions/{ID}/fork", "begin with /v1"),
        ("/v1/agents/", "/v1/agents", "no slash"),
        ("/agents/", "/agents", "no slash"),
    ],
)
def test_it_names_the_address_that_was_meant(path: str, meant: str, why: str) -> None:
    status, error = asked(path)

    assert (status, error["code"]) == (404, "resource_not_found")
    assert error["nearest"] == meant
    assert f"did you mean {meant}?" in error["message"]
    assert why in error["message"]


@pytest.mark.parametrize("prefix", ["", "/v1"])
@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/auth/signup", "page Members, at /console"),
        ("/auth/login", "/signin"),
        ("/auth/logout", "sign out in the console"),
        ("/auth/user", "/account"),
        ("/api-keys", "/v1/dashboard/keys"),
        ("/api-keys/key_1", "/v1/dashboard/keys"),
    ],
)
def test_what_anchors_console_asks_for_is_told_where_it_is(
    path: str, where: str, prefix: str
) -> None:
    status, error = asked(prefix + path)

    assert (status, error["code"]) == (404, "resource_not_found")
    assert where in error["message"]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_it_does_so_whatever_was_to_be_done(method: str) -> None:
    answer = getattr(Client(), method)("/v1/sessions/")

    assert answer.status_code == 404
    assert answer.json()["error"]["nearest"] == "/v1/sessions"


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/v1", "/v1/v1/"])
def test_the_beginning_alone_leads_to_the_list_of_addresses(path: str) -> None:
    status, error = asked(path)

    assert status == 404
    assert "such as /v1/sessions; /docs" in error["message"]
    assert "nearest" not in error


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1/nothing", "/v1/sessions/a/b/c/d", f"/{'x/' * 200}"]
)
def test_it_invents_nothing(path: str) -> None:
    status, error = asked(path)

    assert (status, error["message"]) == (404, "There is nothing at this address.")
    assert "nearest" not in error


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/v1/entities", "entities"),
        ("/v1/entities/e_1", "entities"),
    ],
)
def test_what_is_not_kept_here_is_said(path: str, what: str) -> None:
    status, error = asked(path)

    assert status == 404
    assert f"this server keeps no {what}." in error["message"]


def test_a_page_says_it_too() -> None:
    answer = Client().get("/sessions", headers={"Accept": "text/html"})

    assert answer.status_code == 404
    assert "did you mean /v1/sessions?" in answer.content.decode()
