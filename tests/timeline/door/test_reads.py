"""The door tells of a head what the ordinary view tells, or leaves it to that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.utils import timezone
from psycopg_pool import ConnectionPool

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Project, Scope
from apps.agents.models import Agent
from apps.core import middleware
from apps.core.admission.gate import GATED_BYTES
from apps.timeline import bodies
from apps.timeline.api.door import Door, door, with_door
from apps.timeline.api.door.reads import reading_cases
from apps.timeline.bodies.caching import Cache
from apps.timeline.models import Session
from tests.acting import erasing
from tests.acts import act_by
from tests.timeline.door.road import Road
from tests.timeline.keyed_rows import be_document
from tests.timeline.runs import Begin, Clients, Keys, Run

pytestmark = pytest.mark.django_db(transaction=True)


def forked(run: Run) -> Run:
    return run.fork(version=1)


def rolled_back(run: Run) -> Run:
    run.rollback(0)
    return run


def rolled_back_and_on(run: Run) -> Run:
    run.rollback(0, reason="It booked twice.", hold=True)
    run.hold("resume")
    run.patch({"step": 9})
    return run


def paused(run: Run) -> Run:
    run.hold("pause")
    return run


def closed(run: Run) -> Run:
    run.hold("close")
    return run


def long(run: Run) -> Run:
    for step in range(40):
        run.patch({"step": step, "said": "word " * step})
    return run


def with_turn(run: Run) -> Run:
    run.turn(state_after={"step": 3}, trace_id="Ünïcode «trace»")
    return run


KINDS: list[Callable[[Run], Run]] = [
    lambda run: run,
    forked,
    rolled_back,
    rolled_back_and_on,
    paused,
    closed,
    long,
    with_turn,
]
STATES = [
    {},
    {"name": "Zoë 東京 🙂", "nul": "a\0b", "line": "\u2028</script>"},
    {"huge": 10**4200, "small": -(2**70), "fraction": 0.1, "tiny": 5e-324},
    {"null": None, "list": [None, [], {}, ""], "b": 1, "a": 1.0},
    {"long": "x" * 200_000},
]


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__.strip("<>"))
@pytest.mark.parametrize("is_cached", [True, False])
def test_it_tells_of_any_session_what_the_view_tells(
    road: Road,
    begin: Begin,
    secret: str,
    make: Callable[[Run], Run],
    is_cached: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = begin({"step": 0, "city": "Rome"})
    run.patch({"step": 1})
    run = make(run)
    if not is_cached:
        monkeypatch.setattr(bodies, "cache", Cache())

    told = road.equal(run.path("state"), secret)

    assert told.code == 200
    assert told.headers["ETag"] == f'"v{run.head}"'


@pytest.mark.parametrize("state", STATES, ids=lambda state: ",".join(state) or "empty")
def test_it_tells_any_state_byte_for_byte(
    road: Road, begin: Begin, secret: str, state: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin()
    run.put(state)

    warm = road.equal(run.path("state"), secret)
    monkeypatch.setattr(bodies, "cache", Cache())
    cold = road.equal(run.path("state"), secret)

    assert warm.content == cold.content


def test_it_builds_on_the_body_that_is_known(
    road: Road, begin: Begin, secret: str
) -> None:
    run = begin({"text": "word " * 500})
    raw = bodies.cache.get((run.id, 0))
    assert raw is not None
    for step in range(3):
        run.patch({"step": step})
    bodies.cache.forget(run.id)
    bodies.cache.put((run.id, 0), raw)

    assert road.equal(run.path("state"), secret).code == 200


@pytest.mark.parametrize("tag", ['"v2"', '"v1"', 'W/"v2"', "*", ""])
def test_it_knows_a_state_that_has_not_moved(
    road: Road, begin: Begin, secret: str, tag: str
) -> None:
    run = begin({"step": 0})
    run.patch({"step": 1})
    run.patch({"step": 2})

    told = road.equal(run.path("state"), secret, HTTP_IF_NONE_MATCH=tag)

    assert told.code == (304 if tag == '"v2"' else 200)


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "trace-9"])
def test_it_keeps_or_makes_the_id_of_the_request(
    road: Road, begin: Begin, secret: str, given: str
) -> None:
    path = begin().path("state")

    told, ordinary = road.both(path, secret, HTTP_X_REQUEST_ID=given)

    assert not road.passed
    kept = [answer.headers["X-Request-Id"] == given for answer in (told, ordinary)]
    assert kept == [given == "trace-9"] * 2
    assert told.headers["X-Request-Id"]


def test_a_bearer_and_any_scope_read(road: Road, begin: Begin, make_key: Keys) -> None:
    path = begin().path("state")

    for scope in Scope:
        secret = make_key(scope=scope)
        road.passes(path, secret)
        road.equal(path, secret)
        road.equal(path, None, HTTP_AUTHORIZATION=f"Bearer {secret}")
        road.equal(path, f" {secret} ", HTTP_ACCEPT="application/json")


def test_it_counts_each_read_once(road: Road, begin: Begin, secret: str) -> None:
    path = begin().path("state")

    lane, ordinary, lane_again = (
        int(told.headers["X-RateLimit-Remaining"])
        for told in (*road.both(path, secret), road.equal(path, secret))
    )

    assert lane - ordinary == ordinary - lane_again > 0


def test_over_the_limit_the_view_refuses(
    road: Road, begin: Begin, project: Project, settings: Any
) -> None:
    _, secret = accounts.issue_key(
        project=project,
        name="few",
        scope=Scope.READ,
        terms=accounts.KeyTerms(rate_limit=6),
        act=act_by(),
    )
    path = begin().path("state")

    answers = [told.code for _ in range(4) for told in road.both(path, secret)]

    assert answers == [200] * (6 // settings.WORKERS) + [429] * (
        8 - 6 // settings.WORKERS
    )
    assert road.passed == [path]


def test_it_writes_the_line_that_the_view_writes(
    road: Road, begin: Begin, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Any] = []

    def write(facts: Any, **about: Any) -> None:
        written.append((list(facts), facts | {"duration_ms": 0}, about))

    monkeypatch.setattr(door, "write_request", write)
    monkeypatch.setattr(middleware, "write_request", write)
    path = begin().path("state")
    written.clear()

    road.equal(path, secret)
    road.equal(path, secret, HTTP_IF_NONE_MATCH='"v0"')

    assert written[0] == written[1] != written[2] == written[3]


def test_what_is_behind_tls_says_so(
    road: Road, begin: Begin, secret: str, settings: Any, pool: ConnectionPool[Any]
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 3600
    ordinary = get_wsgi_application()
    behind = Road(ordinary, Door(ordinary, reading_cases(pool)))
    path = begin().path("state")

    for proto in ("https", "http", "https,http"):
        told, view = behind.both(path, secret, HTTP_X_FORWARDED_PROTO=proto)
        assert told.lasting == view.lasting
        secure = "Strict-Transport-Security" in told.headers
        assert secure is proto.startswith("https")
    road.ordinary = ordinary
    told, view = behind.both(path, secret)
    assert told.lasting == view.lasting


# What the lane leaves to the view


@pytest.mark.parametrize(
    "odd",
    [
        {"QUERY_STRING": "a=%00"},
        {"QUERY_STRING": "invented=1"},
        {"QUERY_STRING": "&"},
        {"HTTP_PREFER": "handling=lenient"},
        {"REQUEST_METHOD": "HEAD"},
        {"REQUEST_METHOD": "OPTIONS"},
        {"REQUEST_METHOD": "DELETE"},
        {"HTTP_ACCEPT": "text/html"},
        {"HTTP_ACCEPT": "application/json;q=0.9, */*"},
        {"HTTP_CONTENT_ENCODING": "gzip"},
        {"CONTENT_LENGTH": "2", "body": b"{}"},
        {"CONTENT_LENGTH": "x"},
        {"HTTP_TRANSFER_ENCODING": "chunked"},
        {"wsgi.url_scheme": "https"},
    ],
    ids=str,
)
def test_an_unusual_request_is_left_to_the_view(
    road: Road, begin: Begin, secret: str, odd: dict[str, Any]
) -> None:
    road.passes(begin().path("state"), secret, **odd)


def test_other_addresses_are_left_to_the_view(
    road: Road, begin: Begin, secret: str
) -> None:
    run = begin()

    for path in (
        run.path(),
        run.path("state", ""),
        run.path("state").upper(),
        run.path("state/history"),
        "/v1/sessions/x/state",
        run.path("versions"),
    ):
        road.passes(path, secret)


def test_a_key_is_refused_from_the_moment_it_is_revoked(
    road: Road, begin: Begin, secret: str, project: Project
) -> None:
    path = begin().path("state")
    assert road.equal(path, secret).code == 200
    accounts.revoke_key(
        project=project,
        key_id=ApiKey.objects.exclude(last_used_at=None).get().id,
        act=act_by(),
    )

    assert road.passes(path, secret).code == 401


def test_a_key_that_has_expired_is_refused(
    road: Road, begin: Begin, secret: str
) -> None:
    path = begin().path("state")
    soon = timezone.now() - timedelta(microseconds=1)
    past = soon - timedelta(days=1)
    ApiKey.objects.update(created_at=past, expires_at=soon)

    assert road.passes(path, secret).code == 401


@pytest.mark.parametrize("given", [None, "", "sb_unknown", "é"])
def test_nobody_is_refused(road: Road, begin: Begin, given: str | None) -> None:
    assert road.passes(begin().path("state"), given).code == 401


def test_a_session_of_another_project_is_not_found(
    road: Road, begin: Begin, api: Clients, make_key: Keys, other_project: Project
) -> None:
    stranger = make_key(project=other_project)
    api(stranger).get("/v1/sessions")

    assert road.passes(begin().path("state"), stranger).code == 404


def test_a_key_of_some_agents_is_left_to_the_view(
    road: Road, begin: Begin, make_key: Keys
) -> None:
    path = begin().path("state")

    assert road.passes(path, make_key(agents=["travel"])).code == 200
    assert road.passes(path, make_key(agents=["billing"])).code == 404


def test_what_is_deleted_or_over_or_no_session_is_not_found(
    road: Road, begin: Begin, secret: str
) -> None:
    deleted, over, document = begin(), begin(ttl_seconds=60), begin()
    deleted.client.delete(deleted.path())
    Session.objects.filter(id=over.id).update(expires_at=timezone.now())
    be_document(document.id)

    assert road.passes(document.path("state"), secret).code == 404
    assert road.passes(deleted.path("state"), secret).code == 404
    assert road.passes(over.path("state"), secret).code == 404
    unknown = "/v1/sessions/sess_" + "0" * 26 + "/state"
    assert road.passes(unknown, secret).code == 404


def test_a_session_of_a_suspended_agent_is_read(
    road: Road, begin: Begin, secret: str
) -> None:
    path = begin().path("state")
    Agent.objects.update(status="suspended")

    assert road.equal(path, secret).code == 200


def test_the_view_notes_the_use_of_a_key(road: Road, begin: Begin, secret: str) -> None:
    path = begin().path("state")
    long_ago = timezone.now() - timedelta(minutes=2)
    ApiKey.objects.update(last_used_at=long_ago)

    road.passes(path, secret)
    road.equal(path, secret)

    assert ApiKey.objects.filter(last_used_at__gt=long_ago).count() == 1


def test_a_body_that_is_not_what_was_committed_to_is_left_to_the_view(
    road: Road, begin: Begin, secret: str
) -> None:
    run = begin({"text": "word " * 100})
    with erasing(), connection.cursor() as cursor:
        cursor.execute("UPDATE timeline_body SET size = size - 1")
    bodies.cache.forget(run.id)

    assert road.passes(run.path("state"), secret).code == 500


@pytest.mark.parametrize(
    "harm", ["DEALLOCATE ALL", "SELECT pg_terminate_backend(pg_backend_pid())"]
)
def test_a_connection_that_forgot_or_ended_costs_one_read_its_lane(
    road: Road,
    begin: Begin,
    secret: str,
    pool: ConnectionPool[Any],
    harm: str,
) -> None:
    path = begin().path("state")
    road.equal(path, secret)
    borrowed = pool.getconn()
    borrowed.pgconn.exec_(harm.encode())
    pool.putconn(borrowed)
    pool.wait()

    road.both(path, secret)
    for _ in range(2):
        told, ordinary = road.both(path, secret)
        assert told.lasting == ordinary.lasting
    assert not road.passed


def test_without_a_free_connection_the_view_answers(
    road: Road, begin: Begin, secret: str, pool: ConnectionPool[Any]
) -> None:
    path = begin().path("state")
    with pool.connection(), pool.connection():
        assert road.passes(path, secret).code == 200
    assert road.equal(path, secret).code == 200


def test_it_stands_only_where_statements_may_be_prepared(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def application(environ: Any, start_response: Any) -> list[bytes]:
        return []

    options = connection.settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "prepare_threshold", 5)
    monkeypatch.delitem(options, "pool", raising=False)
    assert with_door(application) is application

    monkeypatch.setitem(options, "pool", {"min_size": 0, "max_size": 1})
    monkeypatch.setattr(connection, "_connection_pools", {})
    assert isinstance(with_door(application), Door)

    monkeypatch.setitem(options, "prepare_threshold", None)
    assert with_door(application) is application


def test_large_bodies_are_left_to_the_view_that_waits_at_the_gate(
    road: Road, begin: Begin, secret: str
) -> None:
    text = "x" * GATED_BYTES
    state = begin({"text": text})
    part = begin({"step": 0})
    part.patch({"step": 1}, messages=[{"content": text}])

    for run in (state, part):
        road.passes(run.path("state"), secret)
        bodies.cache.forget(run.id)
        road.passes(run.path("state"), secret)
