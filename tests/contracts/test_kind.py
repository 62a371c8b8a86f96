"""A keyed document is no session: no door that was made for sessions shows one.

Most tests make a session with all there is, look that it is shown, and have it be a
document then: that it is hidden, its kind alone has done. A second document is as
documents are made, with an id of their own and nothing beside its first version.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.agents.models import Agent
from apps.core.roles.names import Role
from apps.plans.models import Item
from apps.timeline.models import Session
from apps.timeline.queries import storage
from apps.timeline.queries.activity import agent_activity, busiest_agents
from apps.timeline.queries.open_items import list_open_items, newest_open, open_counts
from apps.timeline.search import rebuild
from apps.timeline.words import Kind, OpenKind
from apps.witness.heads import sessions_after
from tests.acting import acting_as
from tests.contracts.routes import UNKNOWN, Route, prepared
from tests.contracts.test_isolation import FILTERS, LISTS, OF_ONE, each, told
from tests.contracts.test_pages import PAGES, browser
from tests.contracts.world import World, add_member, made, start
from tests.timeline.doors import stored
from tests.timeline.keyed_rows import be_document, make_document

pytestmark = pytest.mark.django_db

Page = tuple[str, tuple[str, ...]]
OF_A_SESSION = [route for route in OF_ONE if "session_id" in route.parameters]
# Acts are told by their events: these have those of the session that it was.
OF_ACTS = ("/v1/traces",)
# What acts of the console take, so that a form is no reason to refuse them.
ACT = {
    "key": "test-key-1",
    "expected": "3",
    "reason": "look",
    "text": "Look at this.",
    "label": "good",
    "outcome": "failed",
    "status": "done",
}
TIME = "2020-01-01"
SEARCHES = [
    "",
    "agent:travel",
    "user:u1",
    "u1",
    "travel",
    "external:order-9",
    "order-9",
    "session:{id}",
    "{id}",
    "{beginning}",
    "parent:{parent}",
    "-status:active",
    "-status:paused",
    "-status:waiting",
    "status:failed",
    "-status:wrong",
    "-status:rolled-back",
    "-status:forked",
    "-status:closed",
    "status:closed OR user:u1",
    "label:known-good",
    "review:failed",
    "score:success",
    "score:success<0.5",
    "release:r1",
    "model:m",
    "step:1",
    'objective:"In Progress"',
    "op:rollback",
    "reason:tool",
    "rolled-back:yes",
    "forked:no",
    "flag:null",
    "words:moved",
    "moved",
    "Rome",
    'ever:state.city="Rome"',
    'ever:"Rome"',
    'state.city="Bonn"',
    "changed:state.city",
    "/n>1",
    f"created>{TIME}",
    f"updated>{TIME}",
    "age<2h",
]


def make_session(world: World) -> str:
    """Return a session with one of everything that may be said of one."""
    about = {"order": "A-9", "parent_session_id": world.parameters["session_id"]}
    session_id = start(world.client, external_id="order-9", metadata=about)
    client, path = world.client, f"/v1/sessions/{session_id}"
    made(client.post(f"{path}/versions/2/labels", {"label": "known-good"}))
    made(client.post(f"{path}/notes", {"text": "Look at this.", "version": 1}))
    made(client.put(f"{path}/review", {"outcome": "failed"}))
    made(client.put(f"{path}/score", {"name": "success", "value": 0}))
    made(client.post(f"{path}/turns", {"input": "a", "output": "b"}))
    made(client.patch(f"{path}/state", {"state": {"gone": 1, "n": 5}}))
    made(client.patch(f"{path}/state", {"state": {"gone": None}}))
    back = {"version": 2, "reason": "wrong city", "reason_code": "tool"}
    made(client.post(f"{path}/rollback", back))
    return session_id


def fill(text: str, session_id: str, world: World) -> str:
    parent = world.parameters["session_id"]
    return text.format(id=session_id, beginning=session_id[:-1], parent=parent)


@each(OF_A_SESSION)
def test_its_address_answers_as_one_that_nothing_has(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    be_document(world.parameters["session_id"])
    client, before = world.client_for(route), stored()

    answer = route.call(client, world.parameters)

    unknown = {**world.parameters, "session_id": UNKNOWN["session_id"]}
    assert answer.status == 404, answer.content
    assert told(answer) == told(route.call(client, unknown))
    document.check(route, answer)
    assert stored() == before


@each(OF_A_SESSION)
def test_the_id_of_a_document_is_nobodys(route: Route, world: World) -> None:
    named = make_document(world.project, Agent.objects.get(external_id="travel"))
    client, before = world.client_for(route), stored()

    answer = route.call(client, {**world.parameters, "session_id": named})

    unknown = {**world.parameters, "session_id": UNKNOWN["session_id"]}
    assert answer.status == 404, answer.content
    assert told(answer) == told(route.call(client, unknown))
    assert stored() == before


@each([route for route in LISTS if route.pattern not in OF_ACTS])
def test_no_list_shows_it(route: Route, world: World, document: Any) -> None:
    session_id = make_session(world)
    named = make_document(world.project, Agent.objects.get(external_id="travel"))
    be_document(session_id)
    known = {
        one["name"] for one in document.operations()[str(route)].get("parameters", [])
    }
    for query in FILTERS:
        if not query.keys() <= known:
            continue
        for one in (session_id, named):
            values = world.parameters | {"session_id": one}
            asked = {name: text.format(**values) for name, text in query.items()}
            asked = route.query | asked

            answer = world.client_for(route).get(route.pattern, asked)
            if answer.status == 404 and answer.code == "session_not_found":
                continue
            body = made(answer)

            assert session_id not in str(body["data"])
            assert named not in str(body["data"])


@pytest.mark.parametrize("query", SEARCHES)
def test_no_search_finds_it(query: str, world: World) -> None:
    session_id = make_session(world)

    def found() -> str:
        asked = {"q": fill(query, session_id, world), "limit": "100"}
        data = made(world.client.get("/v1/search", asked))["data"]
        asked["kind"] = "versions"
        return str([data, made(world.client.get("/v1/search", asked))["data"]])

    assert session_id in found()
    named = make_document(world.project, Agent.objects.get(external_id="travel"))

    be_document(session_id)

    assert session_id not in found()
    assert named not in found()


@pytest.mark.parametrize(
    "at", [at for at in PAGES if "session_id" in at[1]], ids=lambda at: str(at[0])
)
def test_no_page_is_about_it(at: Page, world: World) -> None:
    member = browser(add_member(world.project, "olga"))
    unknown = {**world.parameters, "session_id": UNKNOWN["session_id"]}
    be_document(world.parameters["session_id"])
    before = stored()

    for method, sent in ((member.get, {}), (member.post, ACT)):
        answer = method(at[0].format(**world.parameters), sent)

        expected = method(at[0].format(**unknown), sent)
        assert answer.status_code == expected.status_code
        assert answer.status_code in (404, 405), answer.content
    assert stored() == before


@pytest.mark.parametrize(
    "at", [at for at in PAGES if "session_id" not in at[1]], ids=lambda at: str(at[0])
)
def test_no_other_page_names_it(at: Page, world: World) -> None:
    named = make_document(world.project, Agent.objects.get(external_id="travel"))
    member = browser(add_member(world.project, "olga"))

    shown = member.get(at[0].format(**world.parameters))

    content = b"" if shown.streaming else shown.content
    assert shown.status_code < 500
    assert named.encode() not in content
    assert b"vermilion" not in content


def figures(world: World, agent: Agent) -> list[Any]:
    now, project_id = timezone.now(), world.project.id
    return [
        storage.usage(project_id=None, largest=100).total,
        agent_activity(project_id, [agent.id]),
        busiest_agents(project_id, limit=5),
        open_counts(project_id, now=now),
    ]


def test_no_figure_counts_it(world: World) -> None:
    agent = Agent.objects.get(external_id="travel")
    before = figures(world, agent)

    make_document(world.project, agent)

    assert figures(world, agent) == before


def test_what_is_open_in_it_is_on_no_list(world: World) -> None:
    session_id = make_session(world)
    made(world.client.post(f"/v1/sessions/{session_id}/pause", {"reason": "look"}))

    def listed() -> set[str]:
        now, project_id = timezone.now(), world.project.id
        items = list_open_items(project_id, OpenKind.HELD, limit=100, now=now)
        newest = newest_open(project_id, OpenKind.HELD, now=now)
        return {one.session_id for one in (*items, *newest)}

    count = open_counts(world.project.id, now=timezone.now())[OpenKind.HELD]
    assert session_id in listed()

    be_document(session_id)

    assert session_id not in listed()
    after = open_counts(world.project.id, now=timezone.now())[OpenKind.HELD]
    assert after == count - 1


def test_a_plan_leaves_it_out_as_one_that_there_is_not(world: World) -> None:
    session_id = make_session(world)
    be_document(session_id)
    asked = {"kind": "hold", "sessions": [session_id, UNKNOWN["session_id"]]}

    plan = made(world.client.post("/v1/plans", asked))

    items = Item.objects.of_plan(plan["id"]).values("state", "code", "words")
    assert items[0] == items[1]


def test_a_child_of_it_names_a_parent_that_is_not_told(world: World) -> None:
    parent = start(world.client)
    child = start(world.client, metadata={"parent_session_id": parent})
    page = f"/console/{world.project.slug}/sessions/{child}"
    member = browser(add_member(world.project, "olga"))
    link = f"/sessions/{parent}".encode()
    assert link in member.get(page, follow=True).content

    be_document(parent)

    assert link not in member.get(page, follow=True).content


def test_a_repeated_request_finds_nothing_of_it(world: World) -> None:
    session_id = start(world.client)
    path, body = f"/v1/sessions/{session_id}/state", {"state": {"n": 9}}
    made(world.client.patch(path, body, Idempotency_Key="k"))

    be_document(session_id)

    # Nor does a key that it has seen, with another request, say that it has.
    for sent in (body, {"state": {"n": 10}}):
        assert world.client.patch(path, sent, Idempotency_Key="k").status == 404


def test_search_is_not_rebuilt_for_it(world: World) -> None:
    named = make_document(world.project, Agent.objects.get(external_id="travel"))

    with acting_as(Role.WORKER):
        rebuild.list_again(session_id=named)

    listed = rebuild.unsearched(project_id=None, session_id=named)
    assert named not in list(listed)
    assert named not in list(rebuild.sessions(project_id=None, session_id=None))


@pytest.mark.parametrize("options", [[], ["--search"]], ids=str)
def test_verifying_everything_verifies_it_too(
    world: World, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    count = Session.with_documents.count()
    assert count > Session.objects.count()

    call_command("verify", *options)

    assert f"Verified {count:,} sessions" in capsys.readouterr().out


def test_its_chain_is_signed_like_any_other(world: World) -> None:
    named = make_document(world.project, Agent.objects.get(external_id="travel"))

    assert named in sessions_after("", 1_000)


def test_there_are_three_kinds() -> None:
    assert Kind.values == ["session", "keyed", "shared"]
    assert Session._meta.get_field("kind").default == Kind.SESSION
