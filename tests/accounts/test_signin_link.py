"""Sign-in links: the operation, its race, and the page with the button."""

import threading
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.errors import LinkNotUsable, UserNotFound
from apps.accounts.models import Project, SigninLink, User
from apps.accounts.views.targets import COOKIE
from apps.audit.models import AuditRecord
from tests.accounts.make import NOW, make_link, make_member, make_project, make_user

USE = {"request_id": "req_1"}


def test_a_link_gives_its_user_and_is_recorded_as_theirs(db):
    project = make_project()
    alice = make_member(project)
    token = make_link(project, alice)

    link = accounts.use_signin_link(token=token, now=NOW, **USE)

    record = AuditRecord.objects.get(action="signin_link.used")
    assert link.user == alice
    assert (record.actor_kind, record.actor_id) == ("user", alice.id)


def test_the_token_is_stored_nowhere(db):
    project = make_project()
    token = make_link(project, make_member(project))

    assert token not in str(SigninLink.objects.values().get())
    assert not AuditRecord.objects.filter(details__icontains=token).exists()


def test_a_link_is_used_once(db):
    project = make_project()
    token = make_link(project, make_member(project))
    accounts.use_signin_link(token=token, now=NOW, **USE)

    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=token, now=NOW, **USE)


def test_a_link_lives_fifteen_minutes(db):
    project = make_project()
    token = make_link(project, make_member(project))

    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=token, now=NOW + timedelta(minutes=15), **USE)


def test_a_link_of_somebody_deactivated_is_refused(db):
    project = make_project()
    alice = make_member(project)
    token = make_link(project, alice)
    alice.is_active = False
    alice.save(update_fields=["is_active"])

    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=token, now=NOW, **USE)


def test_an_unknown_link_is_refused_in_the_same_words(db):
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token="guess", now=NOW, **USE)


def test_only_a_member_gets_a_link(db):
    with pytest.raises(UserNotFound):
        make_link(make_project(), make_user("mallory"))


@pytest.mark.django_db(transaction=True)
def test_of_eight_at_once_one_gets_in():
    project = make_project()
    token = make_link(project, make_member(project))
    outcomes, barrier = [], threading.Barrier(8)

    def work():
        try:
            barrier.wait(5)
            outcomes.append(accounts.use_signin_link(token=token, now=NOW, **USE))
        except LinkNotUsable:
            outcomes.append(None)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(outcome is not None for outcome in outcomes) == 1
    assert len(outcomes) == 8
    assert AuditRecord.objects.filter(action="signin_link.used").count() == 1


def make_page_link():
    project = make_project()
    token = make_link(project, make_member(project), now=timezone.now())
    return reverse("accounts:signin_link", args=[token])


def test_looking_at_a_link_does_not_use_it(client, db):
    url = make_page_link()

    page = client.get(url)
    client.get(url)

    assert page.status_code == 200
    assert b"<button" in page.content
    assert "no-store" in page["Cache-Control"]
    assert SigninLink.objects.get().used_at is None
    assert "_auth_user_id" not in client.session


def test_pressing_the_button_signs_in_and_goes_to_the_console(client, db):
    url = make_page_link()

    answer = client.post(url)

    assert answer.status_code == 302
    assert answer["Location"] == reverse("console:home")
    assert client.session["_auth_user_id"].startswith("user_")


ASKED_FOR = "/console/checkout/sessions?q=user%3Au_17&after=x"


def test_the_link_leads_to_the_page_that_was_asked_for_before(client, db):
    url = make_page_link()
    signing_in = client.get(ASKED_FOR, follow=True)
    assert signing_in.redirect_chain[-1][0].startswith(reverse("accounts:sign_in"))

    page = client.get(url)
    # As the form of the page sends it, and as one without fields would.
    answer = client.post(url)

    assert f'name="next" value="{ASKED_FOR.replace("&", "&amp;")}"' in (
        page.content.decode()
    )
    assert answer["Location"] == ASKED_FOR


def test_the_page_that_was_asked_for_is_asked_for_once(client, db):
    url = make_page_link()
    client.get(ASKED_FOR, follow=True)
    client.post(url)
    client.logout()

    again = make_link(Project.objects.get(), User.objects.get(), now=timezone.now())
    answer = client.post(reverse("accounts:signin_link", args=[again]))

    assert answer["Location"] == reverse("console:home")


def test_the_link_itself_may_name_the_page(client, db):
    url = make_page_link()

    answer = client.post(url, {"next": ASKED_FOR})

    assert answer["Location"] == ASKED_FOR


@pytest.mark.parametrize("sent", ["next", "cookie"])
@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "http://testserver/console/",
        "javascript:alert(1)",
        "console/",
    ],
)
def test_a_link_leads_to_a_path_of_this_site_or_to_the_console(
    client, db, target, sent
):
    url = make_page_link()
    if sent == "cookie":
        client.cookies[COOKIE] = quote(target)

    answer = client.post(url, {"next": target} if sent == "next" else {})

    assert answer["Location"] == reverse("console:home")


@pytest.mark.parametrize("target", ["https://evil.example/", "/" + "x" * 3_000])
def test_what_leads_elsewhere_or_is_too_long_is_not_remembered(client, db, target):
    page = client.get(reverse("accounts:sign_in"), {"next": target})

    assert COOKIE not in page.cookies


def test_what_is_remembered_is_for_signing_in_alone(client, db):
    cookie = client.get(reverse("accounts:sign_in"), {"next": ASKED_FOR}).cookies[
        COOKIE
    ]

    assert (cookie["path"], cookie["max-age"]) == ("/signin", 15 * 60)
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_a_used_link_says_that_it_no_longer_works(client, db):
    url = make_page_link()
    client.post(url)
    client.logout()

    assert client.get(url).status_code == 410
    assert client.post(url).status_code == 410
    assert "_auth_user_id" not in client.session


def test_a_used_link_leads_whoever_is_signed_in_to_the_console(client, db):
    url = make_page_link()
    client.post(url)

    signed_in = client.get(url).content.decode()
    client.logout()
    signed_out = client.get(url).content.decode()

    assert f'href="{reverse("console:home")}">Open the console' in signed_in
    assert "manage.py signin_link" in signed_out
    assert "Open the console" not in signed_out


def test_the_button_is_protected_against_other_sites(db):
    url = make_page_link()

    answer = Client(enforce_csrf_checks=True).post(url)

    assert answer.status_code == 403
    assert SigninLink.objects.get().used_at is None
