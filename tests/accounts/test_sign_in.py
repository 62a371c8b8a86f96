"""The sign-in page: the right password, the wrong one, too many, and where to next."""

import pytest
from django.urls import reverse

from tests.accounts.make import PASSWORD, make_user


def sign_in(client, username="alice", password=PASSWORD, **more):
    data = {"username": username, "password": password, **more}
    return client.post(reverse("accounts:sign_in"), data)


def is_signed_in(client):
    return "_auth_user_id" in client.session


def test_the_page_asks_for_name_and_password_with_labels(client, db):
    page = client.get(reverse("accounts:sign_in"))

    text = page.content.decode()
    assert page.status_code == 200
    assert '<label for="id_username">' in text
    assert 'autocomplete="current-password"' in text
    assert "csrfmiddlewaretoken" in text


def test_the_right_password_leads_to_the_console(client, db):
    make_user(password=PASSWORD)

    answer = sign_in(client, username=" Alice ")

    assert (answer.status_code, answer["Location"]) == (302, reverse("console:home"))
    assert is_signed_in(client)


@pytest.mark.parametrize("username", ["alice", "nobody"])
def test_a_wrong_pair_is_refused_without_saying_which_half_was_wrong(
    client, db, username
):
    make_user(password=PASSWORD)

    page = sign_in(client, username=username, password="wrong password")

    assert page.status_code == 422
    assert "do not belong together" in page.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "data", [{"username": ""}, {"username": "a\0"}, {"password": ""}]
)
def test_an_incomplete_form_is_shown_again(client, db, data):
    assert sign_in(client, **{"username": "alice", **data}).status_code == 422


def test_somebody_without_a_password_does_not_get_in(client, db):
    make_user()

    assert sign_in(client, password="!").status_code == 422
    assert not is_signed_in(client)


def test_after_ten_wrong_passwords_the_right_one_is_refused_too(client, db):
    make_user(password=PASSWORD)

    for _ in range(10):
        sign_in(client, password="wrong password")
    answer = sign_in(client)

    assert answer.status_code == 429
    assert not is_signed_in(client)


def test_next_leads_back_to_the_page_that_was_asked_for(client, db):
    make_user(password=PASSWORD)

    answer = sign_in(client, next="/console/checkout/sessions")

    assert answer["Location"] == "/console/checkout/sessions"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "/\\evil.example",
    ],
)
def test_next_never_leads_to_another_site(client, db, target):
    make_user(password=PASSWORD)

    assert sign_in(client, next=target)["Location"] == reverse("console:home")


def test_who_is_signed_in_is_sent_on(client, db):
    client.force_login(make_user(), "django.contrib.auth.backends.ModelBackend")

    assert client.get(reverse("accounts:sign_in")).status_code == 302


def test_signing_out_is_a_post_and_ends_the_session(client, db):
    client.force_login(make_user(), "django.contrib.auth.backends.ModelBackend")

    assert client.get(reverse("accounts:sign_out")).status_code == 405
    assert is_signed_in(client)
    answer = client.post(reverse("accounts:sign_out"))

    assert answer["Location"] == reverse("accounts:sign_in")
    assert not is_signed_in(client)


def test_a_part_of_a_page_leads_the_whole_page_to_signing_in(client, project):
    page = reverse("console:sessions", args=[project.slug])
    part = reverse("console:sessions_narrow", args=[project.slug])
    shown = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{page}?q=a"}

    answer = client.get(part, {"q": "a"}, headers=shown)

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["HX-Redirect"] == f"/signin?next={page}%3Fq%3Da"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"HX-Request": "true"},
        {"HX-Request": "true", "HX-Current-URL": "https://evil.example/console"},
        {
            "HX-Request": "true",
            "HX-Boosted": "true",
            "HX-Current-URL": "http://testserver/console",
        },
    ],
)
def test_whatever_asks_for_a_whole_page_is_redirected(client, project, headers):
    page = reverse("console:sessions", args=[project.slug])

    answer = client.get(page, headers=headers)

    assert (answer.status_code, answer["Location"]) == (302, f"/signin?next={page}")
