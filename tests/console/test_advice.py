"""The page of advice on an agent's checkpoints."""

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents.models import Agent
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.timeline import runs


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def shown(client, project):
    agent = Agent.objects.get(external_id="travel")
    url = reverse("console:agent_advice", args=[project.slug, agent.id])
    return client.get(url)


def test_it_tells_what_would_be_wiser_and_what_it_would_cost(viewer, project, api):
    run = runs.begin(api(), {"n": 0})
    run.patch({"n": 1})
    for key in ("a", "b"):
        run.post("effects", {"key": key, "tool": "pay", "arguments": {}})

    page = shown(viewer, project).content.decode()

    assert "1 of 2 effects began on a version on which another had begun" in page
    assert "1 of 1 versions say no reason" in page
    assert "also every 60 seconds" in page
    assert "all there are" in page


def test_without_sessions_it_says_so(viewer, project, api):
    api().post("/v1/agents", {"external_id": "travel"})

    assert "It has no sessions yet" in shown(viewer, project).content.decode()


def test_the_agents_page_leads_there_and_nothing_is_posted(viewer, project, api):
    runs.begin(api(), {"n": 0})
    agent = Agent.objects.get(external_id="travel")
    url = reverse("console:agent_advice", args=[project.slug, agent.id])

    page = viewer.get(reverse("console:agent_detail", args=[project.slug, agent.id]))

    assert url in page.content.decode()
    assert viewer.post(url).status_code == 405


def test_strangers_and_others_see_nothing_of_it(
    client, viewer, project, other_project, api
):
    runs.begin(api(), {"n": 0})
    agent = Agent.objects.get(external_id="travel")
    url = reverse("console:agent_advice", args=[project.slug, agent.id])
    foreign = reverse("console:agent_advice", args=[project.slug, "agt_nobody"])
    assert viewer.get(foreign).status_code == 404
    signed_in(client, make_member(other_project, "olaf", Role.ADMIN))
    assert client.get(url).status_code == 404
    client.logout()
    assert client.get(url).status_code == 302
