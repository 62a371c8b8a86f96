"""One's own account: where one is signed in, for how long, signing out everywhere."""

from datetime import timedelta
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import BrowserSession, SigninLink
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from tests.accounts.make import (
    PASSWORD,
    make_link,
    make_member,
    make_project,
    make_user,
)
from tests.acts import act_by

ACCOUNT = "/account"
SIGN_IN = "/signin"


@pytest.fixture
def alice(db):
    return make_user(password=PASSWORD)


def signed_in(browser="Firefox", address="203.0.113.1", username="alice"):
    client = Client(headers={"User-Agent": browser}, REMOTE_ADDR=address)
    data = {"username": username, "password": PASSWORD}
    assert client.post(SIGN_IN, data).status_code == 302
    return client


def is_in(client):
    return client.get(ACCOUNT).status_code == 200


def later(**after):
    """Let all clocks of Django's sessions and ours go forward."""
    return mock.patch.object(
        timezone, "now", return_value=timezone.now() + timedelta(**after)
    )


def test_the_page_lists_the_browsers(alice):
    here = signed_in("Firefox on Linux")
    signed_in("<script>x</script>", "2001:db8::7")
    make_user("ben", password=PASSWORD)
    signed_in("Ben's own", username="ben")

    page = here.get(ACCOUNT).content.decode()

    assert "Firefox on Linux" in page
    assert "(this one)" in page
    assert "203.0.113.1" in page
    assert "2001:db8::7" in page
    assert "&lt;script&gt;" in page
    assert "Ben" not in page


def test_the_page_shows_no_key_of_a_session(alice):
    client = signed_in()
    page = client.get(ACCOUNT).content.decode()

    for session in BrowserSession.objects.all():
        assert session.session_key not in page
        assert str(session) == session.public_id != session.session_key


def test_one_browser_is_signed_out(alice):
    here, there = signed_in(), signed_in("another")
    other = BrowserSession.objects.get(browser="another")
    path = reverse("accounts:end_session", args=[other.public_id])

    page = here.post(path, follow=True)
    again = here.post(path, follow=True)

    assert "That browser is signed out." in page.content.decode()
    assert "signed out already" in again.content.decode()
    assert is_in(here)
    assert not is_in(there)
    record = AuditRecord.objects.get(action="sessions.ended")
    assert record.details == {"username": "alice", "count": 1}


def test_nobody_signs_somebody_else_out(alice):
    make_user("ben", password=PASSWORD)
    bens = signed_in(username="ben")
    theirs = BrowserSession.objects.get(user__username="ben")

    signed_in().post(reverse("accounts:end_session", args=[theirs.public_id]))

    assert is_in(bens)


def test_signing_out_everywhere_is_here_too(alice):
    clients = [signed_in(str(number)) for number in range(3)]

    answer = clients[0].post(reverse("accounts:end_sessions"))

    assert answer["Location"] == SIGN_IN
    assert not any(is_in(client) for client in clients)
    assert not BrowserSession.objects.exists()
    assert AuditRecord.objects.get(action="sessions.ended").details["count"] == 3


def test_a_request_under_way_does_not_bring_a_session_back(alice):
    client = signed_in()
    store = client.session
    assert store.get("signed_in_at")
    BrowserSession.objects.all().delete()

    store["something"] = "new"
    with pytest.raises(UpdateError):
        store.save()

    assert not is_in(client)


def test_a_session_that_nobody_uses_ends_before_its_time(alice):
    client = signed_in()

    with later(minutes=719):
        assert is_in(client)
    with later(minutes=719 + 721):
        assert client.get(ACCOUNT)["Location"].startswith(SIGN_IN)


def test_a_session_that_is_used_ends_after_two_weeks_all_the_same(alice):
    client = signed_in()

    for hours in range(11, 14 * 24, 11):
        with later(hours=hours):
            assert is_in(client), hours
            client.session.save()  # as a message on a page does
    with later(days=14, minutes=1):
        assert not is_in(client)


def test_use_is_noted_once_a_minute_and_polling_is_no_use(alice):
    client = signed_in()
    row = BrowserSession.objects.get()
    stale = timezone.now() - timedelta(hours=2)

    client.get(ACCOUNT)
    assert BrowserSession.objects.get().last_seen_at == row.last_seen_at
    BrowserSession.objects.update(last_seen_at=stale)
    client.get("/console/checkout/sessions/sess_" + "0" * 26 + "/live")
    assert BrowserSession.objects.get().last_seen_at == stale
    client.get(ACCOUNT)
    assert BrowserSession.objects.get().last_seen_at > stale


def test_changing_the_password_ends_other_browsers_and_links(db):
    project = make_project()
    nina = make_member(project, "nina")
    accounts.change_password(
        user=nina,
        password=PASSWORD,
        act=act_by(),
    )
    here, there = signed_in(username="nina"), signed_in(username="nina")
    make_link(project, nina, now=timezone.now())

    answer = here.post(
        "/password",
        {
            "current": PASSWORD,
            "password": "another horse battery",
            "again": "another horse battery",
        },
    )

    assert answer.status_code == 302
    assert is_in(here)
    assert not is_in(there)
    assert SigninLink.objects.get().ended_at is not None
    assert BrowserSession.objects.count() == 1


def test_sessions_whose_time_is_over_are_deleted(alice, monkeypatch):
    monkeypatch.setattr("apps.accounts.operations.sessions.FORGOTTEN_AT_ONCE", 2)
    for _ in range(5):
        signed_in()
    kept = BrowserSession.objects.first()
    now = timezone.now()
    BrowserSession.objects.exclude(session_key=kept.session_key).update(expire_date=now)

    told = [accounts.forget_sessions(actor=SYSTEM, now=now) for _ in range(2)]

    assert told == [4, 0]
    assert BrowserSession.objects.get() == kept


def test_nobody_else_sees_the_page(client, db):
    assert client.get(ACCOUNT)["Location"].startswith(SIGN_IN)


def test_the_idle_time_is_a_setting():
    assert timedelta(hours=12) == settings.SESSION_IDLE
