"""What was erased is told nowhere: no route, page, export or search has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.approvals import operations as approvals
from apps.approvals.words import Verdict
from apps.core.roles.names import Role
from apps.erasures import running
from apps.meaning.past import sweeping
from apps.webhooks import operations as webhooks
from tests.acting import acting_as
from tests.acts import act_in
from tests.contracts.routes import Route, api_routes, page_routes
from tests.contracts.world import World, add_member, make_world
from tests.erasures.leaving import begun_erasure, done, found_in, leave
from tests.feeding import feed_all
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
# What is asked for is echoed: another word of the text is searched for.
WORD, CANARY = "zanzibarword", "canarybird7361"
TEXT = f"{WORD}-{CANARY}"
# Pages that search, or look from a session.
SEARCHED = ("/sessions", "/meaning", "/memories", "/memories/back", "/export", "/plans")
QUERIES = ["", "?q={word}", "?query={word}", "?session={session}"]
ASKING = ("q", "query", "words", "search")


@pytest.fixture
def world(db: None) -> World:
    made = make_world()
    act = act_in(made.project)
    accounts.set_search_by_meaning(act=act, project=made.project, is_on=True)
    webhooks.create(
        url="https://receiver.example/all",
        kinds=["version.created", "turn.added", "approval.decided"],
        act=act,
    )
    return made


@pytest.fixture
def person(world: World) -> tuple[Run, dict[str, Any]]:
    """Who left a canary everywhere, and the parameters of what that is."""
    run = leave(world.client, canary=TEXT)
    world.admin.put(run.path("review"), {"outcome": "fine", "why": TEXT})
    summary = run.post("summaries", {"first_turn": 1, "last_turn": 1, "text": TEXT})
    done(world.admin.patch(run.path(), {"metadata": {"vip": TEXT}}))
    approval = next(
        one["id"]
        for one in done(world.client.get("/v1/approvals"))["data"]
        if one["session_id"] == run.id
    )
    said = approvals.Said(verdict=Verdict.APPROVE, comment=TEXT)
    voter = actor_of(add_member(world.project, "voter"))
    approvals.vote(act=act_in(world.project, voter), approval_id=approval, said=said)
    fork = run.fork()
    feed_all()
    sweeping.sweep(now=timezone.now())
    memories = run.get("memories")["data"]
    return run, {
        "session_id": run.id,
        "thread_id": run.id,
        "number": "1",
        "fork_id": fork.id,
        "turn_id": run.get("turns")["data"][0]["id"],
        "effect_id": run.get("effects")["data"][0]["id"],
        "summary_id": summary["id"],
        "approval_id": approval,
        "memory_id": memories[0]["id"],
    }


def reading(world: World) -> list[Route]:
    return [one for one in api_routes() if not one.is_write]


def told(world: World, values: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Yield what each route that reads, and each page, tells an administrator."""
    parameters = world.parameters | values
    for route in reading(world):
        query = {
            name: WORD if name in ASKING else text for name, text in route.query.items()
        }
        body = route.filled(parameters)
        if isinstance(body, dict):
            body = {k: WORD if k in ASKING else v for k, v in body.items()}
        path = route.path(parameters)
        answer = world.admin.send(route.method, path, body, query=query or None)
        yield str(route), answer.status, answer.content.decode()
    browser = Client(raise_request_exception=False)
    browser.force_login(add_member(world.project, f"reader-{len(values)}"), BACKEND)
    for pattern, names in page_routes():
        if not all(name in parameters for name in names):
            continue
        queries = QUERIES if pattern.endswith(SEARCHED) else [""]
        for query in queries:
            query = query.format(word=WORD, session=parameters["session_id"])
            page = browser.get(pattern.format(**parameters) + query)
            yield pattern + query.partition("=")[0], page.status_code, text_of(page)


def text_of(answer: Any) -> str:
    content = b"".join(answer) if answer.streaming else answer.content
    return bytes(content).decode()


def test_no_route_page_export_or_search_tells_of_who_is_erased(
    world: World, person: tuple[Run, dict[str, Any]], journal: Path
) -> None:
    run, values = person
    before = {name for name, _, text in told(world, values) if CANARY in text}
    # It would prove nothing if the canary were never told.
    assert len(before) > 50, sorted(before)
    assert len(found_in(CANARY)) > 15
    begun_erasure(world.admin, user_id="ann")

    with acting_as(Role.RETENTION):
        assert running.sweep(now=timezone.now()) == 1
    feed_all()

    after = list(told(world, values | {"": ""}))
    assert [name for name, _, text in after if CANARY in text] == []
    assert [name for name, status, _ in after if status >= 500] == []
    assert found_in(CANARY) == {}
    assert world.admin.get(run.path()).status == 404
