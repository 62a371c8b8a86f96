"""An agent whose run shows what a field or a parameter does, and how to prove it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.accounts.models import Scope
from tests.conftest import Answer, Api, make_project
from tests.contracts.world import client_of
from tests.timeline.runs import Run, begin

SESSION = "/v1/sessions/{id}"


@dataclass(frozen=True)
class Agent:
    """An agent's run of three versions and two turns, and a client for all of it."""

    run: Run
    other: Run
    admin: Api
    turns: tuple[str, ...]

    def ask(self, route: str, body: Any = None, query: Any = None) -> Answer:
        method, _, path = route.partition(" ")
        path = path.format(id=self.run.id, agent="billing")
        return self.admin.send(method, path, body, None, query)

    def done(self, route: str, body: Any = None, query: Any = None) -> Any:
        answer = self.ask(route, body, query)
        assert answer.status < 300, answer.content
        return answer.body

    def ids(self, route: str, **query: Any) -> list[str]:
        return [one["id"] for one in self.done(route, None, query)["data"]]


def make_agent() -> Agent:
    project = make_project("checkout")
    run = begin(
        client_of(project, Scope.WRITE),
        {"n": 0},
        user_id="u-1",
        metadata={"order": "A-1"},
    )
    run.patch({"n": 1})
    first = run.turn("one", "1")["id"]
    second = run.turn("two", "2", state_after={"n": 2})["id"]
    run.patch({"n": 3})
    other = begin(run.client, agent_id="other", user_id="u-2")
    admin = client_of(project, Scope.ADMIN)
    told = {"name": "Billing", "external_id": "billing", "team": "money", "owner": "a"}
    admin.post("/v1/agents", told)
    return Agent(run, other, admin, (first, second))


Proof = Callable[[Agent], bool]
CREATE, FORK = "POST /v1/sessions", f"POST {SESSION}/fork"
ADD_TURN = f"POST {SESSION}/turns"
SOON = (datetime.now().astimezone() + timedelta(days=1)).isoformat()
LATELY = (datetime.now().astimezone() - timedelta(days=1)).isoformat()


def made(**fields: Any) -> Callable[[Agent], Any]:
    return lambda one: one.done(CREATE, {"agent_id": "a", **fields})


def said(route: str, body: Any, name: str = "reasoning") -> Proof:
    """Prove that a write tells why it was made."""

    def proof(one: Agent) -> bool:
        number = one.done(route, body)["version"]
        return bool(one.run.get("versions", number)[name] == "because")

    return proof


def forked(one: Agent, **fields: Any) -> Any:
    return one.done(FORK, fields)


def back_to(route: str, **fields: Any) -> Callable[[Agent], int]:
    return lambda one: int(one.done(route, fields)["restored_from_version"])


def turn(one: Agent, **fields: Any) -> Any:
    return one.done(ADD_TURN, {"input": "i", "output": "o", **fields})


def filtered(route: str, name: str, value: str, other: str) -> Proof:
    """Prove that a filter keeps something, and that another value keeps nothing."""

    def proof(one: Agent) -> bool:
        told = value.replace("{id}", one.run.id)
        kept = one.ids(route, **{name: told, "limit": 100})
        every = one.ids(route, limit=100)
        return bool(kept) and kept != every and not one.ids(route, **{name: other})

    return proof


def paged(route: str) -> dict[tuple[str, str], Proof]:
    def after(one: Agent) -> bool:
        first, second = one.ids(route, limit=2)
        return one.ids(route, limit=1, starting_after=first) == [second]

    return {
        (route, "limit"): lambda one: len(one.ids(route, limit=1)) == 1,
        (route, "starting_after"): after,
    }


def between(route: str, names: tuple[str, ...]) -> dict[tuple[str, str], Proof]:
    """Prove that times bound a list: `names` are one for after, one for before."""
    after, before = names
    return {
        (route, after): lambda one: (
            bool(one.ids(route, **{after: LATELY}))
            and not one.ids(route, **{after: SOON})
        ),
        (route, before): lambda one: (
            bool(one.ids(route, **{before: SOON}))
            and not one.ids(route, **{before: LATELY})
        ),
    }
