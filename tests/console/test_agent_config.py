"""An agent's config in the console: its versions, and the way back to one."""

import html
import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.data import operations as data
from apps.timeline.errors import ConfigChanged
from apps.timeline.queries import activity
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.agent_pages import make_store, plain, row_heads
from tests.console.make import HTML, signed_in
from tests.data.conftest import made
from tests.timeline.runs import begin

MARKUP = "<img src=x onerror=alert(1)>"
BIDI = "\u202e"
FIRST = {"temperature": 0.4, "policies": {"block_pii": True}}
SECOND = {"temperature": 0.2, "policies": {"block_secrets": True}}


@pytest.fixture
def store(api):
    return make_store(api())


@pytest.fixture
def agent(store):
    return Agent.objects.get(external_id=store.agent)


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def at(agent, *number, act=""):
    name = "config_version" if number else "agent_config"
    where = [agent.project.slug, agent.id, *number]
    return reverse(f"console:{act or name}", args=where)


def seen(client, *where):
    answer = client.get(at(*where), headers=HTML)
    assert answer.status_code == 200
    return answer.content.decode()


def roll_back(client, agent, number, **sent):
    address = at(agent, number, act="roll_back_config")
    return client.post(address, sent, headers=HTML, follow=True)


def test_versions_are_listed_and_the_newest_stands(viewer, agent, store):
    assert "has no config yet" in seen(viewer, agent)
    made(store.configure(FIRST))
    made(store.configure(SECOND))

    page = seen(viewer, agent)

    assert row_heads(page) == ["v2 stands", "v1", "v0"]
    assert "v2 stands What looks like a secret" in plain(page)
    assert "Roll back" not in page


def test_an_older_version_says_what_going_back_would_do(operator, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))

    page = seen(operator, agent, 1)

    assert "/temperature" in page
    assert "begins What looks like personal data is blocked." in plain(page)
    assert "ends What looks like a secret" in plain(page)
    assert "A new version v3 is made, as v1 was." in plain(page)
    assert 'name="expected" value="2"' in page


def test_a_viewer_sees_it_and_is_given_no_button(viewer, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))

    page = seen(viewer, agent, 1)
    refused = roll_back(viewer, agent, 1, expected=2)

    assert "An operator can roll it back." in page
    assert "<textarea" not in page
    assert refused.status_code == 403
    assert store.config().body["version"] == "v2"


def test_an_operator_rolls_it_back(operator, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))
    made(store.write("seat", "aisle"))

    page = roll_back(operator, agent, 1, expected=2, reason="Too cold", key="k1")
    again = roll_back(operator, agent, 1, expected=2, reason="Too cold", key="k1")

    assert "Config v3 stands now; it is as v1 was." in page.content.decode()
    assert "Config v3 stands now" in again.content.decode()
    assert row_heads(seen(operator, agent)) == ["v3 stands", "v2", "v1", "v0"]
    assert "<q>Too cold</q>" in seen(operator, agent)
    assert made(store.config())["config"] == FIRST
    assert made(store.at("seat"))["value"] == "aisle"
    done = AuditRecord.objects.for_stream(agent.id).get(action="config.rollback")
    assert (done.actor_label, done.details) == ("olga", {"target": "v1"})


def test_to_no_config_at_all(operator, agent, store):
    made(store.configure(FIRST))

    page = seen(operator, agent, 0)
    roll_back(operator, agent, 0, expected=1)

    assert "A new version v2 is made, as v0 was: no config." in plain(page)
    assert made(store.config())["config"] == {}


def test_each_version_tells_how_many_of_its_sessions_were_rolled_back(
    viewer, agent, store, monkeypatch
):
    def work(*failed):
        for is_failed in failed:
            run = begin(store.client, {"n": 1}, agent_id=agent.external_id)
            run.patch({"n": 2})
            if is_failed:
                run.rollback(0)

    def rates(**asked):
        page = viewer.get(at(agent), asked, headers=HTML).content.decode()
        found = re.findall(r'data-label="rolled back">(.*?)</td>', page)
        return [" ".join(re.sub("<[^>]*>", " ", one).split()) for one in found]

    work(True)
    made(store.configure(FIRST))
    work(True, True, False)
    made(store.configure(SECOND))
    made(store.configure(FIRST))
    work(False, False)

    expected = ["0.0 % 0 of 2", "no sessions", "66.7 % 2 of 3", "100.0 % 1 of 1"]
    assert rates() == expected
    assert rates(before=3) == expected[1:]

    monkeypatch.setattr(activity, "BEGUN_LOOKED_AT", 3)
    assert rates() == ["0.0 % 0 of 2", "no sessions", "0.0 % 0 of 1", "not counted"]
    assert "newest 5,000 sessions" in seen(viewer, agent)


def test_what_was_set_meanwhile_is_not_rolled_back_unseen(operator, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))
    made(store.configure({"temperature": 1}))

    page = roll_back(operator, agent, 1, expected=2, reason="Too cold").content.decode()

    assert "Nothing was done: Config v3 stands now, not v2" in plain(page)
    assert "Too cold" in page
    assert 'name="expected" value="3"' in page
    assert store.config().body["version"] == "v3"


def test_data_that_moves_on_does_not_stop_a_rollback(
    project, agent, store, monkeypatch
):
    made(store.configure(FIRST))
    made(store.configure(SECOND))
    writes = iter(range(2))
    module = data.configuring
    restore = module.restore_document

    def restoring(**asked):
        if next(writes, None) is not None:
            made(store.write("busy"))
        return restore(**asked)

    monkeypatch.setattr(module, "restore_document", restoring)

    act = act_in(project)
    found = data.roll_back_config(act=act, reference=agent.id, target=1, expected=2)

    assert found.version.ordinal == 3
    with pytest.raises(ConfigChanged):
        data.roll_back_config(
            act=act_in(project), reference=agent.id, target=1, expected=2
        )


def test_the_one_that_stands_is_not_rolled_back_to(operator, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))
    roll_back(operator, agent, 1, expected=2)

    page = seen(operator, agent, 1)

    assert "there is nothing to roll back" in page
    assert "<textarea" not in page


@pytest.mark.parametrize("sent", [{}, {"expected": "x"}, {"expected": -1}])
def test_a_form_without_what_was_shown_does_nothing(operator, agent, store, sent):
    made(store.configure(FIRST))
    made(store.configure(SECOND))

    assert roll_back(operator, agent, 1, **sent).status_code == 400
    assert store.config().body["version"] == "v2"


def test_hostile_configs_are_text(operator, agent, store):
    evil = f"{MARKUP}{BIDI}</pre></script>"
    rules = {"denied_key_prefixes": [evil], "retention_by_prefix": {evil: 2}}
    made(store.configure({evil: [evil], "policies": rules}))
    made(store.configure({"x": evil}))

    for page in (seen(operator, agent), seen(operator, agent, 1)):
        assert MARKUP not in page
        assert BIDI not in page
        assert html.escape(MARKUP) in page


def test_looking_is_recorded(viewer, agent, store):
    made(store.configure(FIRST))
    made(store.configure(SECOND))

    seen(viewer, agent)
    seen(viewer, agent, 1)

    records = AuditRecord.objects.for_stream(agent.id).filter(actor_label="vera")
    assert [
        (one.action, one.resource_id, one.details) for one in records.order_by("number")
    ] == [("config.read", "v2", {}), ("config.read", "v1", {"against": "v2"})]


def test_what_is_not_there_is_not_found(operator, agent, store, project):
    made(store.configure(FIRST))

    for number in (2, 10**17):
        assert operator.get(at(agent, number)).status_code == 404
        refused = roll_back(operator, agent, number, expected=1)
        assert refused.status_code == 404
    assert operator.post(at(agent)).status_code == 405
    assert operator.get(at(agent, 1, act="roll_back_config")).status_code == 405
    unknown = reverse("console:agent_config", args=[project.slug, "nobody"])
    assert operator.get(unknown).status_code == 404
