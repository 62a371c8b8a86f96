"""Each member asks for the weekly summary themselves, where alerts are."""

import pytest

from apps.accounts.models import Role
from apps.metrics.models import SummaryReader
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.console.test_alerts import post
from tests.console.test_webhooks import make, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def test_a_viewer_asks_for_it_changes_the_address_and_stops(viewer, project):
    assert "you may have it by mail" in text(viewer.get(url("alerts", project)))

    post(viewer, "choose_summary", project, status=302, email="carol@example.com")
    page = text(viewer.get(url("alerts", project)))
    assert "The weekly summary goes to carol@example.com" in page
    assert "you have it by mail" in page
    post(viewer, "choose_summary", project, status=302, email="c@example.com")
    assert SummaryReader.objects.get().email == "c@example.com"

    post(viewer, "stop_summary", project, status=302)
    assert not SummaryReader.objects.exists()
    assert "Stop the summary" not in text(viewer.get(url("alerts", project)))
    post(viewer, "stop_summary", project, status=404)


def test_nobody_sees_who_else_has_it(viewer, project, client):
    post(viewer, "choose_summary", project, status=302, email="carol@example.com")
    # Messages are shown once.
    viewer.get(url("alerts", project))
    signed_in(client, make_member(project, "alice", Role.ADMIN))

    page = text(client.get(url("alerts", project)))

    assert "carol@example.com" not in page
    assert "you may have it by mail" in page


def test_an_address_that_is_none_is_told_in_place(viewer, project):
    page = post(viewer, "choose_summary", project, status=400, email="nobody")

    assert "Weekly summary" in text(page)
    assert not SummaryReader.objects.exists()


def test_the_page_says_how_many_webhooks_have_it(client, project):
    admin = signed_in(client, make_member(project, "alice", Role.ADMIN))
    assert "No webhook of" in text(admin.get(url("alerts", project)))

    make(admin, project, events=["summary.weekly"])

    page = text(admin.get(url("alerts", project)))
    assert "1 webhook of <code>summary.weekly</code> has it" in page
