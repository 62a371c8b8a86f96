"""Experiments on the console: forks ticked, shown as columns, one promoted."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role
from apps.experiments.models import Experiment
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, Story, signed_in

pytestmark = pytest.mark.django_db
CHECK = "state.total<=10"
HOSTILE = "<script>alert('x')</script>"


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(project):
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def story(project):
    return Story(project, {"total": 1}, now=timezone.now()).update({"total": 5})


@pytest.fixture
def forks(story):
    return [story.fork(1), story.fork(1)]


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page, status=200):
    assert page.status_code == status, page.content
    return html.unescape(page.content.decode())


def made(client, project, story, forks, **fields):
    sent = {"name": "Cheaper", "session": story.id, "fork": forks, "checks": CHECK}
    return client.post(url("make_experiment", project), sent | fields, headers=HTML)


def test_forks_are_ticked_and_stand_beside_each_other(
    operator, api, project, story, forks
):
    api().patch(f"/v1/sessions/{forks[0]}/state", {"state": {"total": 11}})
    form = operator.get(url("make_experiment", project), {"session": story.id})
    assert all(one in text(form) for one in forks)

    answer = made(operator, project, story, forks)
    page = text(operator.get(answer["Location"]))

    assert "<h1>Fork 2 passes every check</h1>" in page
    assert re.search(r"▲</span> fails.*?passes", page, re.DOTALL)
    assert "not reviewed</span>, active" in page
    assert "Cheaper" in text(operator.get(url("experiments", project)))
    assert operator.get(url("experiments", project), {"show": "closed"}).status_code


def test_the_one_that_is_picked_leads_to_the_merge_that_promotes_it(
    operator, api, project, story, forks
):
    api().patch(f"/v1/sessions/{forks[1]}/state", {"state": {"fixed": True}})
    page = operator.get(made(operator, project, story, forks)["Location"])
    ways = re.findall(r'href="([^"]*verb=promote[^"]*)" data-key="(\d)"', text(page))

    assert [key for _, key in ways] == ["1", "2"]
    preview = text(operator.get(ways[1][0]))
    assert "fixed" in preview
    assert forks[1] in preview


def test_a_deleted_fork_stays_named_as_deleted(operator, api, project, story, forks):
    at = made(operator, project, story, forks)["Location"]
    api().delete(f"/v1/sessions/{forks[0]}")

    page = text(operator.get(at))

    assert re.search(
        rf'title="{forks[0]}">Fork 1</span> <span class="none">deleted', page
    )
    assert len(re.findall("verb=promote", page)) == 1


def test_what_is_refused_is_said_on_the_form_with_what_was_typed(
    operator, project, story, forks
):
    one = made(operator, project, story, forks[:1], name=HOSTILE)
    page = one.content.decode()

    assert "2 to 6 forks" in text(one, 422)
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page
    bad = made(operator, project, story, forks, checks="state.total<<1")
    assert "state.total<<1" in text(bad, 400)
    assert not Experiment.objects.exists()


def test_hostile_names_are_text(operator, project, story, forks):
    at = made(operator, project, story, forks, name=HOSTILE)["Location"]

    for address in (at, url("experiments", project)):
        assert HOSTILE not in operator.get(address).content.decode()


def test_sent_twice_it_is_one(operator, project, story, forks):
    first = made(operator, project, story, forks, key="k")["Location"]
    again = made(operator, project, story, forks, key="k")["Location"]

    assert first == again
    assert Experiment.objects.count() == 1


def test_it_is_renamed_and_closed(operator, project, story, forks):
    at = made(operator, project, story, forks)["Location"]
    found = Experiment.objects.get()

    operator.post(url("rename_experiment", project, found.id), {"name": "Other"})
    operator.post(url("close_experiment", project, found.id))
    late = operator.post(
        url("rename_experiment", project, found.id), {"name": "x"}, headers=HTML
    )

    found.refresh_from_db()
    assert (found.name, found.status) == ("Other", "closed")
    assert late.status_code == 303
    assert "Another name" not in text(operator.get(at))


def test_whom_it_is_shown(operator, viewer, project, other_project, story, forks):
    at = made(operator, project, story, forks)["Location"]
    found = Experiment.objects.get()
    stranger = signed_in(Client(), make_member(other_project, "eve", Role.ADMIN))

    assert "Promote" not in text(viewer.get(at))
    assert viewer.post(url("close_experiment", project, found.id)).status_code == 403
    assert made(viewer, project, story, forks).status_code == 403
    assert stranger.get(at).status_code == 404
    assert Client().get(at).status_code == 302
    assert (
        operator.get(url("experiment", project, f"expt_{'0' * 26}")).status_code == 404
    )
    assert operator.get(url("close_experiment", project, found.id)).status_code == 405


def test_a_check_that_masks_cover_is_told_to_nobody_they_cover_it_from(
    operator, viewer, project, story, forks
):
    at = made(operator, project, story, forks)["Location"]
    secret = [{"pointer": "/total", "style": "hide"}]
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(secret))

    page = text(viewer.get(at))

    assert "a check that masks cover" in page
    assert "state.total" not in page
    assert "passes" not in page
