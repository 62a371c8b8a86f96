"""By release on the console: asked for, read, and led to an incident."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role
from apps.incidents.models import Incident
from apps.surveys import looking
from apps.surveys.models import Survey
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, Story, signed_in

pytestmark = pytest.mark.django_db
CHECK = "state.total<=10"
HOSTILE = '<script>alert("r")</script> OR "x'


@pytest.fixture
def person(project):
    return make_member(project, "olga", Role.OPERATOR)


@pytest.fixture
def operator(client, person):
    return signed_in(client, person)


@pytest.fixture
def viewer(project):
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page, status=200):
    assert page.status_code == status, page.content
    return html.unescape(page.content.decode())


def broken(project, release="r2"):
    story = Story(project, {"total": 1}, now=timezone.now())
    return story.update({"total": 2}, release="r1").update(
        {"total": 11}, release=release
    )


def asked(client, project, **fields):
    answer = client.post(url("ask_survey", project), {"check": CHECK, **fields})
    assert answer.status_code == 303, answer.content
    return answer["Location"]


def test_it_is_asked_looked_into_and_told_by_release(operator, project):
    for _ in range(20):
        broken(project)

    at = asked(operator, project)
    assert "0 of 20 sessions looked into so far" in text(operator.get(at))
    looking.sweep(now=timezone.now())
    page = text(operator.get(at))

    assert "It broke in 20 of 20 sessions" in page
    assert "All that were there" in page
    rows = re.findall(r"rowheader\">(.*?)</th>\s*<td[^>]*>(.*?)</td>", page)
    assert rows[0] == ("r2", "100.0 %")
    assert CHECK in text(operator.get(url("surveys", project)))


def test_of_few_sessions_it_says_too_few(operator, project):
    broken(project)
    at = asked(operator, project, q="agent:travel-agent")
    looking.sweep(now=timezone.now())

    assert "too few" in text(operator.get(at))


def test_it_leads_to_an_incident_with_check_and_release_filled_in(operator, project):
    broken(project, release=HOSTILE)
    Story(project, {"total": 1}, now=timezone.now())
    at = asked(operator, project)
    looking.sweep(now=timezone.now())
    page = operator.get(at).content.decode()
    assert "<script>alert" not in page
    way = re.search(r'href="([^"]*incidents/open\?[^"]*)"', page)
    form = operator.get(html.unescape(way[1]))

    said = text(form)
    assert "Open an incident with 1 session?" in said
    assert f'value="{CHECK}"' in said
    query = re.search(r'name="q" value="([^"]*)"', form.content.decode())
    sent = {"q": html.unescape(query[1]), "check": CHECK, "title": "x"}
    operator.post(url("open_incident", project), sent)
    assert Incident.objects.get().check_text == CHECK


def test_what_is_not_understood_is_said_in_its_place(operator, project):
    refused = operator.post(
        url("ask_survey", project), {"check": "state.total<<1"}, headers=HTML
    )

    assert 'value="state.total<<1"' in text(refused, 400)
    assert not Survey.objects.exists()


def test_sent_twice_it_is_asked_once(operator, project):
    broken(project)

    first = asked(operator, project, key="k")
    again = asked(operator, project, key="k")

    assert first == again
    assert Survey.objects.count() == 1


def test_whom_it_is_shown(operator, viewer, project, other_project):
    broken(project)
    at = asked(operator, project)
    stranger = signed_in(Client(), make_member(other_project, "eve", Role.ADMIN))

    assert viewer.get(at).status_code == 200
    assert viewer.get(url("surveys", project)).status_code == 200
    assert viewer.post(url("ask_survey", project), {"check": CHECK}).status_code == 403
    assert stranger.get(at).status_code == 404
    assert Client().get(at).status_code == 302
    assert operator.post(at).status_code == 405
    unknown = url("survey", project, f"surv_{'0' * 26}")
    assert operator.get(unknown).status_code == 404


def test_what_masks_cover_is_not_told_by_its_share(operator, viewer, project, person):
    broken(project)
    at = asked(operator, project)
    looking.sweep(now=timezone.now())
    secret = [{"pointer": "/total", "style": "hide"}]
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(secret))

    page = text(viewer.get(at))

    assert "What comes of this check is covered by masks." in page
    assert "state.total" not in page
