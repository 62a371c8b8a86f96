"""Nothing that callers send reaches a log: neither ours, at DEBUG, nor PostgreSQL's.

One word goes into everything a caller can fill in, in requests that succeed, that are
refused and that break inside the database; then the logs are searched for it.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.conf import settings

from tests.live import Server

CANARY = "canary7f3a91"
JSON = {"Content-Type": "application/json"}
VALUES = {
    "text": CANARY,
    CANARY: 1,
    "nested": [{"deep": {CANARY: CANARY}}],
    "long": CANARY * 100,
    "nul": f"{CANARY}\0",
}
STEP = {
    "reasoning": CANARY,
    "trace_id": CANARY,
    "parent_id": CANARY,
    "objective_status": CANARY,
    "schema_version": CANARY,
    "release": CANARY,
    "model": CANARY,
    "messages": [VALUES],
    "tool_results": VALUES,
    "model_params": VALUES,
    "tasks": [VALUES],
    "artifacts": [VALUES],
    "facts": [{"key": CANARY, "value": VALUES, "source": CANARY}],
}
SESSION = {
    "agent_id": CANARY,
    "user_id": CANARY,
    "initial_state": VALUES,
    "metadata": VALUES,
    **STEP,
}
TURN = {
    "input": {"type": CANARY, "content": CANARY, "more": VALUES},
    "output": CANARY,
    "metadata": VALUES,
    "state_before": {"other": CANARY},
    "state_after": {"after": CANARY},
    **STEP,
}
MALFORMED = [
    f'{{"state": {{"{CANARY}": 1, "{CANARY}": 2}}}}',
    f'{{"state": {{"a": {CANARY}}}}}',
    f'{{"state": {{"a": "{CANARY}',
    f'{{"state": {{"{CANARY}": "\\ud800"}}}}',
    f'{{"state": {{"{CANARY}": 1e400}}}}',
    f'{{"state": {{"{CANARY}": NaN}}}}',
    f'{{"state": {{"a": "{CANARY}\t"}}}}',
    f'{{"state": {{}}}}{CANARY}',
    f'"{CANARY}"',
    CANARY,
    f'{{"state": "{CANARY}"}}',
    f'{{"state": {{"{CANARY}": ' + "[" * 200 + "]" * 200 + "}}",
]
WRONG = [
    {"state": {"a": 1}, "expected_version": CANARY},
    {"state": {"a": 1}, "expected_version": 99, "reasoning": CANARY},
    {"state": {"a": 1}, "reasoning": [CANARY]},
    {"state": {"a": 1}, "reasoning": f"{CANARY}\0"},
    {"state": {"a": 1}, "model": CANARY * 100},
    {"state": {"a": 1}, "messages": CANARY},
    {"remove": [f"/{CANARY}"]},
    {"remove": [{CANARY: CANARY}]},
    {CANARY: CANARY},
    {"version": CANARY, "input": {"type": CANARY * 100}, "output": CANARY},
]
HEADERS: list[dict[str, Any]] = [
    {"Idempotency-Key": f"{CANARY} ".encode() + b"\xff"},
    {"Idempotency-Key": CANARY * 100},
    {"If-Match": CANARY},
    {"If-Match": f'"{CANARY}"'},
    {"Content-Type": f"text/{CANARY}"},
    {"Content-Type": f"application/json; charset={CANARY}"},
    {"Content-Encoding": CANARY},
    {"Accept": f"application/{CANARY}"},
    {"X-API-Key": f"sb_{CANARY}"},
    {"Authorization": f"Bearer {CANARY}"},
    {"Authorization": f"Basic {CANARY}"},
    {"Cookie": f"sessionid={CANARY}; csrftoken={CANARY}"},
    {"User-Agent": CANARY, "Referer": f"http://{CANARY}/"},
    {"Host": CANARY},
    {"X-Forwarded-For": CANARY, "X-Forwarded-Host": CANARY},
    {"X-Request-Id": f"{CANARY} with a blank"},
]
QUERIES = [
    "/v1/sessions?agent_id={c}&user_id={c}&external_id={c}&forked_from={c}",
    '/v1/sessions?metadata={{"{c}":"{c}"}}',
    "/v1/sessions?metadata={c}",
    "/v1/sessions?limit={c}",
    "/v1/sessions?status={c}",
    "/v1/sessions?created_after={c}",
    "/v1/sessions?starting_after={c}",
    "/v1/sessions?{c}={c}%00",
    "/v1/sessions/{c}",
    "/v1/sessions/{c}/state",
    "/v1/sessions/{c}%00/state",
    "/v1/sessions/{c}/versions/{c}",
    "/v1/traces?action={c}&user_id={c}&resource_type={c}&resource_id={c}",
    "/v1/traces?start_time={c}",
    "/v1/traces/{c}",
    "/v1/traces/sessions/{c}/traces",
    "/v1/agents/{c}",
    "/v1/{c}",
    "/{c}?{c}={c}",
    "/%ff{c}",
    "/console/{c}/sessions/{c}?q={c}",
    "/health/{c}",
    "/signin/{c}",
    "/password/{c}",
    "/invitation/{c}",
    "/signin?next=/invitation/{c}",
]
RAW = [
    f"GET /v1/{CANARY} HTTP/9.9\r\n\r\n",
    f"GET /v1/sessions HTTP/1.1\r\nHost: x\r\n{CANARY} {CANARY}\r\n\r\n",
    f"{CANARY}\r\n\r\n",
    f"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: {CANARY}\r\n\r\n",
    "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    f"{CANARY}\r\n",
    f"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{CANARY}",
]


@pytest.fixture(scope="module")
def logged(live: Server) -> str:
    """What the server had to say of all the requests above."""
    before = len(live.log.read_bytes())
    with live.client(live.key("canary")) as client:
        session = begun(client)
        refused(client, session)
        broken(live, client, session)
        client.delete(session)
    for text in RAW:
        said_raw(live, text)
    return live.log.read_bytes()[before:].decode(errors="replace")


def test_our_log_has_none_of_it(logged: str) -> None:
    assert CANARY not in logged


def test_our_log_has_a_line_for_each_kind_of_request(logged: str) -> None:
    lines = [json.loads(line) for line in logged.splitlines() if line.startswith("{")]
    codes = {line.get("code") for line in lines}
    statuses = {line.get("status") for line in lines if line["event"] == "request"}

    assert codes >= {
        "malformed_json",
        "unacceptable_json",
        "invalid_request",
        "session_not_found",
        "version_conflict",
        "external_id_taken",
        "idempotency_key_reused",
        "internal_error",
    }
    assert statuses >= {200, 201, 204, 400, 401, 404, 409, 415, 422, 500}


def test_our_log_shows_where_the_database_refused(logged: str) -> None:
    (failure,) = [
        line for line in logged.splitlines() if '"event":"unhandled error"' in line
    ]

    assert "23514" in failure
    assert "apps/timeline/ledger/appending.py" in failure


def test_postgresqls_log_has_none_of_it(logged: str) -> None:
    folder = settings.LOCATION.log_dir
    if not folder.is_dir():
        pytest.skip("This PostgreSQL is not ours: its log is somewhere else.")

    logs = [*folder.iterdir(), *folder.parent.glob("*.log")]

    assert logs
    assert not [log for log in logs if CANARY.encode() in log.read_bytes()]


def begun(client: httpx.Client) -> str:
    """Do everything that succeeds; return the session's address."""
    named = {**SESSION, "external_id": CANARY}
    made = done(client.post("/v1/sessions", json=named, headers=key(1)))
    assert CANARY in made.text
    session = f"/v1/sessions/{made.json()['id']}"
    state = {"state": VALUES, **STEP}
    write = {**state, "external_id": CANARY, "expected_version": 0}
    done(client.patch(f"{session}/state", json=write, headers=key(2)))
    done(client.put(f"{session}/state", json=state))
    done(client.post(f"{session}/turns", json=TURN, headers=key(3)))
    back = {"version": 0, "reason": CANARY, "reason_code": CANARY}
    done(client.post(f"{session}/rollback", json=back))
    done(client.post(f"{session}/fork", json={"metadata": VALUES, **STEP}))
    done(client.patch(session, json={"metadata": VALUES}))
    done(client.post(f"{session}/versions/1/labels", json={"label": CANARY}))
    done(client.post(f"{session}/context", json={"query": CANARY}))
    done(client.get(f"{session}/history"))
    done(client.get(f"{session}/changes?from=0"))
    done(client.delete(f"{session}/versions/1/labels/{CANARY}"))
    return session


def refused(client: httpx.Client, session: str) -> None:
    """Do everything that is refused."""
    doors = [
        ("POST", "/v1/sessions"),
        ("PATCH", f"{session}/state"),
        ("PUT", f"{session}/state"),
        ("POST", f"{session}/turns"),
        ("POST", f"{session}/rollback"),
    ]
    for method, path in doors:
        for text in MALFORMED:
            turned_away(client, method, path, content=text, headers=JSON)
        for body in WRONG:
            client.request(method, path, json=body)
    for text in MALFORMED:
        client.patch(session, content=text, headers=JSON)
    for headers in HEADERS:
        body = json.dumps({"state": {"a": CANARY}})
        client.request(
            "PATCH", f"{session}/state", content=body, headers=JSON | headers
        )
    for query in QUERIES:
        client.get(query.format(c=CANARY))
        # A page wants the token of a form; to the API it is a body of no sense.
        client.post(query.format(c=CANARY), data={CANARY: CANARY})
    again = {**SESSION, "external_id": CANARY}
    turned_away(client, "POST", "/v1/sessions", json=again)
    turned_away(client, "POST", "/v1/sessions", json=SESSION, headers=key(1))
    turned_away(client, "POST", f"{session}/turns", json={**TURN, "output": 5})


def broken(live: Server, client: httpx.Client, session: str) -> None:
    """Let the database refuse a row, whose values PostgreSQL then puts in its error."""
    with refusing(live, reasoning=CANARY):
        state = {"state": VALUES, "reasoning": CANARY}
        answer = client.patch(f"{session}/state", json=state)
    assert answer.status_code == 500
    assert CANARY not in answer.text


@contextmanager
def refusing(live: Server, *, reasoning: str) -> Iterator[None]:
    """Add a constraint that no version with this reasoning meets."""
    with psycopg.connect(live.dsn, autocommit=True) as connection:
        connection.execute(
            "ALTER TABLE timeline_version ADD CONSTRAINT only_for_a_test"
            f" CHECK (reasoning <> '{reasoning}') NOT VALID"
        )
        try:
            yield
        finally:
            connection.execute(
                "ALTER TABLE timeline_version DROP CONSTRAINT only_for_a_test"
            )


def key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": f"{CANARY}-{number}", "If-Match": "*"}


def done(answer: httpx.Response) -> httpx.Response:
    assert answer.is_success, answer.text
    return answer


def turned_away(client: httpx.Client, method: str, path: str, **sent: object) -> None:
    answer = client.request(method, path, **sent)  # type: ignore[arg-type]
    assert answer.is_client_error, answer.text


def said_raw(live: Server, text: str) -> None:
    """Send what no client would."""
    address = urlsplit(live.url)
    with socket.create_connection((address.hostname, address.port), 5) as connection:
        connection.settimeout(1)
        connection.sendall(text.encode())
        connection.shutdown(socket.SHUT_WR)
        try:
            while connection.recv(65_536):
                pass
        except (TimeoutError, ConnectionError):
            return
