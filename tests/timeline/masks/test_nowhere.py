"""What is masked is told nowhere: by no page and no route to who may not see it.

Pages and routes come from the URL resolver, so a new one is among them at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role, Scope
from apps.meaning.past import sweeping
from apps.webhooks import operations as webhooks
from tests.acts import act_in
from tests.console.test_hostile import QUERIES
from tests.contracts.routes import Route, api_routes, page_routes
from tests.contracts.world import World, add_member, client_of, make_world
from tests.erasures.leaving import done, leave
from tests.feeding import feed_all
from tests.timeline.effects.acting import begun
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
# One stands at masked places alone, the other wherever somebody has left it.
PLACED, WORD = "placedbird4417", "canarybird7361"
MASKS = [
    {"pointer": "/**/secret", "style": "hide"},
    {"pattern": "words", "words": [WORD], "style": "hide"},
]
SESSION = "/console/{slug}/sessions/{session_id}"
VALUE = f"{SESSION}/versions/{{number}}/value"
# Beside what hostile pages ask for: what leads to the canaries.
ASKED = {
    "/console/{slug}/sessions": ["q=again", "q=Because", "q=changed:state.customer"],
    "/console/{slug}/compare": ["left={session_id}&right={fork_id}&left_version=4"],
    "/console/{slug}/memories": ["words=Likes"],
    "/console/{slug}/memories/back": ["session={session_id}"],
    "/console/{slug}/meaning": ["q=Likes"],
    "/console/{slug}/agents/{agent_id}/data": ["words=vip", "under="],
    "/console/{slug}/agents/{agent_id}/data/key": ["key=vip", "key=vip&raw=1"],
    VALUE: [
        *("pointer=/secret", "pointer=/customer", "pointer=/customer&raw=1"),
        "pointer=/customer/secret&against=1",
    ],
    f"{SESSION}/bisect": ["check=there:state.name", "check=state.n>1&every=1"],
    f"{SESSION}/versions/{{number}}/blame": ["pointer=/name", "pointer=/n"],
    f"{SESSION}/versions/{{number}}": [
        *("tab=state&find=secret", "against=1", "against=3&view=side"),
    ],
}


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
def parameters(world: World) -> dict[str, Any]:
    """Both canaries, everywhere, and the parameters of what holds them."""
    run = leave(world.client, user=WORD, canary=WORD)
    secret = {"secret": PLACED}
    run.patch({"customer": secret, "secret": {"deep": [PLACED]}})
    run.patch({"customer": {"secret": f"{PLACED} again", "n": 2}})
    put(world, run, secret)
    effect = begun(run, key="second", arguments={"to": secret})
    run.post("approvals", {"tool": "refund", "arguments": secret})
    approvals = done(world.client.get("/v1/approvals"))["data"]
    documents = "/v1/agents/travel/data"
    said = {"key": "vip", "value": f'{{"secret": "{PLACED}", "a": "{WORD}"}}'}
    done(world.client.post(documents, said))
    world.admin.put(run.path("review"), {"outcome": "fine", "why": WORD})
    fork = run.fork()
    feed_all()
    sweeping.sweep(now=timezone.now())
    return world.parameters | {
        "session_id": run.id,
        "thread_id": run.id,
        "number": "2",
        "fork_id": fork.id,
        "turn_id": run.get("turns")["data"][0]["id"],
        "effect_id": effect["id"],
        "approval_id": next(a["id"] for a in approvals if a["session_id"] == run.id),
        "memory_id": run.get("memories")["data"][0]["id"],
        "key": "vip",
        "evil": "nothing",
    }


def put(world: World, run: Run, secret: dict[str, Any]) -> None:
    done(
        world.client.put(
            run.path("state"),
            {
                "state": {"customer": secret, "secret": PLACED, "list": [secret]},
                "messages": [{"role": "user", "content": WORD, "secret": PLACED}],
                "tool_results": {"call": secret},
                "opaque": {
                    "mine": {"media_type": "a/b", "base64": "cGxhY2VkYmlyZDQ0MTc="}
                },
            },
        )
    )


def pages(browser: Client, values: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    for pattern, names in page_routes():
        if not all(name in values for name in names):
            continue
        for query in ["", *QUERIES.get(pattern, []), *ASKED.get(pattern, [])]:
            query = query.format(**values)
            answer = browser.get(f"{pattern.format(**values)}?{query}")
            yield f"{pattern}?{query}", answer.status_code, text_of(answer)


def routes(client: Any, values: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    for route in reading():
        answer = route.call(client, values)
        yield str(route), answer.status, answer.content.decode()


def reading() -> list[Route]:
    return [one for one in api_routes() if not one.is_write]


def text_of(answer: Any) -> str:
    content = b"".join(answer) if answer.streaming else answer.content
    told = [f"{name}: {value}" for name, value in answer.headers.items()]
    return "\n".join([bytes(content).decode(errors="replace"), *told])


def signed_in(world: World, name: str, role: Role) -> Client:
    browser = Client(raise_request_exception=False)
    browser.force_login(add_member(world.project, name, role), BACKEND)
    return browser


def telling(found: list[tuple[str, int, str]]) -> list[str]:
    return [
        f"{name} {status} {canary}"
        for name, status, text in found
        for canary in (PLACED, WORD)
        if canary in text
    ]


def mask(world: World) -> None:
    act = act_in(world.project)
    accounts.set_masks(act=act, project=world.project, masks=masks_of(MASKS))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_no_page_tells_whoever_is_masked(
    world: World, parameters: dict[str, Any], role: Role
) -> None:
    clear = telling(list(pages(signed_in(world, "before", role), parameters)))
    # It would prove nothing if the canaries were never told.
    assert len(clear) > 40, clear
    mask(world)

    found = list(pages(signed_in(world, "reader", role), parameters))

    assert telling(found) == []
    assert [(name, status) for name, status, _ in found if status >= 500] == []


def test_no_route_tells_a_masked_key(world: World, parameters: dict[str, Any]) -> None:
    mask(world)
    key = client_of(world.project, Scope.MASKED)

    found = list(routes(key, parameters))

    assert telling(found) == []
    assert {status for _, status, _ in found} <= {200, 403, 404, 422}
