"""The door writes what the ordinary views write, answers as they do, or passes on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts import recognition
from apps.accounts.models import ApiKey, Project, Scope
from apps.agents import scope
from apps.agents.models import Agent
from apps.core import json, sql
from apps.timeline.models import Session, Turn, Version
from apps.timeline.versions import heads
from tests import proof
from tests.acts import act_by
from tests.timeline.door.road import Road, Told, ask, written
from tests.timeline.keyed_rows import be_document
from tests.timeline.runs import Begin, Keys, Run

pytestmark = pytest.mark.django_db(transaction=True)

# What two sessions can never have in common, in answers and in their rows.
OWN = re.compile(
    rb'(?:sess|turn|trace)_[0-9a-hjkmnp-tv-z]{26}|"chain":"[0-9a-f]{64}"'
    rb"|\d{4}-\d\d-\d\dT[\d:]+\.\d+Z"
)
CHECKED = "apps.timeline.ledger.appending"


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    """Begin with nothing remembered: another test may have left its callers."""
    recognition.CALLERS.clear()
    yield
    recognition.CALLERS.clear()


@dataclass
class Pair:
    """Two equal sessions: one is written to through the door, one without it."""

    road: Road
    secret: str
    one: Run
    other: Run
    passed: int = 0

    def send(self, method: str, name: str, body: Any, **environ: Any) -> Told:
        """Assert that both answer the same; return what the door's side answered."""
        data = body if isinstance(body, bytes) else json.dumps(body)
        self.road.passed.clear()
        told = ask(
            self.road.door,
            written(method, self.one.path(name), self.secret, data, **environ),
        )
        self.passed += len(self.road.passed)
        ordinary = ask(
            self.road.ordinary,
            written(method, self.other.path(name), self.secret, data, **environ),
        )
        assert _common(told) == _common(ordinary)
        return told

    def by_door(self, method: str, name: str, body: Any, **environ: Any) -> Told:
        """As `send`, and assert that the door answered it."""
        told = self.send(method, name, body, **environ)
        assert not self.road.passed
        return told

    def by_view(self, method: str, name: str, body: Any, **environ: Any) -> Told:
        """As `send`, and assert that the door left it to the view."""
        told = self.send(method, name, body, **environ)
        assert self.road.passed == [self.one.path(name)]
        return told


@pytest.fixture
def pair(road: Road, begin: Begin, secret: str) -> Pair:
    state = {"step": 0, "city": "Rome", "list": [1, 2]}
    return Pair(road, secret, begin(state), begin(state))


def _common(told: Told) -> tuple[Any, ...]:
    status, names, headers, content = told.lasting
    headers.pop("X-Request-Id")
    # Two ids of one length, and times with or without their last zeros.
    headers.pop("Content-Length", None)
    return status, names, headers, OWN.sub(b"?", content)


WRITES: list[tuple[str, str, Any]] = [
    ("PATCH", "state", {"state": {"step": 1}}),
    ("PATCH", "state", {"updates": {"step": 1}, "state": {"city": None}}),
    ("PATCH", "state", {"remove": ["/city", "/list/0"], "reasoning": "Not needed."}),
    ("PATCH", "state", {"state": {"step": 0}, "reasoning": ""}),
    ("PATCH", "state", {"messages": [{"role": "user", "content": "Hi"}], "state": {}}),
    ("PATCH", "state", {"state": {"escalated": True}, "objective_status": "WAITING_F"}),
    ("PATCH", "state", {"state": {"a": 10**40, "b": 5e-324}, "step_number": 7}),
    ("PATCH", "state", {"state": {"ü": "Zoë 東京 🙂"}, "trace_id": "Ünïcode «t»"}),
    ("PUT", "state", {"state": {}}),
    ("PUT", "state", {"state": {"x": [[[]]]}, "external_id": "step-1", "model": "m"}),
    ("POST", "state", {"state": {"step": 4}, "release": None, "tasks": [{"id": 1}]}),
    ("POST", "turns", {"input": "Hi", "output": "Hello"}),
    ("POST", "turns", {"input": {"content": {"a": 1}}, "output": "", "metadata": {}}),
    (
        *("POST", "turns"),
        {
            "input": {"type": "text", "content": "Book it"},
            "output": {"content": "Done", "tool_calls": [{"name": "book", "id": "c1"}]},
            "state_before": {"step": 0, "city": "Rome", "list": [1, 2]},
            "state_after": {"step": 1, "city": "Rome"},
            "reasoning": "It was asked for.",
        },
    ),
    ("POST", "turns", {"input": "a", "output": "b", "state_before": {"other": 1}}),
    (
        *("POST", "turns"),
        {
            "input": {"type": "tool_call", "tool_metadata": {"name": "pay"}},
            "output": "b",
            "usage": {"input_tokens": 9, "cost": "0.10", "currency": "EUR"},
        },
    ),
    ("POST", "turns", {"input": "a", "output": "b", "usage": None}),
    (
        *("POST", "turns"),
        {
            "input": "nothing",
            "output": "changed",
            "state_after": {"step": 0, "city": "Rome", "list": [1, 2]},
        },
    ),
    ("POST", "versions", {"versions": [{"state": {"step": 1}}]}),
    (
        *("POST", "versions"),
        {
            "versions": [
                {"state": {"step": 1}, "reasoning": "First."},
                {"op": "replace", "state": {"x": 10**40}, "tasks": [{"id": 1}]},
                {"op": None, "remove": ["/x"], "updates": {"y": None}, "model": "m"},
                {"op": "update", "state": {"y": None}, "step_number": 7},
                {"op": "", "state": {"y": 1}},
            ],
            "expected_version": None,
        },
    ),
]


BATCHES: list[Any] = [
    {"versions": []},
    {"versions": None},
    {"versions": [{}]},
    {"versions": [[]]},
    {"versions": [{"state": {}}] * 101},
    {"versions": [{"state": {}}], "expected_version": 7},
    {"versions": [{"state": {}}], "more": 1},
    {"versions": [{"state": {}, "expected_version": None}]},
    {"versions": [{"state": {}, "expected_version": 0}]},
    {"versions": [{"state": {}, "op": "rollback"}]},
    *({"versions": [{"state": {}, "op": op}]} for op in (["update"], [], {})),
    *({"versions": [{"state": {}, "op": op}]} for op in (0, 0.0, False, "Update")),
    {"versions": [{"op": "replace", "remove": ["/a"]}]},
    {"versions": [{"op": "replace", "state": {}, "remove": ["/a"]}]},
    {"versions": [{"state": {}}, {"state": {}, "statee": 1}]},
    {"versions": [{"state": {}}, {"remove": ["/nowhere"]}]},
    {"versions": [{"state": {}, "external_id": "x"}] * 2},
    {"versions": [{"operations": [{"op": "add", "path": "/a", "value": 1}]}]},
]


@pytest.mark.parametrize("write", WRITES, ids=str)
def test_a_plain_write_is_answered_by_the_door_as_by_the_view(
    pair: Pair, write: tuple[str, str, Any]
) -> None:
    told = pair.by_door(*write)

    assert told.code in (200, 201)
    assert _kept(pair.one) == _kept(pair.other)
    for run in (pair.one, pair.other):
        proof.assert_proven(connection.connection, run.id)


def test_the_next_write_builds_on_the_head_that_is_remembered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.by_door("PATCH", "state", {"state": {"step": 1}})
    asked = _statements(monkeypatch)

    pair.by_door("PATCH", "state", {"state": {"step": 2}})

    # By the door one statement; the view looks the key up before.
    assert [text.count("timeline_append") for text in asked] == [1, 0, 1]
    assert pair.one.state == {"step": 2, "city": "Rome", "list": [1, 2]}


@pytest.mark.parametrize(
    ("body", "environ"),
    [
        (b"{", {}),
        (b"[]", {}),
        ({"state": {"step": 1}, "statee": 1}, {}),
        ({"state": []}, {}),
        ({"state": {"step": 1}, "reasoning": 5}, {}),
        ({"state": {"step": 1}, "reasoning": "a\0b"}, {}),
        ({"state": {"step": 1}, "step_number": -1}, {}),
        ({"state": {"step": 1}, "step_number": True}, {}),
        ({"state": {"step": 1}, "reason": "Another name."}, {}),
        ({"state": {"step": 1}, "environment": {}}, {}),
        ({"state": {"step": 1}, "expected_version": 7}, {}),
        ({"remove": ["/nowhere"]}, {}),
        ({"remove": [1]}, {}),
        ({}, {}),
        ({"state": {"step": 1}}, {"HTTP_IF_MATCH": '"v9"'}),
        ({"state": {"step": 1}}, {"HTTP_IF_MATCH": "v0"}),
        ({"state": {"step": 1}}, {"HTTP_IF_MATCH": "*"}),
        ({"state": {"step": 1}}, {"HTTP_IDEMPOTENCY_KEY": "a,b"}),
        ({"state": {"step": 1}}, {"HTTP_PREFER": "return=minimal, wait=1"}),
        ({"state": {"step": 1}}, {"HTTP_PREFER": "handling=lenient"}),
        ({"state": {"step": 1}}, {"HTTP_CONTENT_ENCODING": ""}),
        ({"state": {"step": 1}}, {"CONTENT_TYPE": "text/plain"}),
        ({"state": {"step": 1}}, {"QUERY_STRING": "a=1"}),
        ({"state": {"step": 1}}, {"CONTENT_LENGTH": "9"}),
        ({"state": {"step": 1}}, {"HTTP_ACCEPT": "text/html"}),
    ],
    ids=str,
)
def test_what_is_refused_or_odd_is_left_to_the_view(
    pair: Pair, body: Any, environ: dict[str, str]
) -> None:
    pair.by_view("PATCH", "state", body, **environ)

    assert pair.one.head == pair.other.head


@pytest.mark.parametrize("body", BATCHES, ids=range(len(BATCHES)))
def test_an_odd_batch_is_left_to_the_view(pair: Pair, body: Any) -> None:
    pair.by_view("POST", "versions", body)

    assert pair.one.head == pair.other.head


@pytest.mark.parametrize(
    ("method", "name", "body"), [one for one in WRITES if one[1] == "state"], ids=str
)
def test_a_write_is_answered_without_its_state_where_that_is_asked_for(
    pair: Pair, method: str, name: str, body: Any
) -> None:
    told = pair.by_door(method, name, body, HTTP_PREFER="return=minimal")

    assert told.headers["Preference-Applied"] == "return=minimal"
    body = json.parse(told.content)
    assert body["version"] == pair.one.head == 1
    assert not body.keys() & {"state", "data"}


def test_a_turn_that_prefers_a_minimal_answer_is_left_to_the_view(pair: Pair) -> None:
    said = {"input": "a", "output": "b"}

    pair.by_view("POST", "turns", said, HTTP_PREFER="return=minimal")


def test_a_turn_that_would_have_to_name_what_it_ignores_is_left_to_the_view(
    pair: Pair,
) -> None:
    told = pair.by_view("POST", "turns", {"input": "a", "output": "b", "model": "m"})

    assert told.headers["Ignored-Input"]


def test_a_repeated_request_is_answered_by_the_view_as_the_first_one_was(
    pair: Pair,
) -> None:
    key = {"HTTP_IDEMPOTENCY_KEY": "once"}
    pair.by_door("PATCH", "state", {"state": {"step": 1}}, **key)
    pair.by_door("PATCH", "state", {"state": {"step": 2}})

    again = pair.by_view("PATCH", "state", {"state": {"step": 1}}, **key)

    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["ETag"] == '"v1"'
    assert pair.by_view("PATCH", "state", {"state": {}}, **key).code == 422
    assert pair.one.head == 2


def test_what_only_the_caller_can_read_is_kept_by_the_door(pair: Pair) -> None:
    for method, text in (("PUT", "AAE="), ("PATCH", "AAI=")):
        opaque = {"graph.x": {"media_type": "application/x", "base64": text}}

        pair.by_door(method, "state", {"state": {"step": 1}, "opaque": opaque})

        for run in (pair.one, pair.other):
            kept = run.client.get(run.path("checkpoint")).body
            assert kept["opaque"] == opaque
            proof.assert_proven(connection.connection, run.id)


@pytest.mark.parametrize(
    "opaque",
    [
        {"State": {"media_type": "a", "base64": ""}},
        {"messages": {"media_type": "a", "base64": ""}},
        {"x": {"media_type": "", "base64": ""}},
        {"x": {"media_type": "a", "base64": "*"}},
        {"x": {"base64": "AAE="}},
        {"x": 1},
        {f"x{n}": {"media_type": "a", "base64": ""} for n in range(17)},
        [],
    ],
    ids=str,
)
def test_an_opaque_part_that_is_none_is_left_to_the_view(
    pair: Pair, opaque: Any
) -> None:
    told = pair.by_view("PUT", "state", {"state": {}, "opaque": opaque})

    assert told.code == 400
    assert pair.one.head == 0


def test_the_head_that_was_seen_is_checked_by_the_function(pair: Pair) -> None:
    pair.by_door("PATCH", "state", {"state": {"step": 1}})
    seen = {"HTTP_IF_MATCH": '"v1"'}
    pair.by_door("PATCH", "state", {"state": {"step": 2}}, **seen)

    assert pair.by_view("PATCH", "state", {"state": {"step": 3}}, **seen).code == 412
    stale = {"state": {"step": 3}, "expected_version": 1}
    assert pair.by_view("PATCH", "state", stale).code == 409


def _pause(run: Run, _: Project) -> int:
    run.hold("pause")
    return 423


def _close(run: Run, _: Project) -> int:
    run.hold("close")
    return 409


def _delete(run: Run, _: Project) -> int:
    run.client.delete(run.path())
    return 404


def _expire(run: Run, _: Project) -> int:
    Session.objects.filter(id=run.id).update(expires_at=timezone.now())
    return 404


def _be_document(run: Run, _: Project) -> int:
    be_document(run.id)
    return 404


def _suspend(_: Run, project: Project) -> int:
    Agent.objects.filter(project_id=project.id).update(status="suspended")
    return 403


def _delete_agent(_: Run, project: Project) -> int:
    # As deleting it leaves it: suspended as well.
    gone = {"status": "suspended", "deleted_at": timezone.now()}
    Agent.objects.filter(project_id=project.id).update(**gone)
    return 403


def _revoke(_: Run, project: Project) -> int:
    for key in ApiKey.objects.filter(revoked_at=None):
        accounts.revoke_key(
            project=project,
            key_id=key.id,
            act=act_by(),
        )
    return 401


def _outdate(_: Run, project: Project) -> int:
    soon = timezone.now() - timedelta(microseconds=1)
    ApiKey.objects.update(created_at=soon - timedelta(days=1), expires_at=soon)
    return 401


@pytest.mark.parametrize(
    "harm",
    [
        *(_pause, _close, _delete, _expire, _be_document),
        *(_suspend, _delete_agent, _revoke, _outdate),
    ],
    ids=lambda harm: harm.__name__.strip("_"),
)
def test_what_happened_since_the_head_was_remembered_counts(
    pair: Pair, project: Project, harm: Callable[[Run, Project], int]
) -> None:
    pair.by_door("PATCH", "state", {"state": {"step": 1}})
    head = {run.id: run.head for run in (pair.one, pair.other)}

    harm(pair.one, project)
    status = 401 if harm in (_revoke, _outdate) else harm(pair.other, project)
    told = pair.by_view("PATCH", "state", {"state": {"step": 2}})

    assert told.code == status
    for run_id, number in head.items():
        newest = Version.objects.filter(session_id=run_id, op="update")
        assert newest.latest("number").number == number


def test_a_head_that_was_lost_in_a_failover_is_never_built_on(pair: Pair) -> None:
    pair.by_door("PATCH", "state", {"state": {"step": 1}})
    for run in (pair.one, pair.other):
        guess = heads.REMEMBERED.get(_scope_of(run), run.id)
        assert guess is not None
        # Another server's v1, as this process would remember it.
        lost = json.dumps({"state": {"lost": True}})
        object.__setattr__(guess, "chain", b"\1" * 32)
        object.__setattr__(guess, "raw", guess.raw and guess.raw[:-1] + lost[:1])

    pair.by_door("PATCH", "state", {"state": {"city": "NYC"}})

    assert pair.one.state == {"step": 1, "city": "NYC", "list": [1, 2]}


def test_another_project_learns_nothing_of_a_remembered_head(
    pair: Pair, make_key: Keys, other_project: Project
) -> None:
    pair.by_door("PATCH", "state", {"state": {"step": 1}})
    pair.secret = make_key(project=other_project)

    for body in ({"state": {}}, {"remove": ["/nowhere"]}, {"expected_version": 0}):
        assert pair.by_view("PATCH", "state", {"state": {}} | body).code == 404


def test_a_key_that_reads_or_has_its_agents_is_left_to_the_view(
    pair: Pair, make_key: Keys
) -> None:
    for secret, code in (
        (make_key(scope=Scope.READ), 403),
        (make_key(agents=["travel"]), 200),
        (make_key(agents=["billing"]), 404),
        ("sb_unknown", 401),
    ):
        pair.secret = secret
        assert pair.by_view("PATCH", "state", {"state": {}}).code == code


def test_each_write_counts_once_whoever_answers_it(pair: Pair) -> None:
    def left(told: Told) -> int:
        return int(told.headers["X-RateLimit-Remaining"])

    writes: list[Any] = [{"state": {}}, {"statee": 1}, {"state": {}}, {}]
    counts = [left(pair.send("PATCH", "state", body)) for body in writes]

    # Each is sent twice: through the door, and without it.
    assert len({a - b for a, b in pairwise(counts)}) == 1


def test_over_the_limit_the_view_refuses(
    pair: Pair, project: Project, settings: Any
) -> None:
    _, pair.secret = accounts.issue_key(
        project=project,
        name="few",
        scope=Scope.WRITE,
        terms=accounts.KeyTerms(rate_limit=4 * settings.WORKERS),
        act=act_by(),
    )

    codes = [pair.send("PATCH", "state", {"state": {}}).code for _ in range(3)]

    assert codes == [200, 200, 429]
    assert pair.one.head == pair.other.head == 2


@pytest.mark.parametrize("after_commit", [False, True])
def test_a_lost_connection_is_an_unknown_outcome_and_nothing_is_sent_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, after_commit: bool
) -> None:
    ask_for_key = {"state": {"step": 0}}
    pair.by_door("PATCH", "state", ask_for_key)
    stored = sql.run_prepared
    asked: list[str] = []

    def lose(statement: Any, params: Any) -> Any:
        if "timeline_append" not in statement.text:
            return stored(statement, params)
        asked.append(statement.text)
        if after_commit:
            stored(statement, params)
        raise OperationalError from psycopg.OperationalError("the answer is lost")

    monkeypatch.setattr(sql, "run_prepared", lose)
    told = pair.send("PATCH", "state", {"state": {"step": 1}})
    monkeypatch.undo()

    assert told.code == 503
    assert b"outcome unknown" in told.content
    assert len(asked) == 2  # once by the door, once by the view of the other session
    assert pair.one.head == pair.other.head == 1 + after_commit


def test_what_fails_once_it_is_stored_is_not_stored_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.timeline.api.door import writes

    def broken(*_: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(writes, "state_object", broken)
    body = written(
        "PATCH", pair.one.path("state"), pair.secret, b'{"state": {"step": 1}}'
    )
    told = ask(pair.road.door, body)
    monkeypatch.undo()

    assert told.code == 503
    assert b"outcome unknown" in told.content
    assert pair.one.head == 1


def test_a_bug_that_shows_after_the_commit_is_answered_and_not_tried_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(heads.REMEMBERED, "put", broken)

    assert pair.by_view("PATCH", "state", {"state": {"step": 1}}).code == 500
    assert pair.one.head == pair.other.head == 1


def test_a_statement_that_was_rolled_back_is_tried_by_the_view(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = sql.run_prepared
    failures = [psycopg.errors.LockNotAvailable("busy")]

    def fail_once(statement: Any, params: Any) -> Any:
        if "timeline_append" in statement.text and failures:
            raise OperationalError from failures.pop()
        return stored(statement, params)

    monkeypatch.setattr(sql, "run_prepared", fail_once)

    assert pair.by_view("PATCH", "state", {"state": {"step": 1}}).code == 200
    assert pair.one.head == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_random_stream_of_requests_is_answered_as_by_the_views(
    pair: Pair, seed: int
) -> None:
    draw = random.Random(seed)
    plain, passed, sent = 0, 0, []
    for number in range(120):
        method, name, body = draw.choice(WRITES)
        environ = {}
        if name != "versions":
            body = dict(body, external_id=None)
        kind = draw.random()
        if kind < 0.06:
            body = dict(body, unknown=number)
        elif kind < 0.12:
            environ["HTTP_IF_MATCH"] = f'"v{draw.randrange(4)}"'
        elif kind < 0.18 and sent:
            method, name, body, environ = draw.choice(sent)
        elif kind < 0.3:
            environ["HTTP_IDEMPOTENCY_KEY"] = f"key-{number}"
            sent.append((method, name, body, environ))
        told = pair.send(method, name, body, **environ)
        is_plain = told.code < 300 and "Idempotent-Replayed" not in told.headers
        plain += is_plain
        passed += is_plain and bool(pair.road.passed)

    assert plain > 60
    assert passed <= plain * 0.05
    assert _kept(pair.one) == _kept(pair.other)


def _statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the statements that are sent often, from here on."""
    asked: list[str] = []
    sent = sql.run_prepared

    def note(statement: Any, params: Any) -> Any:
        asked.append(statement.text)
        return sent(statement, params)

    monkeypatch.setattr(sql, "run_prepared", note)
    return asked


def _scope_of(run: Run) -> scope.Scope:
    project_id = Session.objects.get(id=run.id).project_id
    return scope.Scope(Project.objects.get(id=project_id))


def _kept(run: Run) -> Any:
    """Return what is stored of a session, but for what two never have in common."""
    own = ("session_id", "id", "trace_id", "salt", "commitment", "leaf", "chain")
    own += ("reasoning_digest", "step_digest", "request_digest", "data", "resource_id")
    own += ("requested_at", "created_at", "stream_id", "request_id", "path_key")
    rows: list[Any] = []
    for kind in (Version, Turn):
        for row in kind.objects.filter(session_id=run.id).order_by("pk").values():
            rows.append({name: row[name] for name in row if name not in own})
    with connection.cursor() as cursor:
        for table, by in (("timeline_change", "1"), ("timeline_term", "1")):
            cursor.execute(
                f"SELECT count(*) FROM {table} WHERE session_id = %s ORDER BY {by}",
                [run.id],
            )
            rows.append(cursor.fetchall())
        cursor.execute(
            "SELECT action, resource_type, number, details - 'turn_id' FROM audit_event"
            " WHERE stream_id = %s ORDER BY id",
            [run.id],
        )
        rows.append(cursor.fetchall())
    session = Session.objects.values("turn_count", "head_number", "facets", "status")
    return [*rows, session.get(id=run.id)]
