"""The door tells of agents' data what the views tell, or leaves it to them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from django.db import OperationalError
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts import recognition
from apps.accounts.models import ApiKey, Project, Scope
from apps.agents.models import Agent
from apps.audit.models import AuditRecord, Event
from apps.core import json, sql
from apps.data.api import plain
from apps.data.documents import enforcing, known
from apps.timeline.models import Entry, KeyHead, Session, Tally, Version
from apps.timeline.verification.documents.walk import DocumentWalk
from tests.acts import act_by
from tests.conftest import Answer, Api
from tests.data.conftest import Store, made
from tests.timeline.door.road import (
    Road,
    Told,
    ask,
    connections_of_door,
    request,
    road_through,
    written,
)
from tests.timeline.runs import Keys

pytestmark = pytest.mark.django_db(transaction=True)

# What two agents, and two answers, never have in common.
OWN = re.compile(
    rb'(?:agent|aud)_[0-9a-hjkmnp-tv-z]{26}|"\d{4}-\d\d-\d\dT[\d:]+\.\d+Z"|billing|spare'
)


@dataclass
class Pair:
    """Two agents with equal data: one is asked through the door, one without it."""

    road: Road
    secret: str | None
    one: Store
    other: Store

    def send(self, method: str, place: str, body: Any = None, **environ: Any) -> Told:
        """Assert that both answer the same; return what the door's side answered."""
        self.road.passed.clear()
        told = ask(self.road.door, self.asked(self.one, method, place, body, **environ))
        ordinary = ask(
            self.road.ordinary, self.asked(self.other, method, place, body, **environ)
        )
        assert _common(told) == _common(ordinary)
        return told

    def by_door(self, *asked: Any, **environ: Any) -> Told:
        """As `send`, and assert that the door answered it."""
        told = self.send(*asked, **environ)
        assert not self.road.passed
        return told

    def by_view(self, *asked: Any, **environ: Any) -> Told:
        """As `send`, and assert that the door left it to the view, once."""
        told = self.send(*asked, **environ)
        assert len(self.road.passed) == 1
        return told

    def both(self, act: Callable[[Store], Answer]) -> None:
        """Have the same done to both agents, by a client."""
        for store in (self.one, self.other):
            made(act(store))

    def kept(self) -> Any:
        """Assert that as much was stored and recorded of both; return that."""
        (one, other) = (_kept(store) for store in (self.one, self.other))
        assert one == other
        return one

    def asked(
        self, store: Store, method: str, place: str, body: Any, **environ: Any
    ) -> dict[str, Any]:
        """Return the request, to one of the agents."""
        path = f"{store.path}{place}"
        if body is None:
            return request(path, self.secret, REQUEST_METHOD=method, **environ)
        data = body if isinstance(body, bytes) else json.dumps(body)
        return written(method, path, self.secret, data, **environ)


@pytest.fixture
def pair(api: Callable[..., Api], make_key: Keys) -> Iterator[Pair]:
    """Two agents with a value each, whom the process has come to know."""
    recognition.CALLERS.clear()
    secret = make_key()
    client = api(secret)
    stores = []
    for name in ("billing", "spare"):
        made(client.post("/v1/agents", {"name": name, "external_id": name}))
        store = Store(client, name)
        made(store.write("user:1", "Ann", metadata={"ü": [1, None, 2.5]}))
        made(store.read("user:1"))
        stores.append(store)
    with connections_of_door() as pool:
        yield Pair(road_through(plain.plain_cases(pool)), secret, *stores)
    recognition.CALLERS.clear()


WRITES: list[Any] = [
    {"key": "user:2", "value": "Bob"},
    {"key": "user:1", "value": "Zoë 東京 🙂", "metadata": {"big": 10**40, "n": None}},
    {"key": "user:1", "value": "", "metadata": None, "reasoning": "It was asked for."},
    {"key": "user:1", "value": "Eve", "expected_version": 3},
    {"key": "a/b c ü", "value": "x" * 200_000, "expected_version": 0, "reasoning": ""},
    {"key": "user:1", "value": "Ann", "expected_version": None},
]
ODD_WRITES: list[tuple[Any, dict[str, str]]] = [
    (b"{", {}),
    (b"[]", {}),
    ({}, {}),
    ({"key": "a"}, {}),
    ({"key": None, "value": "v"}, {}),
    ({"key": "", "value": "v"}, {}),
    ({"key": "a?b", "value": "v"}, {}),
    ({"key": "a", "value": 5}, {}),
    (b'{"key": "a", "value": "\\ud800"}', {}),
    (b'{"key": "a", "value": "\\u0000"}', {}),
    (b'{"key": "a", "value": "v", "metadata": {"n": NaN}}', {}),
    ({"key": "a", "value": "v", "metadata": []}, {}),
    ({"key": "a", "value": "v", "metadata": {"n": "x" * 17_000}}, {}),
    ({"key": "a", "value": "v", "valeu": 1}, {}),
    ({"key": "a", "value": "v", "reasoning": "x" * 32_769}, {}),
    ({"key": "a", "value": "v", "expected_version": -1}, {}),
    ({"key": "user:1", "value": "v", "expected_version": 7}, {}),
    ({"key": "a", "value": "v"}, {"HTTP_IDEMPOTENCY_KEY": "a,b"}),
    ({"key": "a", "value": "v"}, {"HTTP_PREFER": "handling=lenient"}),
    ({"key": "a", "value": "v"}, {"CONTENT_TYPE": "text/plain"}),
    ({"key": "a", "value": "v"}, {"QUERY_STRING": "a=1"}),
    ({"key": "a", "value": "v"}, {"HTTP_ACCEPT": "text/html"}),
]


@pytest.mark.parametrize("root", ["/v1", ""])
def test_a_plain_write_and_its_read_are_answered_by_the_door_as_by_the_views(
    pair: Pair, root: str
) -> None:
    pair.one, pair.other = (
        Store(one.client, one.agent, root) for one in (pair.one, pair.other)
    )
    for body in WRITES:
        told = pair.by_door("POST", "/data", body)
        assert json.parse(told.content)["allowed"] is True

    told = pair.by_door("GET", "/data/user:1")
    again = pair.by_door("GET", "/data/user:1")

    assert told.code == again.code == 200
    assert json.parse(told.content)["value"] == "Ann"
    assert pair.kept()["versions"] == 1 + len(WRITES)
    for store in (pair.one, pair.other):
        assert made(store.client.get(f"{store.path}/audit/verify"))["valid"]


def test_what_is_refused_or_odd_is_left_to_the_view(pair: Pair) -> None:
    for body, environ in ODD_WRITES:
        pair.by_view("POST", "/data", body, **environ)
    for place in (
        *("/data/absent", "/data/batch", "/data/search", "/data/prefix/user"),
        *("/data/user:1/full", "/data/user:1/versions", "/data/%C3%BC", "/data"),
        *("/data/user:1\u00e9", "/data/", "/config"),
    ):
        pair.by_view("GET", place)
    for environ in ({"QUERY_STRING": "at=1"}, {"HTTP_PREFER": "x"}):
        pair.by_view("GET", "/data/user:1", **environ)
    pair.by_view("DELETE", "/data/user:1", **{"QUERY_STRING": "x=1"})

    pair.kept()


def test_a_write_with_an_idempotency_key_is_the_views(pair: Pair) -> None:
    body, key = {"key": "a", "value": "v"}, {"HTTP_IDEMPOTENCY_KEY": "once"}
    asked = pair.asked(pair.one, "POST", "/data", body, **key)

    first, again = ask(pair.road.door, asked), ask(pair.road.door, asked)

    assert len(pair.road.passed) == 2
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.content == first.content


def test_the_same_write_sent_again_gets_its_answer(pair: Pair) -> None:
    body = {"key": "user:2", "value": "Bob"}

    first = pair.by_door("POST", "/data", body)
    asked = pair.asked(pair.one, "POST", "/data", body)
    by_view, again = ask(pair.road.ordinary, asked), ask(pair.road.door, asked)

    assert first.content == by_view.content == again.content
    assert pair.kept()["versions"] == 2


def test_a_blocked_write_is_recorded_by_the_view_alone(pair: Pair) -> None:
    pair.both(lambda store: store.policies(block_pii=True, max_keys_per_agent=2))
    pair.by_door("POST", "/data", {"key": "user:2", "value": "fine"})

    for body in (
        {"key": "user:2", "value": "ann@example.com"},
        {"key": "user:3", "value": "one too many"},
    ):
        told = pair.by_view("POST", "/data", body)
        assert json.parse(told.content)["allowed"] is False

    kept = pair.kept()
    assert kept["results"].count("blocked") == 2
    assert kept["events"].count("data.blocked") == 2


def test_a_floor_that_is_set_holds_for_the_next_plain_write(
    pair: Pair, api: Callable[..., Api], make_key: Keys
) -> None:
    pair.by_door("POST", "/data", {"key": "user:2", "value": "fine"})

    floor = {"policies": {"block_pii": True}}
    made(api(make_key(Scope.ADMIN)).put("/v1/project/policies", floor))

    body = {"key": "user:2", "value": "ann@example.com"}
    told = json.parse(pair.by_view("POST", "/data", body).content)
    assert (told["allowed"], told["floor"]) == (False, True)


@pytest.mark.parametrize("value", ["ann@example.com", "fine"])
def test_a_config_that_another_process_has_set_holds_for_the_next_plain_write(
    pair: Pair, value: str
) -> None:
    pair.by_door("POST", "/data", {"key": "user:2", "value": "ann@example.com"})
    before = OrderedDict(known.CONFIGS._facts)
    pair.both(lambda store: store.policies(block_pii=True, max_keys_per_agent=2))
    known.CONFIGS._facts = before

    body = {"key": "user:2", "value": value}
    send = pair.by_door if value == "fine" else pair.by_view
    told = json.parse(send("POST", "/data", body).content)

    assert told["allowed"] is (value == "fine")
    known.CONFIGS._facts = before
    pair.by_view("POST", "/data", {"key": "user:3", "value": "one too many"})
    kept = pair.kept()
    assert kept["results"].count("blocked") == 1 + (value != "fine")


def test_a_config_that_is_no_longer_remembered_is_read_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.both(lambda store: store.policies(max_keys_per_agent=9))
    pair.by_door("POST", "/data", {"key": "user:2", "value": "v"})
    monkeypatch.setattr(enforcing, "_remembered", enforcing._Remembered())

    pair.by_door("POST", "/data", {"key": "user:2", "value": "w"})

    assert pair.kept()["versions"] == 4


def test_a_key_that_was_there_before_goes_on_counting(pair: Pair) -> None:
    for value in ("v", "w"):
        pair.by_door("POST", "/data", {"key": "user:2", "value": value})
    pair.both(lambda store: store.delete("user:2"))

    told = pair.by_door("POST", "/data", {"key": "user:2", "value": "again"})
    pair.by_view("POST", "/data", {"key": "b", "value": "", "expected_version": 1})
    body = {"key": "user:2", "value": "x" * 50, "expected_version": 4}
    pair.by_door("POST", "/data", body)

    assert json.parse(told.content)["version"] == 4
    assert pair.kept()["tally"] == [(2, len("Ann") + 50)]
    for store in (pair.one, pair.other):
        document = Session.with_documents.get(agent__external_id=store.agent).id
        assert not list(DocumentWalk(document, lambda _: None).findings())


def test_a_value_has_the_end_that_the_config_gives_it(pair: Pair) -> None:
    rules = {"policies": {"retention_by_prefix": {"tmp:": 1}}}
    pair.both(lambda store: store.configure(rules))

    told = pair.by_door("POST", "/data", {"key": "tmp:1", "value": "v"})

    assert json.parse(told.content)["expires_at"] is not None
    pair.send("GET", "/data/tmp:1")
    pair.by_door("GET", "/data/tmp:1")
    KeyHead.objects.filter(key="tmp:1").update(expires_at=timezone.now())
    assert pair.by_view("GET", "/data/tmp:1").code == 404


def test_reads_are_recorded_by_the_config_that_stands(pair: Pair) -> None:
    def reads() -> int:
        return pair.kept()["actions"].count("data.read")

    before = reads()
    pair.by_door("GET", "/data/user:1")
    assert reads() == before + 1

    pair.both(lambda store: store.configure({"audit": {"reads": False}}))
    # Another config stands: the view looks what it says.
    assert pair.by_view("GET", "/data/user:1").code == 200
    told = pair.by_door("GET", "/data/user:1")
    assert json.parse(told.content)["audit_id"] == ""
    assert reads() == before + 1

    pair.both(lambda store: store.configure({}))
    pair.by_view("GET", "/data/user:1")
    pair.by_door("GET", "/data/user:1")
    assert reads() == before + 3


def _revoke(project: Project) -> None:
    for key in ApiKey.objects.filter(revoked_at=None):
        accounts.revoke_key(project=project, key_id=key.id, act=act_by())


def _outdate(_: Project) -> None:
    soon = timezone.now() - timedelta(microseconds=1)
    ApiKey.objects.update(created_at=soon - timedelta(days=1), expires_at=soon)


def _suspend(project: Project) -> None:
    Agent.objects.filter(project_id=project.id).update(status="suspended")


@pytest.mark.parametrize(
    ("harm", "read", "write"),
    [(_revoke, 401, 401), (_outdate, 401, 401), (_suspend, 200, 403)],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_what_happened_since_the_caller_was_remembered_counts(
    pair: Pair, project: Project, harm: Any, read: int, write: int
) -> None:
    pair.by_door("POST", "/data", {"key": "a", "value": "v"})
    pair.by_door("GET", "/data/a")
    before = pair.kept()["versions"]

    harm(project)

    assert pair.send("GET", "/data/a").code == read
    for value in ("w", "ann@example.com"):
        assert pair.by_view("POST", "/data", {"key": "a", "value": value}).code == write
    assert pair.kept()["versions"] == before


def test_no_document_begins_by_a_key_that_is_revoked(
    pair: Pair, api: Callable[..., Api], project: Project
) -> None:
    client = pair.one.client
    made(client.post("/v1/agents", {"name": "new", "external_id": "new"}))
    pair.one, pair.other = Store(client, "new"), Store(client, "new")
    made(pair.one.listed())
    documents = Session.with_documents.count()
    pair.by_view("GET", "/data/a")
    _revoke(project)

    assert pair.by_view("POST", "/data", {"key": "a", "value": "v"}).code == 401
    assert Session.with_documents.count() == documents


def test_strangers_and_limited_keys_are_left_to_the_view(
    pair: Pair, make_key: Keys, other_project: Project
) -> None:
    body = {"key": "user:1", "value": "v"}
    for secret, read, write in (
        (make_key(project=other_project), 404, 404),
        (make_key(agents=["elsewhere"]), 404, 404),
        (make_key(agents=["billing", "spare"]), 200, 200),
        ("sb_unknown", 401, 401),
        (None, 401, 401),
    ):
        pair.secret = secret
        assert pair.by_view("GET", "/data/user:1").code == read
        assert pair.by_view("POST", "/data", body).code == write
    pair.secret = make_key(scope=Scope.READ)
    assert pair.by_door("GET", "/data/user:1").code == 200
    assert pair.by_view("POST", "/data", body).code == 403


def test_each_request_counts_once_whoever_answers_it(pair: Pair) -> None:
    asked: list[Any] = [
        ("GET", "/data/user:1"),
        ("GET", "/data/absent"),
        ("POST", "/data", {"key": "a", "value": "v"}),
        ("POST", "/data", {"key": "a"}),
        ("GET", "/data/user:1"),
    ]
    left = [int(pair.send(*one).headers["X-RateLimit-Remaining"]) for one in asked]

    assert len({before - after for before, after in pairwise(left)}) == 1


@pytest.mark.parametrize("after_commit", [False, True])
def test_a_lost_connection_is_an_unknown_outcome_and_nothing_is_sent_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, after_commit: bool
) -> None:
    stored = sql.run_prepared
    asked: list[str] = []

    def lose(statement: Any, params: Any) -> Any:
        if "timeline_keyed_write" not in statement.text:
            return stored(statement, params)
        asked.append(statement.text)
        if after_commit:
            stored(statement, params)
        raise OperationalError from psycopg.OperationalError("the answer is lost")

    monkeypatch.setattr(sql, "run_prepared", lose)
    told = pair.send("POST", "/data", {"key": "a", "value": "v"})
    monkeypatch.undo()

    assert told.code == 503
    assert b"outcome unknown" in told.content
    assert len(asked) == 2  # once by the door, once by the view of the other agent
    assert pair.kept()["versions"] == 1 + after_commit


def _common(told: Told) -> tuple[Any, ...]:
    status, names, kept, content = told.lasting
    kept.pop("Content-Length", None)
    return status, names, kept, OWN.sub(b"*", content)


def _kept(store: Store) -> dict[str, Any]:
    """Return what is stored of an agent, but for what two never have in common."""
    agent = Agent.objects.get(external_id=store.agent)
    document = Session.with_documents.get(agent_id=agent.id, kind="keyed").id
    own = {"session_id": document}
    records = AuditRecord.objects.filter(stream_id=agent.id).order_by("number")
    columns = ("key", "ordinal", "size", "cause")
    return {
        "versions": Version.objects.filter(**own, number__gt=0).count(),
        "ops": list(
            Version.objects.filter(**own)
            .order_by("number")
            .values_list("op", "reasoning", "size", "actor_kind")
        ),
        "entries": list(
            Entry.objects.filter(**own).order_by("number").values_list(*columns)
        ),
        "tally": list(Tally.objects.filter(**own).values_list("keys", "bytes")),
        "events": list(
            Event.objects.filter(stream_id=document)
            .order_by("id")
            .values_list("action", flat=True)
        ),
        "actions": [one.action for one in records],
        "results": [one.result for one in records],
        "records": [
            (one.resource_type, one.resource_id, one.details.get("size"), one.version)
            for one in records
            if one.action.startswith("data.")
        ],
    }
