"""Filters that apply are seen on every list that has them, and each can be dropped."""

import html
import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.webhooks import operations as webhooks
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import Story, signed_in

UNKNOWN = "agent_" + "0" * 26
# A list, what it is asked with, and its chips: what each says, and what is left.
LISTS = {
    "agents": (
        "agent_list",
        {"status": "suspended", "team": "ops"},
        {"status Suspended": "?team=ops", "team ops": "?status=suspended"},
    ),
    "audit": (
        "audit_log",
        {"show": "all", "q": "late", "start": "2026-03-01"},
        {
            "show Agents' acts too": "?q=late&start=2026-03-01",
            "reason or reasoning late": "?show=all&start=2026-03-01",
            "from 2026-03-01": "?show=all&q=late",
        },
    ),
    "audit, wrong": (
        "audit_log",
        {"action": "nosuch", "actor": "olga"},
        {"action nosuch": "?actor=olga", "actor olga": "?action=nosuch"},
    ),
    "memories": (
        "memories",
        {"scope": "user", "owner": "ada", "status": "dropped"},
        {
            # Whose it is means nothing without what that is.
            "of user": "?status=dropped",
            "session, user or agent ada": "?scope=user&status=dropped",
            "status dropped": "?scope=user&owner=ada",
        },
    ),
    "rollbacks": (
        "metrics_rollbacks",
        {"window": "7d", "release": "", "reason": "looping"},
        {
            "release not told": "?window=7d&reason=looping",
            "reason looping": "?window=7d&release=",
        },
    ),
    "keys": (
        "agent_data",
        {"under": "user:", "words": "seat", "literal": "on"},
        {
            "keys that begin with user:": "?words=seat&literal=on",
            "what keys or values say seat": "?under=user%3A",
            "in these words yes": "?under=user%3A&words=seat",
        },
    ),
    "acts of an agent": (
        "agent_audit",
        {"operation": "data.write"},
        {"operation data.write": "?"},
    ),
    "deliveries": ("webhook", {"status": "failed"}, {"status Failed": "?"}),
    "timeline": (
        "session_detail",
        {"op": "rollback", "label": "known-good", "list": "x", "order": "newest"},
        {
            "operation rollback": "?label=known-good&list=x&order=newest",
            "label known-good": "?op=rollback&list=x&order=newest",
        },
    ),
}


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


@pytest.fixture
def about(project):
    """Return what the addresses of lists name."""
    session = Story(project).update({"a": 1}).id
    agent = Agent.objects.get().id
    hook, _ = webhooks.create(
        url="https://receiver.example/hook",
        kinds=["version.created"],
        act=act_in(project),
    )
    return {
        "agent_data": [agent],
        "agent_audit": [agent],
        "webhook": [hook.id],
        "session_detail": [session],
    }


def chips_of(page):
    """Return each chip's words, with where its sign leads."""
    listed = page.content.decode().partition('class="chips"')[2].partition("</ul>")[0]
    found = re.findall(r'href="([^"]*)" aria-label="Remove ([^"]*)"', listed)
    return {html.unescape(words): html.unescape(to) for to, words in found}


@pytest.mark.parametrize("name", LISTS)
def test_each_filter_that_applies_can_be_dropped(admin, project, about, name):
    view, asked, chips = LISTS[name]
    here = reverse(f"console:{view}", args=[project.slug, *about.get(view, ())])

    page = admin.get(here, asked)

    assert chips_of(page) == {words: here + to for words, to in chips.items()}
    for to in chips_of(page).values():
        assert admin.get(to).status_code in (200, 400 if "wrong" in name else 200)


@pytest.mark.parametrize("name", LISTS)
def test_without_a_filter_there_is_no_chip(admin, project, about, name):
    view = LISTS[name][0]
    here = reverse(f"console:{view}", args=[project.slug, *about.get(view, ())])

    assert chips_of(admin.get(here)) == {}


def test_a_place_in_the_list_goes_with_the_filter_it_was_for(admin, project):
    here = reverse("console:agent_list", args=[project.slug])

    page = admin.get(here, {"team": "ops", "owner": "ann", "after": UNKNOWN})

    assert chips_of(page) == {
        "team ops": f"{here}?owner=ann",
        "owner ann": f"{here}?team=ops",
    }


def test_rollbacks_of_an_agent_name_it(admin, project, about):
    agent = Agent.objects.get()
    here = reverse("console:metrics_rollbacks", args=[project.slug])

    page = admin.get(here, {"window": "7d", "agent": agent.id})

    assert chips_of(page) == {f"agent {agent.external_id}": f"{here}?window=7d"}


@pytest.mark.parametrize(
    ("view", "asked", "looked_through"),
    [
        ("agent_list", {"team": "none"}, "Deleted agents were not looked at"),
        ("audit_log", {"actor": "none"}, "Only people's acts were looked through."),
        ("audit_log", {"actor": "none", "show": "all"}, "All acts were looked through"),
        ("memories", {"scope": "agent"}, "Replaced and dropped ones"),
        ("metrics_rollbacks", {"reason": "none"}, "no such rollback in this time"),
        ("agent_data", {"under": "none:"}, "No key begins with"),
        ("agent_audit", {"operation": "data.write"}, "is in this agent's record"),
        ("webhook", {"status": "failed"}, "No delivery of the last 30 days"),
        ("session_detail", {"label": "none"}, "v0 to v1 were looked through"),
    ],
)
def test_a_list_that_found_nothing_says_where_and_offers_to_drop_it(
    admin, project, about, view, asked, looked_through
):
    here = reverse(f"console:{view}", args=[project.slug, *about.get(view, ())])

    page = html.unescape(admin.get(here, asked).content.decode())

    empty = page.partition('class="empty"')[2].partition("</div>")[0]
    assert looked_through in empty
    assert "Drop a filter:" in empty


def test_a_hostile_filter_is_text(admin, project):
    here = reverse("console:agent_list", args=[project.slug])

    page = admin.get(here, {"owner": "<b>\u202e"}).content.decode()

    assert "<b>\u202e" not in page
    assert "&lt;b&gt;" in page.partition('class="chips"')[2]


def test_a_filter_on_the_session_page_is_shown_with_its_versions(admin, project):
    story = Story(project).update({"a": 1})
    story.update({"b": 1})
    here = reverse("console:session_detail", args=[project.slug, story.id])

    page = admin.get(here, {"path": "/b"})

    assert chips_of(page) == {"path touched /b": f"{here}?"}
    assert [row.number for row in page.context["rows"]] == [2]
