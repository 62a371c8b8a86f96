"""Sign-in links: the operation, its race, and the page with the button."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.errors import LinkNotUsable, UserNotFound
from apps.accounts.models import SigninLink
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
