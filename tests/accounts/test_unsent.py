"""A form that is sent when the session is over: nothing is done, nothing is lost."""

import html
import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.watching.models import Handover
from tests.accounts.make import PASSWORD, make_member

TYPED = "<b>The refund of u_17 waits</b>"
SHOWN = "&lt;b&gt;The refund of u_17 waits&lt;/b&gt;"
ORIGIN = "http://testserver"


@pytest.fixture
def member(project):
    user = make_member(project, "ada", Role.OPERATOR)
    user.set_password(PASSWORD)
    user.save()


def sent(client, project, *, text=TYPED, back="", origin=ORIGIN):
    page = reverse("console:project", args=[project.slug])
    return client.post(
        reverse("console:hand_over", args=[project.slug]),
        {"text": text, "key": "k1", "csrfmiddlewaretoken": "x"},
        headers={
            "Accept": "text/html",
            "Origin": origin,
            "Referer": f"{ORIGIN}{back or page}",
        },
    )


def hidden(answer):
    page = answer.content.decode()
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


def signed_in_with(client, answer, password=PASSWORD):
    more = hidden(answer) | {"username": "ada", "password": password}
    return client.post(reverse("accounts:sign_in"), more)


def test_what_was_typed_is_shown_and_waits_for_signing_in(client, project, member):
    refused = sent(client, project)

    assert refused.status_code == 403
    assert "Nothing was done:" in refused.content.decode()
    assert SHOWN in refused.content.decode()
    assert "no-store" in refused["Cache-Control"]
    wrong = signed_in_with(client, refused, "a wrong one entirely")
    assert SHOWN in wrong.content.decode()
    right = signed_in_with(client, wrong)
    back = client.get(right["Location"])

    assert back.status_code == 200
    page = back.content.decode()
    assert "You were signed out when this was sent." in page
    assert SHOWN in page
    assert not Handover.objects.exists()


def test_who_signs_in_comes_to_the_page_of_the_form(client, project, member):
    page = f"/console/{project.slug}?a=1"

    answer = signed_in_with(client, sent(client, project, back=page))

    assert answer["Location"].startswith(f"{page}&refused=")


@pytest.mark.parametrize("back", ["/console/{slug}/handover", "//evil.example/x", "/n"])
def test_nobody_is_led_to_where_nothing_is_to_be_seen(client, project, member, back):
    answer = sent(client, project, back=back.format(slug=project.slug))

    assert hidden(answer)["next"] == f"/console/{project.slug}"


def test_what_is_too_long_to_wait_is_there_to_be_copied(client, project, member):
    refused = sent(client, project, text=f"{TYPED}{'x' * 12_000}")

    assert SHOWN in refused.content.decode()
    assert "unsent" not in hidden(refused)
    assert "copy what you had typed" in refused.content.decode()


@pytest.mark.parametrize("said", ["{", "[1]", '{"text": 1}', "[" * 90_000, '"' * 200])
def test_what_no_page_of_ours_carried_is_nothing(client, project, member, said):
    where = {"next": f"/console/{project.slug}", "unsent": said}
    answer = client.post(
        reverse("accounts:sign_in"), where | {"username": "ada", "password": PASSWORD}
    )

    assert answer["Location"] == f"/console/{project.slug}"


def test_another_site_has_nothing_shown(client, project, member):
    answer = sent(client, project, origin="https://evil.example")

    assert answer["Location"] == f"/signin?next=/console/{project.slug}"


def test_passwords_are_shown_nowhere(client, project, member):
    answer = client.post(
        reverse("accounts:password"),
        {"current": "secret-1", "password": "secret-2"},
        headers={"Accept": "text/html", "Origin": ORIGIN},
    )

    assert answer.status_code == 302
    assert b"secret" not in answer.content
