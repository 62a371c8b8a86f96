"""Effects, previews, the inbox of approvals, and who waits, beside what they resemble.

One client on one connection, so that what is compared is the work of a request. What
was decided long ago is loaded as rows: a vote costs a version, a list does not care.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import count
from statistics import quantiles
from typing import Any

import psycopg

from apps.core import json
from tests.benchmarks import machine, states, untouched
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.live import Server, manage

WHAT = "effects and approvals over HTTP, one client"
KILOBYTES = 2
TIMES = 100
CROSSED = 1_000
FEW, MANY = 100, 100_000
WAITING = 20
CLIENTS = 200
ASKED = {"tool": "issue_refund", "arguments": {"amount": 120, "to": "card 4471"}}
# Copies of what one person decided, under numbers of their own.
DECIDED = """
INSERT INTO approvals_approval (
    session_id, id, number, project_id, agent_id, tool, effect_class, arguments,
    depends_on, binding, votes, who, expires_at, on_expiry, actor_kind, actor_id,
    actor_label, created_at)
SELECT a.session_id, 'appr_' || lpad(n::text, 26, '0'), 1000 + n, a.project_id,
       a.agent_id, a.tool, a.effect_class, a.arguments, a.depends_on, a.binding,
       a.votes, a.who, a.expires_at, a.on_expiry, a.actor_kind, a.actor_id,
       a.actor_label, a.created_at - interval '1 day'
  FROM approvals_approval a, generate_series(1, %(count)s) n WHERE a.id = %(id)s
"""
VOTES = """
INSERT INTO approvals_vote (
    session_id, approval_id, ordinal, project_id, agent_id, verdict, is_late, outcome,
    number, actor_kind, actor_id, actor_label, created_at)
SELECT a.session_id, a.id, 1, a.project_id, a.agent_id, 'approve', false, 'approved',
       a.number + 1, 'user', 'user_x', 'ada', a.created_at
  FROM approvals_approval a WHERE a.session_id = %(session)s AND a.number > 1000
"""


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_acting"))
        server = opened.enter_context(machine.product(dsn))
        secret = server.key("bench")
        client = opened.enter_context(closing(Client(server, secret)))
        lanes = _begins(client, setting) | _hits(client, setting)
        lanes |= _previews(client, setting)
        lanes |= _inboxes(server, opened, setting)
        samples = alternate(lanes, rounds=setting.rounds)
        waits = _beside_who_waits(server, secret, setting)
    return _findings(samples, waits, _untouched(setting))


def _untouched(setting: Setting) -> Samples:
    """Append to sessions without effects, beside a database that knows of none."""
    with machine.database("bench_with_effects") as dsn:
        manage(dsn, "create_project", "bench")
        copied = machine.database(
            "bench_without_effects", template="bench_with_effects"
        )
        with copied as before:
            # A few microseconds are asked about.
            rounds = setting.rounds * setting.count(3, 1)
            return untouched.measured(dsn, before, "effects", rounds=rounds)


def _begins(client: Client, setting: Setting) -> dict[str, Lane]:
    text = states.texts(997, KILOBYTES * 1_000)
    patched, acting = (client.begin({"n": 0}) for _ in range(2))
    serial = count()

    def patch() -> None:
        body = {"state": {"text": str(text[next(serial) % len(text)])}}
        client.done("PATCH", f"/v1/sessions/{patched}/state", body)

    def begin() -> None:
        body = {"key": f"mail-{next(serial)}", "class": "irreversible", "number": 0}
        client.done("POST", f"/v1/sessions/{acting}/effects", body | ASKED)

    times = setting.count(TIMES, 5)
    return {"append": _mean(patch, times), "begin": _mean(begin, times)}


def _hits(client: Client, setting: Setting) -> dict[str, Lane]:
    """Make the same read, and be answered from the record."""
    session = client.begin(states.small())
    path = f"/v1/sessions/{session}/effects"
    serial = count()
    reading = {"tool": "find_flights", "class": "read", "number": 0}

    def begun(**said: Any) -> Any:
        body = {"key": f"read-{next(serial)}"} | reading | said
        return json.parse(client.done("POST", path, body))

    def call(**arguments: Any) -> None:
        effect = begun(arguments=arguments)
        done = {"attempt": effect["attempt"], "status": "done", "result": ["SK 1"]}
        client.done("POST", f"{path}/{effect['id']}/finish", done)

    def hit() -> None:
        if begun(arguments={"to": "OSL"}, cache={"ttl": 86_400})["run"]:
            raise RuntimeError("The record did not answer.")

    call(to="OSL")
    times = setting.count(TIMES, 5)
    return {"hit": _mean(hit, times), "call": _mean(lambda: call(to="BGO"), times)}


def _previews(client: Client, setting: Setting) -> dict[str, Lane]:
    """Look at the same step back with and without effects that it crosses."""
    lanes: dict[str, Lane] = {}
    for name, effects in (("none", 0), ("crossed", setting.count(CROSSED, 20))):
        session = client.begin(states.small())
        path = f"/v1/sessions/{session}"
        client.done("PATCH", f"{path}/state", {"state": {"step": 1}})
        for number in range(effects):
            said = {"key": f"mail-{number}", "class": "irreversible", **ASKED}
            begun = json.parse(client.done("POST", f"{path}/effects", said))
            done = {"attempt": 1, "status": "done"}
            client.done("POST", f"{path}/effects/{begun['id']}/finish", done)
        look = partial(client.done, "GET", f"{path}/rollback/preview?version=0")
        lanes[f"preview, {name}"] = _mean(look, setting.count(20, 2))
    return lanes


def _inboxes(server: Server, opened: ExitStack, setting: Setting) -> dict[str, Lane]:
    """List what waits in two projects, one of which has decided much."""
    lanes: dict[str, Lane] = {}
    for name, decided in (("few", FEW), ("many", setting.count(MANY, 500))):
        client = opened.enter_context(closing(Client(server, server.key(name))))
        session = client.begin(states.small())
        path = f"/v1/sessions/{session}/approvals"
        for _ in range(WAITING):
            last = json.parse(client.done("POST", path, ASKED))
        _decide(server, session, last["id"], decided)
        for status in ("pending", "decided"):
            look = partial(client.done, "GET", f"/v1/approvals?status={status}")
            lanes[f"{status}, {name}"] = _mean(look, setting.count(20, 2))
    return lanes


def _decide(server: Server, session_id: str, approval_id: str, decided: int) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(DECIDED, {"count": decided, "id": approval_id})
        connection.execute(VOTES, {"session": session_id})
        connection.execute("ANALYZE")


def _beside_who_waits(server: Server, secret: str, setting: Setting) -> Samples:
    """Return the slowest hundredth of reads and writes, with and without who waits."""
    with closing(Client(server, secret)) as client:
        session = client.begin(states.small())
        approval = json.parse(
            client.done("POST", f"/v1/sessions/{session}/approvals", ASKED)
        )["id"]
        other = client.begin(states.small())
        serial = count()

        def act() -> None:
            path = f"/v1/sessions/{other}/state"
            client.done("GET", path)
            client.done("PATCH", path, {"state": {"n": next(serial)}})

        def slowest() -> float:
            took = [milliseconds(act) for _ in range(setting.count(300, 10))]
            return quantiles(took, n=100)[-1]

        def beside() -> float:
            with _waiting(server, secret, approval, setting.count(CLIENTS, 8)):
                return slowest()

        lanes = {"alone": slowest, "beside": beside}
        return alternate(lanes, rounds=setting.rounds)


@contextmanager
def _waiting(
    server: Server, secret: str, approval_id: str, clients: int
) -> Iterator[None]:
    """Let so many clients wait for an outcome, each as it is told to ask again."""
    over = threading.Event()

    def wait() -> None:
        with closing(Client(server, secret)) as client:
            while not over.is_set():
                path = f"/v1/approvals/{approval_id}?wait=5"
                _, headers, _ = client.send("GET", path)
                over.wait(float(headers.get("retry-after", 0)))

    threads = [threading.Thread(target=wait) for _ in range(clients)]
    for thread in threads:
        thread.start()
    # The first of all come at once; what is asked is how it is while they wait.
    time.sleep(3)
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _mean(act: Callable[[], Any], times: int) -> Lane:
    """Return the lane of how long one act takes, of so many one behind the other."""

    def lane() -> float:
        return milliseconds(lambda: [act() for _ in range(times)]) / times

    return lane


def _findings(samples: Samples, waits: Samples, appends: Samples) -> list[Finding]:
    def finding(
        what: str, one: str, other: str, limit: float, found: Samples = samples
    ) -> Finding:
        return Finding(
            what=what,
            measured=found.ratio(one, other),
            limit=limit,
            ours=f"{found.median(one):,.1f} ms",
            other=f"{found.median(other):,.1f} ms",
            noise=noise_text(found.noise(one)),
        )

    decided = f"{MANY:,} decided approvals, to {FEW}"
    return [
        finding(
            f"begin of an effect: to an append of {KILOBYTES} KB, time",
            *("begin", "append", 1.1),
        ),
        finding(
            "a read answered from the record: to its begin and finish, time",
            *("hit", "call", 0.8),
        ),
        finding(
            "append to a session without effects, in one process: to a database "
            "without their tables, time",
            *("with", "without", 1.02, appends),
        ),
        finding(
            f"preview of a rollback that crosses {CROSSED:,} effects: to one that "
            "crosses none, time",
            *("preview, crossed", "preview, none", 1.5),
        ),
        finding(
            f"{decided}: list of what waits, time",
            *("pending, many", "pending, few", 1.5),
        ),
        finding(
            f"{decided}: list of what is decided, time",
            *("decided, many", "decided, few", 1.5),
        ),
        finding(
            f"{CLIENTS} clients wait for an approval: slowest hundredth of others' "
            "reads and writes, to nobody waiting",
            *("beside", "alone", 1.2, waits),
        ),
    ]
