"""Whose requests are known, before Django has looked at them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from apps.accounts import authentication
from apps.accounts import operations as accounts
from apps.accounts.models import Project, User
from apps.accounts.sessions import SessionStore
from apps.core.errors import Busy
from apps.core.processes.served import LOST, REFUSED
from apps.server.front.visitors import Presented, Visitors
from tests.accounts.make import make_key, make_project, make_user
from tests.acts import act_by

pytestmark = pytest.mark.django_db(transaction=True)
MADE_UP = "sb_" + "0" * 64


def environ(path: str = "/v1/sessions", **headers: str) -> dict[str, Any]:
    return {"PATH_INFO": path} | {
        f"HTTP_{name}": text for name, text in headers.items()
    }


def find(visitors: Visitors, made: dict[str, Any]) -> str | None:
    presented = visitors.presented(made)
    assert presented
    return visitors.find(presented)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def session_key() -> str:
    """The session of somebody who is signed in."""
    client = Client()
    client.force_login(
        make_user("ada"), backend="django.contrib.auth.backends.ModelBackend"
    )
    return str(client.session.session_key)


def test_a_key_is_found_once_and_known_from_then_on(
    project: Project, django_assert_num_queries: Any
) -> None:
    visitors, (_, secret) = Visitors(), make_key(project)
    for made in (environ(X_API_KEY=secret), environ(AUTHORIZATION=f"Bearer {secret}")):
        presented = visitors.presented(made)
        assert presented == Presented(secret, is_key=True)
    assert visitors.share_of(presented) is None

    assert visitors.find(presented) == f"project {project.id}"

    with django_assert_num_queries(0):
        # Also by those who waited for their turn to look.
        assert visitors.find(presented) == f"project {project.id}"
        assert visitors.share_of(presented) == f"project {project.id}"


def test_looking_for_a_key_does_not_note_its_use(project: Project) -> None:
    key, secret = make_key(project)

    find(Visitors(), environ(X_API_KEY=secret))

    key.refresh_from_db()
    assert key.last_used_at is None


def test_a_made_up_key_stays_unknown() -> None:
    visitors = Visitors()

    assert find(visitors, environ(X_API_KEY=MADE_UP)) is None
    assert not visitors._shares


def test_a_revoked_key_is_not_found(project: Project) -> None:
    key, secret = make_key(project)
    accounts.revoke_key(
        project=project,
        key_id=key.id,
        act=act_by(),
    )

    assert find(Visitors(), environ(X_API_KEY=secret)) is None


def test_who_is_signed_in_is_known_on_pages(session_key: str) -> None:
    cookies = f"theme=dark; stepback_session={session_key}; csrftoken=x"

    share = find(Visitors(), environ("/console/", COOKIE=cookies))

    assert share == f"user {User.objects.get(username='ada').pk}"


def test_a_session_that_is_over_is_not_found(session_key: str) -> None:
    SessionStore(session_key).flush()

    made = environ("/", COOKIE=f"stepback_session={session_key}")

    assert find(Visitors(), made) is None


@pytest.mark.parametrize(
    "made",
    [
        environ(),
        environ(COOKIE="stepback_session=" + "a" * 32),
        environ("/signin", X_API_KEY=MADE_UP),
        environ("/signin", COOKIE="other_stepback_session=a"),
        environ("/signin", COOKIE="stepback_session="),
    ],
    ids=str,
)
def test_keys_are_for_the_api_and_cookies_for_pages(made: dict[str, Any]) -> None:
    assert Visitors().presented(made) is None


def test_what_holds_no_longer_is_forgotten(project: Project) -> None:
    visitors, (_, secret) = Visitors(), make_key(project)
    presented = Presented(secret, is_key=True)
    visitors.find(presented)

    visitors.forget(presented)

    assert visitors.share_of(presented) is None


@pytest.mark.parametrize("path", ["/nothing", "/signin", "/v1/nothing"])
def test_what_nobody_looked_at_is_looked_up_anew(path: str, project: Project) -> None:
    """Who was signed out could send large bodies to an address that is none."""
    _, secret = make_key(project)
    client = Client(enforce_csrf_checks=True, headers={"X-API-Key": secret})

    answer = client.post(path)

    assert answer.status_code in (403, 404)
    assert LOST in answer.wsgi_request.META


def test_what_was_looked_at_is_kept(project: Project) -> None:
    _, secret = make_key(project)
    browser, key = Client(), {"X-API-Key": secret}
    browser.force_login(make_user("ada"), "django.contrib.auth.backends.ModelBackend")

    refused = [
        browser.get("/console/nothing"),
        browser.get("/v1/sessions/nothing", headers=key),
        browser.post("/v1/sessions", headers=key),
        browser.get("/console/", **{REFUSED: Busy("Later.", retry_after=1)}),
    ]

    assert [answer.status_code for answer in refused] == [404, 404, 415, 503]
    assert not any(LOST in answer.wsgi_request.META for answer in refused)


def test_nobody_is_known_while_the_database_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(**_: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(authentication, "project_of_secret", fail)

    assert find(Visitors(), environ(X_API_KEY=MADE_UP)) is None


def test_the_number_that_are_known_is_bounded(project: Project) -> None:
    visitors = Visitors(most=2)
    secrets = [make_key(project)[1] for _ in range(3)]
    for secret in secrets:
        visitors.find(Presented(secret, is_key=True))

    known = [visitors.share_of(Presented(one, is_key=True)) for one in secrets]

    assert known == [None, *[f"project {project.id}"] * 2]


def test_no_secret_is_kept(project: Project) -> None:
    visitors, (_, secret) = Visitors(), make_key(project)

    visitors.find(Presented(secret, is_key=True))

    assert secret not in repr(vars(visitors))
    assert secret.encode() not in b"".join(visitors._shares)
