"""Coming in by key: who is let in, who is not, and what it costs."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from apps.accounts import operations as accounts
from apps.accounts.api.authentication import KeyAuthentication
from apps.accounts.api.permissions import HasScope
from apps.accounts.authentication import caller_for_secret
from apps.accounts.models import ApiKey, Project, Scope
from apps.core.actors import ActorKind
from apps.core.errors import PermissionDenied
from tests.accounts.make import NOW, make_key, make_project
from tests.acts import act_by
from tests.contracts.test_query_counts import counted


class View:
    """Any view: what it needs of a key is the one thing a permission asks it."""

    required_scope = None


def make_request(method="get", **headers):
    raw = getattr(APIRequestFactory(), method)("/", **headers)
    return Request(raw, authenticators=[KeyAuthentication()])


def authenticate(**headers):
    return KeyAuthentication().authenticate(make_request(**headers))


@pytest.mark.parametrize(
    ("header", "prefix"),
    [
        ("HTTP_X_API_KEY", ""),
        ("HTTP_AUTHORIZATION", "Bearer "),
        ("HTTP_AUTHORIZATION", "bearer "),
    ],
)
def test_a_key_is_accepted_in_either_header(db, header, prefix):
    key, secret = make_key(make_project(), agents=["bot"], rate_limit=60)

    user, caller = authenticate(**{header: prefix + secret})

    assert user is None
    assert (caller.key_id, caller.scope, caller.rate_limit) == (key.id, "write", 60)
    assert caller.agents == {"bot"}
    assert caller.project == key.project
    assert caller.actor.kind is ActorKind.KEY
    assert caller.actor.label == secret[:11]


@pytest.mark.parametrize(
    "headers",
    [{}, {"HTTP_AUTHORIZATION": "Basic YTpi"}, {"HTTP_AUTHORIZATION": "Bearer "}],
)
def test_a_request_without_a_key_is_nobody(db, headers):
    assert authenticate(**headers) is None


@pytest.mark.parametrize(
    "secret", ["sb_" + "0" * 64, "nonsense", "\xff\udc80", "a" * 9000]
)
def test_an_unknown_key_is_refused(db, secret):
    make_key(make_project())

    with pytest.raises(AuthenticationFailed):
        authenticate(HTTP_X_API_KEY=secret)


def test_a_revoked_key_is_refused_at_once(db):
    project = make_project()
    key, secret = make_key(project)
    accounts.revoke_key(project=project, key_id=key.id, act=act_by(now=NOW))

    with pytest.raises(AuthenticationFailed):
        authenticate(HTTP_X_API_KEY=secret)


def test_an_expired_key_is_refused(db):
    created = timezone.now() - timedelta(days=2)
    _, secret = make_key(
        make_project(), now=created, expires_at=created + timedelta(days=1)
    )

    with pytest.raises(AuthenticationFailed):
        authenticate(HTTP_X_API_KEY=secret)


def refused(**headers):
    """Return what a program is told that does not get in."""
    answer = Client().get("/v1/sessions", headers=headers)
    assert answer.status_code == 401
    error = answer.json()["error"]
    assert error["code"] == "authentication_failed"
    return error["reason"], error["message"]


def test_who_does_not_get_in_is_told_why(db):
    created = timezone.now() - timedelta(days=2)
    project = make_project()
    revoked, revoked_secret = make_key(project, now=created)
    about = {"act": act_by()}
    accounts.revoke_key(project=project, key_id=revoked.id, **about)
    _, expired = make_key(project, now=created, expires_at=created + timedelta(days=1))

    told = {
        "missing": refused(),
        "unknown": refused(X_API_Key="sb_" + "0" * 64),
        "revoked": refused(X_API_Key=revoked_secret),
        "expired": refused(Authorization=f"Bearer {expired}"),
    }

    for reason, (named, message) in told.items():
        assert named == reason
        assert reason.removesuffix("d") in message
    assert refused(Authorization="Basic YTpi")[0] == "missing"


def test_only_the_whole_secret_tells_that_a_key_has_ended(db):
    project = make_project()
    key, secret = make_key(project)
    about = {"act": act_by()}
    accounts.revoke_key(project=project, key_id=key.id, **about)

    # What the list of keys shows, what a log may hold, and what is nearly the key.
    for near in (key.id, key.prefix, secret[:-1], secret + "0", secret.upper()):
        assert refused(X_API_Key=near)[0] == "unknown"


def test_the_client_is_told_how_to_authenticate():
    assert KeyAuthentication().authenticate_header(None).startswith("Bearer")


def test_it_costs_one_query_once_the_use_is_noted(db, monkeypatch):
    _, secret = make_key(make_project())
    caller_for_secret(secret=secret, now=NOW)

    with counted(monkeypatch) as sent:
        caller_for_secret(secret=secret, now=NOW + timedelta(seconds=59))

    assert len(sent) == 1


def test_a_key_that_was_used_is_refused_as_soon_as_it_is_revoked(db):
    project = make_project()
    key, secret = make_key(project)
    assert authenticate(HTTP_X_API_KEY=secret)
    accounts.revoke_key(project=project, key_id=key.id, act=act_by(now=NOW))

    with pytest.raises(AuthenticationFailed):
        authenticate(HTTP_X_API_KEY=secret)


def test_the_caller_has_its_project_whole(db):
    project = make_project()
    _, secret = make_key(project)

    found = caller_for_secret(secret=secret, now=NOW).project

    assert found == project
    for field in Project._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(project, field.attname)


def test_the_last_use_is_written_once_a_minute(db):
    key, secret = make_key(make_project())

    for seconds in (0, 30, 59, 61):
        caller_for_secret(secret=secret, now=NOW + timedelta(seconds=seconds))

    assert ApiKey.objects.get(id=key.id).last_used_at == NOW + timedelta(seconds=61)


def test_the_secret_is_stored_nowhere(db):
    key, secret = make_key(make_project())

    row = ApiKey.objects.filter(id=key.id).values().get()

    assert secret not in str(row)
    assert row["prefix"] == secret[:11]


def ask(method, scope, required):
    _, secret = make_key(make_project(), scope)
    view = View()
    view.required_scope = required
    request = make_request(method, HTTP_X_API_KEY=secret)
    return HasScope().has_permission(request, view)


@pytest.mark.parametrize(
    ("method", "scope", "required"),
    [
        ("get", Scope.READ, None),
        ("options", Scope.READ, None),
        ("post", Scope.WRITE, None),
        ("post", Scope.READ, "read"),
        ("get", Scope.ADMIN, "admin"),
        ("delete", Scope.WRITE, {"POST": "admin"}),
    ],
)
def test_a_sufficient_scope_is_let_through(db, method, scope, required):
    assert ask(method, scope, required)


@pytest.mark.parametrize(
    ("method", "scope", "required"),
    [
        ("post", Scope.READ, None),
        ("patch", Scope.READ, None),
        ("delete", Scope.READ, None),
        ("get", Scope.WRITE, "admin"),
        ("post", Scope.WRITE, {"POST": "admin"}),
    ],
)
def test_an_insufficient_scope_is_denied(db, method, scope, required):
    with pytest.raises(PermissionDenied):
        ask(method, scope, required)


def test_without_a_key_the_permission_answers_like_a_wrong_key():
    with pytest.raises(AuthenticationFailed):
        HasScope().has_permission(make_request(), View())
