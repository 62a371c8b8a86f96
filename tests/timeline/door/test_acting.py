"""The door begins effects as the ordinary view does, or leaves them to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from apps.accounts import recognition
from apps.approvals import operations as approvals
from apps.approvals.operations import NewRule
from apps.core import json
from apps.timeline.models import Effect, EffectStep
from tests.acts import act_in
from tests.timeline.door.road import Road, Told, ask, written
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db(transaction=True)

OWN = re.compile(
    rb'(?:sess|eff|appr)_[0-9a-hjkmnp-tv-z]{26}|"provider_key":"[^"]+"'
    rb"|\d{4}-\d\d-\d\dT[\d:]+(\.\d+)?Z"
)
MAIL = {"key": "mail", "tool": "send_mail", "arguments": {"to": "ann", "n": 10**30}}


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    recognition.CALLERS.clear()
    yield
    recognition.CALLERS.clear()


class Pair:
    """Two equal sessions: in one effects begin through the door, in one without it."""

    def __init__(self, road: Road, secret: str, begin: Begin) -> None:
        self.road, self.secret = road, secret
        self.one, self.other = begin({"a": 1}), begin({"a": 1})

    def ask(self, body: Any, *, passed: bool = False, **environ: Any) -> Told:
        """Assert that both answer the same, and who answered; return what it was."""
        data = body if isinstance(body, bytes) else json.dumps(body)
        self.road.passed.clear()
        told = self._asked(self.road.door, self.one, data, environ)
        assert bool(self.road.passed) == passed
        ordinary = self._asked(self.road.ordinary, self.other, data, environ)
        assert _common(told) == _common(ordinary)
        return told

    def _asked(self, door: Any, run: Run, data: bytes, environ: Any) -> Told:
        path = run.path("effects")
        return ask(door, written("POST", path, self.secret, data, **environ))


@pytest.fixture
def pair(road: Road, begin: Begin, secret: str) -> Pair:
    return Pair(road, secret, begin)


def _common(told: Told) -> tuple[Any, ...]:
    status, names, headers, content = told.lasting
    for name in ("X-Request-Id", "Content-Length"):
        headers.pop(name, None)
    return status, names, headers, OWN.sub(b"?", content)


def shown(run: Run) -> Any:
    (one,) = run.get("effects")["data"]
    own = ("id", "session_id", "provider_key", "deadline", "created_at", "updated_at")
    return {name: value for name, value in one.items() if name not in own}


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"class": "irreversible", "number": 0, "call_id": "call_1"},
        {"class": "read", "takes_provider_key": True, "arguments": None},
        {"key": "é" * 200, "arguments": {"ü": [1.5, None, {"a": "🙂"}]}},
    ],
)
def test_it_begins_what_the_view_begins(pair: Pair, said: Any) -> None:
    told = pair.ask(MAIL | said)

    assert told.status.startswith("201")
    assert shown(pair.one) == shown(pair.other)


def test_what_was_done_is_answered_as_it_was(pair: Pair) -> None:
    pair.ask(MAIL)
    for run in (pair.one, pair.other):
        (effect,) = run.get("effects")["data"]
        end = {"attempt": 1, "status": "done", "result": {"id": 10**30}}
        run.post(f"effects/{effect['id']}/finish", end)

    assert pair.ask(MAIL).status.startswith("200")


def test_what_the_record_has_is_answered_as_by_the_view(pair: Pair) -> None:
    read = MAIL | {"class": "read", "cache": {"ttl": 60, "set_aside": False}}
    pair.ask(read)
    for run in (pair.one, pair.other):
        (effect,) = run.get("effects")["data"]
        end = {"attempt": 1, "status": "done", "result": {"id": 10**30}}
        run.post(f"effects/{effect['id']}/finish", end)

    told = pair.ask(read | {"key": "again", "call_id": "call_1"})

    answer = json.parse(told.content)
    assert (answer["run"], answer["result"]) == (False, {"id": 10**30})
    assert pair.ask(read | {"key": "again"}).content == told.content
    (newest, _) = pair.one.get("effects")["data"]
    assert (newest["id"], newest["status"]) == (answer["id"], "reused")


def test_what_failed_begins_again(pair: Pair) -> None:
    pair.ask(MAIL | {"number": 0})
    for run in (pair.one, pair.other):
        (effect,) = run.get("effects")["data"]
        run.post(f"effects/{effect['id']}/finish", {"attempt": 1, "status": "failed"})
        run.patch({"b": 1})

    again = pair.ask(MAIL | {"number": 1})

    assert json.parse(again.content)["attempt"] == 2
    assert shown(pair.one) == shown(pair.other)


@pytest.mark.parametrize(
    "said",
    [
        {"key": ""},
        {"key": "k" * 201},
        {"key": 1},
        {"class": "safe"},
        {"arguments": [1]},
        {"number": 7},
        {"number": -1},
        {"number": True},
        {"deadline": "2020-01-01"},
        {"undo": {"tool": "unsend"}},
        {"klass": "read"},
        {"cache": {"ttl": 60}},
        {"class": "read", "cache": {"ttl": 0}},
        {"class": "read", "cache": {"scope": "agent"}},
        {"class": "read", "cache": {"ttl": 60, "scope": "world"}},
        {"class": "read", "cache": {"ttl": 60, "for": "ever"}},
        {"class": "read", "cache": {"ttl": 60, "set_aside": 1}},
    ],
)
def test_what_is_refused_the_view_refuses(pair: Pair, said: Any) -> None:
    told = pair.ask(MAIL | said, passed=True)

    assert told.status[0] == "4"
    assert not Effect.objects.exists()


def test_what_runs_already_is_refused_by_the_view(pair: Pair) -> None:
    pair.ask(MAIL)

    assert pair.ask(MAIL, passed=True).status.startswith("409")
    assert EffectStep.objects.count() == 2


def test_what_an_idempotency_key_repeats_is_left_to_the_view(
    pair: Pair, secret: str
) -> None:
    path, data = pair.one.path("effects"), json.dumps(MAIL)

    asked = [
        ask(
            pair.road.door,
            written("POST", path, secret, data, HTTP_IDEMPOTENCY_KEY="once"),
        )
        for _ in range(2)
    ]

    assert pair.road.passed == [path, path]
    assert asked[0].content == asked[1].content
    assert Effect.objects.count() == 1


def test_what_a_rule_means_waits_for_people(pair: Pair, project: Any) -> None:
    agent = pair.one.get()["agent_id"]
    approvals.create_rule(
        act=act_in(project), reference=agent, said=NewRule(tool="send_mail")
    )

    told = pair.ask(MAIL)

    assert told.status.startswith("202")
    assert json.parse(told.content)["approval"]["status"] == "pending"
    assert not Effect.objects.exists()
