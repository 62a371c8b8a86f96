"""An agent's pages for whom masks cover some from: config, keys, checkpoints."""

import html
import json
import re

import pytest
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role
from apps.agents.models import Agent
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.agent_pages import make_store, plain
from tests.console.make import HTML, signed_in
from tests.data.conftest import made

MAIL, OTHER = "ann@example.com", "bob@example.com"


@pytest.fixture
def store(api, project):
    said = [{"pattern": "email", "style": "hide"}, {"pointer": "/pin", "style": "hide"}]
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(said))
    return make_store(api())


@pytest.fixture
def look(client, project, store):
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))
    agent = Agent.objects.get(external_id=store.agent)

    def opened(name, *more, **query):
        address = reverse(f"console:{name}", args=[project.slug, agent.id, *more])
        answer = viewer.get(address, query, headers=HTML)
        assert answer.status_code == 200
        return answer.content.decode()

    return opened


def bare(page):
    """Return the page without tags, so that no mark splits a text."""
    return html.unescape(re.sub(r"<[^>]+>|\s", "", page))


def test_changes_of_configs_show_nothing_that_masks_cover(store, look):
    made(store.configure({"owner": MAIL, "pin": "4711"}))
    first = made(store.checkpoint("before the owner changed"))
    made(store.configure({"owner": OTHER, "pin": "4712"}))
    second = made(store.checkpoint("after the owner changed"))

    pages = [
        look("agent_config"),
        look("config_version", 1),
        look("agent_checkpoint", first["id"]),
        look("compare_checkpoints", first=first["id"], second=second["id"]),
    ]

    for page in map(bare, pages):
        assert not re.search("ann@|bob@|471", page), page
    for page in pages[1:]:
        assert "as far as you may see" in plain(page).lower()


@pytest.mark.parametrize("spell", [str, lambda mail: json.dumps({"to": mail})])
def test_no_masked_value_is_called_unchanged(store, look, spell):
    made(store.write("k", spell(MAIL)))
    made(store.write("k", spell(OTHER)))

    page = plain(look("agent_key", key="k"))

    assert "As far as you may see it, the value is as it was" in page


def test_below_the_first_version_of_a_key_is_nothing(store, client, project):
    made(store.write("k"))
    agent = Agent.objects.get(external_id=store.agent)
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))
    address = reverse("console:agent_key", args=[project.slug, agent.id])

    answer = viewer.get(address, {"key": "k", "before": 1}, headers=HTML)

    assert answer.status_code == 404
