"""What one shift tells the next stands on the project's first page."""

import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.watching.models import Handover
from tests.accounts.make import make_member
from tests.console.make import HTML, Story, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def where(project):
    Story(project)
    return reverse("console:hand_over", args=[project.slug])


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


def home(client, project):
    return client.get(reverse("console:project", args=[project.slug])).content.decode()


def test_it_stands_on_the_first_page_with_who_wrote_it(operator, project, where):
    answer = operator.post(where, {"text": "Refunds of <b>1.8</b>\nare held."})

    page = home(operator, project)
    assert answer.status_code == 302
    assert "Refunds of &lt;b&gt;1.8&lt;/b&gt;\nare held." in page
    assert '<p class="hint">olga, <time' in page
    record = AuditRecord.objects.get(action="handover.written")
    assert (record.actor_label, record.details) == ("olga", {})


def test_a_form_that_is_sent_twice_leaves_one_note(operator, project, where):
    key = re.search('name="key" value="([^"]+)"', home(operator, project))[1]
    sent = {"text": "Refunds are held.", "key": key}

    answers = [operator.post(where, sent) for _ in range(2)]

    assert [one.status_code for one in answers] == [302, 302]
    assert Handover.objects.count() == 1


def test_the_newest_comes_first_and_none_is_changed(operator, project, where):
    assert "No shift has left a note." in home(operator, project)
    for n in range(7):
        operator.post(where, {"text": f"note {n} ends"})

    page = home(operator, project)
    places = [page.find(f"note {n} ends") for n in range(7)]
    assert places[:2] == [-1, -1]
    assert places[2:] == sorted(places[2:], reverse=True)
    assert Handover.objects.count() == 7


@pytest.mark.parametrize("text", ["", "  ", "x" * 4_001])
def test_what_says_nothing_or_too_much_is_refused_and_kept(
    operator, project, where, text
):
    answer = operator.post(where, {"text": text}, headers=HTML)

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Nothing was done:" in page
    assert text.strip() in page
    assert not Handover.objects.exists()


def test_a_viewer_reads_it_and_writes_none(client, operator, project, where):
    operator.post(where, {"text": "Refunds are held."})
    signed_in(client, make_member(project, "carol", Role.VIEWER))

    assert client.post(where, {"text": "x"}).status_code == 403
    page = home(client, project)
    assert "Refunds are held." in page
    assert "Tell the next shift" not in page


def test_others_and_other_methods(client, operator, other_project, where):
    assert operator.get(where).status_code == 405
    signed_in(client, make_member(other_project, "mallory", Role.ADMIN))
    assert client.post(where, {"text": "x"}).status_code == 404
    client.logout()
    assert client.post(where, {"text": "x"}).status_code in (302, 401, 403)
    assert not Handover.objects.exists()
