"""The writers: what an agent sends over the API, and what a person does in a
transaction of their own, together with its chained record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import Any

from django.core.handlers.base import BaseHandler
from django.db import transaction
from django.test import RequestFactory

from apps.accounts.models import Project
from apps.core.actors import Actor, ActorKind
from apps.core.errors import DomainError
from apps.core.http.problems.problem import ERRORS
from apps.timeline import operations as timeline
from apps.timeline.ledger.drafts import Expected, Receipt
from apps.timeline.queries.merging import (
    MergeRequest,
    Promote,
    Reapply,
    Restore,
    Revert,
)
from apps.timeline.versions.reading import Step
from apps.timeline.words import Op
from tests.acts import act_in

PERSON = Actor(kind=ActorKind.USER, id="user_carla", label="carla")


@dataclass(frozen=True)
class Verb:
    """One act, as a request and as a call of the operation behind it."""

    name: str
    method: str
    path: str
    body: Any
    call: Callable[..., Receipt]
    given: dict[str, Any]

    @property
    def names_a_head(self) -> bool:
        return self.name not in ("fork", "delete")


@dataclass(frozen=True)
class Told:
    """What a writer was told: `said` is compared with what it should have been.

    `said` is stored or replayed with the first and the last version, or refused with
    status, code and the head that the error names.
    """

    said: tuple[Any, ...]
    session_id: str | None = None
    content: bytes = b""

    @property
    def records(self) -> int:
        """How many records it leaves if a person did it: one for each version."""
        what, first, last, *_ = (*self.said, None, None)
        if what != "stored":
            return 0
        return 1 if first is None else last - first + 1


TAKEN_BACK = Told(("taken back",))


@dataclass(frozen=True)
class Writer:
    """Somebody and what they do; `expected` is the head that they name.

    A person may take it back: then the transaction is rolled back at its end.
    """

    name: str
    verb: Verb
    is_person: bool = False
    expected: int | None = None
    by_header: bool = False
    key: str | None = None
    takes_back: bool = False

    def __str__(self) -> str:
        who = "person" if self.is_person else "agent"
        named = "" if self.expected is None else f" on v{self.expected}"
        keyed = f" as {self.key}" if self.key else ""
        undone = ", taken back" if self.takes_back else ""
        return f"{who} {self.verb.name}{named}{keyed}{undone}"


def update(name: str) -> Verb:
    return _merging({name: 1})


def ask(name: str) -> Verb:
    """Ask for a human, in the state."""
    return _merging({"escalated": True})


def answer(name: str) -> Verb:
    return _merging({"escalated": False})


def lose(name: str) -> Verb:
    """Turn a value null: the version has a flag."""
    return _merging({"n": None})


def _merging(state: dict[str, Any]) -> Verb:
    return Verb(
        "append", "PATCH", "/state", {"state": state}, timeline.update,
        {"patch": state, "step": Step()},
    )  # fmt: skip


def replace(name: str) -> Verb:
    return Verb(
        "replace", "PUT", "/state", {"state": {name: 2}}, timeline.replace,
        {"state": {name: 2}, "step": Step()},
    )  # fmt: skip


def batch(name: str) -> Verb:
    states = [{name: number} for number in (1, 2, 3)]
    items = [timeline.BatchItem(op=Op.UPDATE, state=s, step=Step()) for s in states]
    body = {"versions": [{"state": state} for state in states]}
    call, given = timeline.append_batch, {"items": items}
    return Verb("batch", "POST", "/versions", body, call, given)


def turn(name: str) -> Verb:
    said = {"input": {"content": name}, "output": {"content": "ok"}}
    given = {
        "exchange": timeline.Exchange(**said),
        "state_after": {"said": name},
        "step": Step(),
    }
    body = {**said, "state_after": {"said": name}}
    return Verb("turn", "POST", "/turns", body, timeline.add_turn, given)


def remark(name: str) -> Verb:
    """A turn that makes no version: only the session's lock gives it a number."""
    said = {"input": {"content": name}, "output": {"content": "ok"}}
    given = {"exchange": timeline.Exchange(**said), "step": Step()}
    return Verb("remark", "POST", "/turns", said, timeline.add_turn, given)


def rollback(name: str) -> Verb:
    given = {"to": -1, "step": Step()}
    body = {"version": -1}
    return Verb("rollback", "POST", "/rollback", body, timeline.rollback, given)


def rollback_and_hold(name: str) -> Verb:
    given = {"to": 0, "hold": True, "step": Step()}
    body = {"version": 0, "hold": True}
    return Verb("hold", "POST", "/rollback", body, timeline.rollback, given)


def revert(name: str) -> Verb:
    body = {"first_version": 2, "last_version": 2}
    return _merge("revert", body, Revert(first=2, last=2))


def restore(name: str) -> Verb:
    body = {"version": 0, "pointers": ["/n"]}
    return _merge("restore", body, Restore(version=0, pointers=("/n",)))


def reapply(name: str) -> Verb:
    """Apply again what a rollback to version 0 has set aside."""
    body = {"first_version": 1, "last_version": 2}
    return _merge("reapply", body, Reapply(first=1, last=2))


def promote(name: str) -> Verb:
    """Promote the fork that the session has; see `of_fork`."""
    return _merge("promote", {"fork": ""}, Promote(fork_id=""))


def of_fork(writer: Writer, fork: str) -> Writer:
    """Name the fork of the session that a promotion is to come to."""
    if writer.verb.name != "promote":
        return writer
    verb = _merge("promote", {"fork": fork}, Promote(fork_id=fork))
    return replaced(writer, verb=verb)


def _merge(name: str, body: dict[str, Any], request: MergeRequest) -> Verb:
    given = {"request": request, "choices": {}, "step": Step()}
    return Verb(name, "POST", f"/{name}", body, timeline.merge, given)


def fork(name: str) -> Verb:
    given = {"about": timeline.About(), "step": Step()}
    return Verb("fork", "POST", "/fork", {}, _fork, given)


def _fork(*, session_id: str, **given: Any) -> timeline.Receipt:
    return timeline.fork(origin=timeline.Origin(session_id=session_id), **given)


def pause(name: str) -> Verb:
    given = {"step": Step()}
    return Verb("pause", "POST", "/pause", {}, timeline.pause, given)


def resume(name: str) -> Verb:
    given = {"step": Step()}
    return Verb("resume", "POST", "/resume", {}, timeline.resume, given)


def close(name: str) -> Verb:
    given = {"step": Step()}
    return Verb("close", "POST", "/close", {}, timeline.close, given)


def delete(name: str) -> Verb:
    given = {"step": Step()}
    return Verb("delete", "DELETE", "", None, timeline.delete, given)


class Doors:
    """How writers come in: agents with a key of the project, people past the API."""

    def __init__(self, project: Project, secret: str) -> None:
        self.project = project
        self.secret = secret
        self.handler = BaseHandler()
        self.handler.load_middleware()
        self.requests = RequestFactory()

    def act(self, writer: Writer, session_id: str) -> Callable[[], Told]:
        act = self._as_a_person if writer.is_person else self._as_an_agent
        return lambda: act(writer, session_id)

    def _as_an_agent(self, writer: Writer, session_id: str) -> Told:
        verb, headers = writer.verb, {"X-API-Key": self.secret}
        body = verb.body
        if writer.expected is not None and writer.by_header:
            headers["If-Match"] = f'"v{writer.expected}"'
        elif writer.expected is not None:
            body = {**body, "expected_version": writer.expected}
        if writer.key:
            headers["Idempotency-Key"] = writer.key
        # Not by the test client: it switches signals, which threads share, and would
        # close the connections of others.
        request = self.requests.generic(
            verb.method,
            f"/v1/sessions/{session_id}{verb.path}",
            b"" if body is None else json.dumps(body).encode(),
            content_type="" if body is None else "application/json",
            headers=headers,
        )
        response = self.handler.get_response(request)
        return _answered(verb, response)

    def _as_a_person(self, writer: Writer, session_id: str) -> Told:
        try:
            if not writer.takes_back:
                return self._called(writer, session_id)
            with transaction.atomic():
                self._called(writer, session_id)
                transaction.set_rollback(True)
        except DomainError as error:
            status = ERRORS[error.code][0]
            return Told(("refused", status, error.code, error.details.get("head")))
        return TAKEN_BACK

    def _called(self, writer: Writer, session_id: str) -> Told:
        """Call the operation, which records in its transaction what people do."""
        verb = writer.verb
        named = Expected(number=writer.expected, from_header=writer.by_header)
        digest = hashlib.sha256(repr((verb.path, verb.body)).encode()).digest()
        receipt = verb.call(
            act=act_in(self.project, PERSON, key=writer.key, digest=digest),
            session_id=session_id,
            **({"expected": named} if verb.names_a_head else {}),
            **verb.given,
        )
        said = "replayed" if receipt.is_replay else "stored"
        return Told((said, *_numbers(verb, receipt)), receipt.session_id)


def _answered(verb: Verb, response: Any) -> Told:
    body = json.loads(response.content) if response.content else {}
    if response.status_code >= 300:
        error = body["error"]
        code, head = error["code"], error.get("head")
        return Told(("refused", response.status_code, code, head))
    said = "replayed" if response.headers.get("Idempotent-Replayed") else "stored"
    if verb.name == "delete":
        return Told((said, None, None), content=response.content)
    if verb.name == "remark":
        return Told((said, None, body["turn_number"]), body["session_id"])
    first = body.get("first_version", body["version"])
    session_id = body["id"] if verb.name == "fork" else body["session_id"]
    return Told((said, first, body["version"]), session_id, response.content)


def _numbers(verb: Verb, receipt: Receipt) -> tuple[int | None, int | None]:
    if verb.name == "delete":
        return None, None
    if verb.name == "remark":
        return None, receipt.turn_number
    first = receipt.first_number
    return (receipt.number if first is None else first), receipt.number
