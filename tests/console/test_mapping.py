"""The page on which an administrator maps an agent's states, and what then follows."""

import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents import operations as agents
from apps.agents.mapping import Mapping
from apps.agents.models import Agent
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, NOW, Story, address, signed_in
from tests.console.test_webhooks import seen_on


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "ada", Role.ADMIN))


@pytest.fixture
def agent(project):
    """An agent with a session whose state says more than the usual."""
    Story(project, STATE, agent="travel").update({"clock": 2})
    return Agent.objects.get(external_id="travel")


STATE = {
    "goal": {"text": "Cancel the return leg"},
    "customer": {"id": "u_17"},
    "review": {"needed": True},
    "clock": 1,
    "notes": "x" * 201,
}
KEPT = {
    "title": "/goal/text",
    "user": "/customer/id",
    "waiting_by": "own",
    "waiting": "/review/needed = true",
    "noise": "/clock\n/items/*/age",
}


def url(project, agent):
    return reverse("console:agent_mapping", args=[project.slug, agent.id])


def text(answer):
    return answer.content.decode()


def map_states(project, **mapping):
    agents.map_states(
        act=act_in(project), reference="travel", mapping=Mapping(**mapping)
    )


def test_it_shows_what_a_mapping_would_give_and_keeps_nothing(admin, project, agent):
    answer = admin.post(url(project, agent), {**KEPT, "look": "on"}, headers=HTML)

    page = text(answer)
    assert answer.status_code == 200
    assert "What this would give" in page
    assert "Cancel the return leg" in page
    assert "u_17" in page
    assert "by /review/needed = true" in page
    assert "1 change of noise" in page
    assert Agent.objects.get(id=agent.id).title_path is None


def test_it_keeps_the_mapping_and_says_from_when_it_counts(admin, project, agent):
    answer = admin.post(url(project, agent), KEPT, headers=HTML, follow=True)

    page = text(answer)
    assert "Titles, users and noise follow it at once" in page
    assert "goes once through the sessions that there are" in page
    assert "being derived anew" in page
    kept = Agent.objects.get(id=agent.id)
    assert (kept.title_path, kept.user_path) == ("/goal/text", "/customer/id")
    assert (kept.waiting, kept.noise) == (
        ["/review/needed = true"],
        ["/clock", "/items/*/age"],
    )
    assert "As it is" in text(admin.get(url(project, agent)))


def test_what_another_administrator_mapped_meanwhile_is_not_mapped_back(
    admin, project, agent
):
    where = url(project, agent)
    stale = {**KEPT, "title": "", "seen": seen_on(admin.get(where))}
    for _ in range(2):
        kept = admin.post(where, {**KEPT, "seen": stale["seen"]}, headers=HTML)
        assert not kept["Location"].startswith(where)
    tried = admin.post(where, {**stale, "look": "on"}, headers=HTML)
    assert seen_on(tried) == stale["seen"]

    refused = admin.post(where, stale, headers=HTML)

    assert refused["Location"].startswith(where)
    page = admin.get(refused["Location"])
    assert "Somebody has changed this agent" in text(page)
    assert Agent.objects.get(id=agent.id).title_path == "/goal/text"
    again = admin.post(where, {**stale, "seen": seen_on(page)}, headers=HTML)
    assert not again["Location"].startswith(where)
    assert Agent.objects.get(id=agent.id).title_path is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"title": "/goal"}, "an object: name one value in it, as /goal/text."),
        ({"user": "/customer"}, "an object: name one value in it, as /customer/id."),
        ({"title": "goal"}, "starts with a slash"),
        ({"noise": "clock"}, "starts with a slash"),
        ({"waiting": "/a = {}"}, "compares with"),
        ({"waiting_by": "both"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_mapped_is_told_at_its_field(admin, project, agent, said, words):
    answer = admin.post(url(project, agent), {**KEPT, **said}, headers=HTML)

    assert answer.status_code == 422
    assert "Nothing was kept" in text(answer)
    (name,) = said
    error = re.search(f'id="id_{name}_error">([^<]*)', text(answer))
    assert error
    assert words in error[1]
    assert Agent.objects.get(id=agent.id).mapped_at is None


def test_white_space_of_keys_is_kept(admin, project, agent):
    kept = {
        "title": "/goal/text ",
        "user": "/customer/ id",
        "waiting": "/review/needed = true\r\n\r\n/a\u2028b",
        "noise": "/clock \n/items/*/\x85age\n \n",
    }

    admin.post(url(project, agent), {**KEPT, **kept}, headers=HTML)

    found = Agent.objects.get(id=agent.id)
    assert (found.title_path, found.user_path) == ("/goal/text ", "/customer/ id")
    assert found.waiting == ["/review/needed = true", "/a\u2028b"]
    assert found.noise == ["/clock ", "/items/*/\x85age"]


def test_a_mapping_that_lines_cannot_show_is_not_changed_by_its_form(
    admin, project, agent
):
    map_states(project, noise=["/a\n/b"])
    shown = "/a\n/b"

    answer = admin.post(url(project, agent), {**KEPT, "noise": shown}, headers=HTML)

    assert answer.status_code == 422
    assert "holds the end of a line" in text(answer)
    assert Agent.objects.get(id=agent.id).noise == ["/a\n/b"]


def test_a_place_that_lists_cannot_show_is_named_with_the_reason(admin, project, agent):
    Story(project, {f"k{n:03}": n for n in range(100)}, agent="travel")
    said = {**KEPT, "title": "/notes", "user": "/k099", "look": "on"}

    page = text(admin.post(url(project, agent), said, headers=HTML))

    assert "longer than the 200 characters lists keep" in page
    assert "not among the first 64 short values lists keep" in page
    assert "nothing is there" in page


def test_hostile_states_stay_text(admin, project):
    Story(project, {"t": "<script>alert(1)</script>\u202e"}, agent="travel")
    agent = Agent.objects.get(external_id="travel")

    said = {**KEPT, "title": "/t", "look": "on"}
    page = text(admin.post(url(project, agent), said, headers=HTML))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER])
def test_it_is_an_administrators(client, project, agent, role):
    other = signed_in(client, make_member(project, "olga", role))

    assert other.get(url(project, agent)).status_code == 403
    assert other.post(url(project, agent), KEPT).status_code == 403
    page = reverse("console:agent_detail", args=[project.slug, agent.id])
    assert "/mapping" not in text(other.get(page))


def test_lists_say_whose_a_session_is_and_what_it_is_about(admin, project, agent):
    map_states(project, title="/goal/text", user="/customer/id")

    page = text(admin.get(address(project) + "?q="))
    export = text(admin.get(reverse("console:sessions_export", args=[project.slug])))

    assert ">Cancel the return leg</a>" in page
    assert "u_17" in page
    header, row = export.splitlines()
    assert header.startswith("session,title,agent,user,")
    assert ",Cancel the return leg,travel,u_17," in row


def test_noise_is_folded_and_counted_wherever_changes_are(admin, project):
    story = Story(project, {"clock": 1, "city": "Rome"}, agent="travel")
    story.update({"clock": 2, "city": "Oslo"}).update({"clock": None})
    map_states(project, noise=["/clock"])
    versions = address(project, story.id, "versions")

    one = text(admin.get(f"{versions}/1"))
    side = text(admin.get(f"{versions}/1?view=side"))
    quiet = text(admin.get(f"{versions}/2"))
    preview = text(admin.get(f"{versions}/0/rollback"))

    for page in (one, preview):
        assert "1 change of noise hidden, show" in page
        assert page.index("/city") < page.index("of noise hidden, show")
    assert "1 change of noise hidden, show: clock" in side
    assert "1 change of noise<" in quiet
    assert "turned null, only noise" in quiet
    assert "city changed from Rome to Oslo; 1 change of noise" in one


def test_the_life_line_tells_noise_last(admin, project):
    story = Story(project, {"at": 1, "city": "Rome"}, agent="travel")
    story.update({"at": 2, "city": "Oslo"}).update({"at": 3})
    where = address(project, story.id, "versions/1")
    assert ">city</text>" not in text(admin.get(where))

    map_states(project, noise=["/at"])

    page = text(admin.get(where))
    assert ">city</text>" in page
    assert ">at</text>" in page, "of v2, which changed nothing else"
    assert 'aria-label="v2, update: 1 change of noise' in page


def test_the_api_stays_whole(admin, project, api):
    story = Story(project, {"clock": 1}, agent="travel").update({"clock": None})
    map_states(project, noise=["/clock"])

    version = api().get(f"/v1/sessions/{story.id}/versions/1").body
    found = api().get(f"/v1/sessions/{story.id}/changes", {"from": "0", "to": "1"}).body

    assert version["flags"] == ["nulled"]
    assert [one["pointer"] for one in version["changes"]] == ["/clock"]
    assert "/clock" in str(found)


def test_pages_of_a_session_name_it_and_keep_its_id(admin, project):
    story = Story(project, agent="travel", title="Cancel the return leg", now=NOW)
    story.update({"a": 1})
    version = address(project, story.id, "versions", 0)

    for where in (
        f"{version}/rollback",
        f"{version}/fork",
        f"{version}/value?pointer=/destination",
        f"{version}/blame?pointer=/destination",
        address(project, story.id, "conversation"),
        address(project, story.id, "lineage"),
        address(project, story.id, "close"),
    ):
        page = text(admin.get(where, headers=HTML))
        crumbs = page[
            page.index('class="crumbs"') : page.index(
                "</nav>", page.index('class="crumbs"')
            )
        ]
        assert "Cancel the return leg" in crumbs, where
        assert f'<span class="unseen"> {story.id}</span>' in crumbs, where
