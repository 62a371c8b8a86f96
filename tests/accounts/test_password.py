"""Changing one's own password."""

import pytest
from django.urls import reverse

from apps.accounts.models import User
from apps.audit.models import AuditRecord
from tests.accounts.make import PASSWORD, make_user

ANOTHER = "another battery staple"
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def alice(client, db):
    user = make_user(password=PASSWORD)
    client.force_login(user, BACKEND)
    return user


def change(client, current=PASSWORD, password=ANOTHER, again=ANOTHER):
    data = {"current": current, "password": password, "again": again}
    return client.post(reverse("accounts:password"), data)


def test_the_right_one_is_replaced_and_this_browser_stays(client, alice):
    answer = change(client)

    assert answer["Location"] == reverse("console:home")
    assert User.objects.get().check_password(ANOTHER)
    assert client.get(reverse("console:home")).status_code == 200
    record = AuditRecord.objects.get(action="password.changed")
    assert record.actor_id == alice.id
    assert ANOTHER not in str(record.details)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"current": "wrong"}, "This is not your password."),
        ({"current": ""}, "required"),
        ({"again": "other"}, "The two passwords differ."),
        ({"password": "short", "again": "short"}, "too short"),
    ],
)
def test_anything_else_is_refused_with_the_reason(client, alice, data, said):
    page = change(client, **data)

    assert page.status_code == 422
    assert said in page.content.decode()
    assert User.objects.get().check_password(PASSWORD)


def test_guessing_the_old_one_locks_as_guessing_at_the_door_does(client, alice):
    for _ in range(10):
        change(client, current="wrong password")

    assert change(client).status_code == 429
    assert User.objects.get().check_password(PASSWORD)


def test_who_has_none_chooses_one(client, db):
    client.force_login(make_user(), BACKEND)

    page = client.get(reverse("accounts:password"))
    answer = client.post(
        reverse("accounts:password"), {"password": ANOTHER, "again": ANOTHER}
    )

    assert "Choose a password" in page.content.decode()
    assert 'name="current"' not in page.content.decode()
    assert answer.status_code == 302
    assert User.objects.get().check_password(ANOTHER)


def test_nobody_else_gets_to_the_page(client, db):
    answer = client.get(reverse("accounts:password"))

    assert answer["Location"].startswith(reverse("accounts:sign_in"))
