"""The agents pages: what each has been doing, and whether it may write."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.timeline.queries import activity
from tests.accounts.make import make_member
from tests.console.make import HTML, NOW, Story, signed_in


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page):
    return page.content.decode()


def test_the_list_tells_what_each_has_been_doing(viewer, project):
    Story(project, agent="travel").update({"a": 1}, release="r7", model="m2").rollback(
        0
    )
    Story(project, agent="refunds", now=NOW + timedelta(hours=1))

    page = text(viewer.get(url("agent_list", project)))

    assert page.index(">refunds<") < page.index(">travel<")
    assert '<span aria-hidden="true">◆</span> 1<' in page


def test_releases_and_models_are_those_of_the_heads(viewer, project):
    story = Story(project, agent="travel").update({"a": 1}, release="r7", model="m2")
    agent = Agent.objects.get()

    found = activity.agent_activity(project.id, [agent.id])[agent.id]

    assert (found.sessions, found.releases, found.models) == (1, ["r7"], ["m2"])
    assert found.last_seen == story.now


def test_an_agent_without_sessions_has_never_been_seen(viewer, project, api):
    api().post("/v1/agents", {"external_id": "idle", "name": "Idle"})

    assert "never" in text(viewer.get(url("agent_list", project)))


def test_counting_ends_somewhere(project, monkeypatch):
    monkeypatch.setattr(activity, "AGENT_SESSIONS_COUNTED", 2)
    for _ in range(4):
        Story(project, agent="travel")
    agent = Agent.objects.get()

    found = activity.agent_activity(project.id, [agent.id])[agent.id]

    assert (found.sessions, found.has_more) == (3, True)


def test_its_page_shows_its_sessions_and_no_others(viewer, project):
    mine, other = Story(project, agent="travel"), Story(project, agent="refunds")
    agent = Agent.objects.get(external_id="travel")

    page = text(viewer.get(url("agent_detail", project, agent.id)))

    assert mine.id in page
    assert other.id not in page
    assert "Suspend" not in page


def test_an_operator_suspends_and_activates_it(operator, project, api):
    Story(project, agent="travel")
    agent = Agent.objects.get()

    why = {"reason": "Refunds twice <b>since</b> 1.8"}
    page = operator.post(url("suspend_agent", project, agent.id), why, follow=True)
    refused = api().post("/v1/sessions", {"agent_id": "travel"})
    operator.post(url("activate_agent", project, agent.id))

    assert "Let it write again" in text(page)
    assert refused.code == "agent_suspended"
    assert api().post("/v1/sessions", {"agent_id": "travel"}).status == 201
    chained = AuditRecord.objects.for_project(project.id).filter(
        action__startswith="agent.", actor_label="olga"
    )
    assert [one.action for one in chained.order_by("number")] == [
        "agent.suspended",
        "agent.activated",
    ]
    assert chained.get(action="agent.suspended").details == {
        "agent_id": "travel",
        **why,
    }


@pytest.mark.parametrize("reason", [None, "", "  ", "x" * 201])
def test_suspending_asks_for_a_reason(operator, project, reason):
    Story(project, agent="travel")
    agent = Agent.objects.get()
    sent = {} if reason is None else {"reason": reason}

    answer = operator.post(url("suspend_agent", project, agent.id), sent, headers=HTML)

    assert answer.status_code == 400
    assert "Nothing was done:" in answer.content.decode()
    agent.refresh_from_db()
    assert not agent.is_suspended


def test_an_administrator_deletes_it_and_brings_it_back(admin, project, api):
    story = Story(project, agent="travel")
    agent = Agent.objects.get()
    why = {"reason": "Replaced <b>by</b> travel-2"}

    page = text(admin.post(url("delete_agent", project, agent.id), why, follow=True))
    refused = api().post("/v1/sessions", {"agent_id": "travel"})
    lists = [
        text(admin.get(url("agent_list", project), query))
        for query in ({}, {"status": "deleted"})
    ]
    back = text(admin.post(url("activate_agent", project, agent.id), follow=True))

    assert "✕</span> deleted" in page
    assert "Bring back" in page
    assert story.id in page
    assert "Suspend this agent" not in page
    assert refused.code == "agent_deleted"
    assert [">travel<" in one for one in lists] == [False, True]
    assert "●</span> active" in back
    assert "Delete this agent" in back
    chained = (
        AuditRecord.objects.for_project(project.id)
        .filter(action__startswith="agent.")
        .exclude(action="agent.created")
    )
    assert [
        (one.action, one.actor_label, one.details) for one in chained.order_by("number")
    ] == [
        ("agent.deleted", "alice", {"agent_id": "travel", **why}),
        ("agent.restored", "alice", {"agent_id": "travel"}),
    ]


def test_an_operator_neither_deletes_nor_brings_back(client, operator, project):
    Story(project, agent="travel")
    agent = Agent.objects.get()
    assert "Delete this agent" not in text(
        operator.get(url("agent_detail", project, agent.id))
    )

    denied = operator.post(url("delete_agent", project, agent.id), {"reason": "x"})
    admin = signed_in(Client(), make_member(project, "alice", Role.ADMIN))
    admin.post(url("delete_agent", project, agent.id), {"reason": "x"})
    kept = operator.post(url("activate_agent", project, agent.id))

    assert (denied.status_code, kept.status_code) == (403, 403)
    page = text(operator.get(url("agent_detail", project, agent.id)))
    assert "An administrator can bring it back." in page
    assert "Bring back" not in page


@pytest.mark.parametrize("reason", [None, "", "  ", "x" * 201])
def test_deleting_asks_for_a_reason(admin, project, reason):
    Story(project, agent="travel")
    agent = Agent.objects.get()
    sent = {} if reason is None else {"reason": reason}

    answer = admin.post(url("delete_agent", project, agent.id), sent, headers=HTML)

    assert answer.status_code == 400
    assert "Nothing was done:" in answer.content.decode()
    agent.refresh_from_db()
    assert not agent.is_deleted


def test_the_list_is_narrowed_by_whose_it_is_and_by_a_tag(viewer, project, api):
    for name, said in (
        ("mine", {"owner": "ann", "team": "money", "tags": ["eu", "beta"]}),
        ("theirs", {"owner": "bob", "team": "travel", "tags": ["eu"]}),
    ):
        api().post("/v1/agents", {"external_id": name, **said})

    def shown(**query):
        page = text(viewer.get(url("agent_list", project), query))
        return [name for name in ("mine", "theirs") if f">{name}<" in page]

    assert shown() == shown(tag="eu") == ["mine", "theirs"]
    assert shown(owner="ann") == shown(team="money") == shown(tag="beta") == ["mine"]
    assert shown(owner="ann", tag="gone") == []
    assert "owner ann team money tags eu, beta" in text(
        viewer.get(url("agent_list", project))
    )


def test_agents_of_others_and_of_nobody_are_not_found(operator, project, other_project):
    Story(other_project, agent="travel")
    theirs = Agent.objects.get()

    for reference in (theirs.id, "agent_" + "0" * 26):
        assert operator.get(url("agent_detail", project, reference)).status_code == 404
        assert (
            operator.post(
                url("suspend_agent", project, reference), {"reason": "x"}
            ).status_code
            == 404
        )


def test_suspended_ones_are_listed_alone_when_asked_for(operator, project):
    Story(project, agent="travel")
    Story(project, agent="refunds")
    agent = Agent.objects.get(external_id="travel")
    operator.post(url("suspend_agent", project, agent.id), {"reason": "It loops"})

    page = text(operator.get(url("agent_list", project), {"status": "suspended"}))

    assert ">travel<" in page
    assert ">refunds<" not in page


def test_no_agent_yet_is_told_with_what_makes_one(viewer, project):
    page = text(viewer.get(url("agent_list", project)))

    assert "http://testserver/v1/sessions" in page


def test_a_name_is_shown_as_text(viewer, project):
    Story(project, agent="<i>x</i>\u202e", now=timezone.now())
    agent = Agent.objects.get()

    for page in (url("agent_list", project), url("agent_detail", project, agent.id)):
        assert "&lt;i&gt;x&lt;/i&gt;⟨U+202E⟩" in text(viewer.get(page))
