"""Plans that roll many sessions back: the dry run, the run, and others beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from statistics import quantiles
from typing import Any

import psycopg

from apps.core import json
from tests.benchmarks import machine, states
from tests.benchmarks.clients import THREADS, Client, begin_sessions
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.live import Server

WHAT = "plans: dry run to previews, run to single rollbacks, appends beside it"
# As many as are judged while somebody waits.
SEEN = 25
RUN, QUICK_RUN = 50, 5
# A plan that goes on for longer than the appends beside it.
LONG, QUICK_LONG = 400, 60
APPENDS, QUICK_APPENDS = 200, 20
LEAST_APPENDS = 10
GOOD = 2
VERSIONS = ({"n": 1}, {"n": 2}, {"bad": True}, {"n": 3})
BY_CHECK = {"check": "NOT state.bad=true"}
PATIENCE_SECONDS = 120
# From the first item that was done to the last.
_TOOK = """
SELECT count(*), extract(epoch FROM max(done_at) - min(done_at))::float8
  FROM plans_item WHERE plan_id = %s AND state = 'done'
"""
_STATUS = "SELECT status FROM plans_plan WHERE id = %s"
_BEGAN = "SELECT 1 FROM plans_item WHERE plan_id = %s AND state = 'done' LIMIT 1"


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_plans"))
        server = opened.enter_context(machine.product(dsn))
        owner = psycopg.connect(dsn, autocommit=True)
        opened.enter_context(closing(owner))
        bench = _Bench(server, server.key("bench"), owner)
        return [
            *_dry_runs(setting, bench),
            _runs(setting, bench),
            _beside(setting, bench),
        ]


@dataclass(frozen=True, slots=True)
class _Bench:
    """A server, a key of it, and its database."""

    server: Server
    secret: str
    owner: psycopg.Connection[Any]

    def client(self) -> Client:
        """Return a connection of its own: a server ends those that idle."""
        return Client(self.server, self.secret)

    def sessions(self, n: int) -> list[str]:
        """Make sessions of which the same version is the first bad one."""
        ids = begin_sessions(self.server, self.secret, [states.small()] * n)

        def go_on(part: Sequence[str]) -> None:
            with closing(self.client()) as client:
                for path, body in _steps(part):
                    client.done("PATCH", path, body)

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(go_on, [ids[at::THREADS] for at in range(THREADS)]))
        return ids

    def until(self, plan_id: str, *statuses: str) -> None:
        """Raises: RuntimeError where the worker does not come so far."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self.asked(_STATUS, plan_id)[0] not in statuses:
            if time.monotonic() > end:
                raise RuntimeError(f"The plan {plan_id} is not {statuses}.")
            time.sleep(0.02)

    def asked(self, statement: str, plan_id: str) -> tuple[Any, ...]:
        return self.owner.execute(statement, [plan_id]).fetchone() or (None,)


def _steps(ids: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in ids:
        for state in VERSIONS:
            yield f"/v1/sessions/{one}/state", {"state": state}


def _dry_runs(setting: Setting, bench: _Bench) -> list[Finding]:
    """Compare a dry run with a preview of each of the same sessions."""
    ids = bench.sessions(SEEN)
    with closing(bench.client()) as client:
        given = {"versions": dict.fromkeys(ids, GOOD)}
        acts: dict[str, Callable[[], object]] = {
            "previews": partial(_previewed, client, ids),
            "number": partial(_planned, client, ids, given),
            "check": partial(_planned, client, ids, BY_CHECK),
        }
        lanes = {name: partial(milliseconds, act) for name, act in acts.items()}
        samples = alternate(lanes, rounds=setting.rounds)
    what = f"dry run of {SEEN} sessions over HTTP, %s: to as many previews, time"
    return [
        _ratio(what % "to versions that are given", samples, "number", 1.2),
        _ratio(what % "each by its first bad version", samples, "check", 1.2),
    ]


def _runs(setting: Setting, bench: _Bench) -> Finding:
    """Compare a plan's rate, from its first item on, with that of one client."""
    n = setting.count(RUN, QUICK_RUN)
    made = bench.sessions(2 * n * (setting.rounds + 1))
    parts = iter([made[at : at + n] for at in range(0, len(made), n)])

    def single() -> float:
        ids = next(parts)
        with closing(bench.client()) as client:
            return n * 1_000 / milliseconds(lambda: _rolled_back(client, ids))

    def planned() -> float:
        with closing(bench.client()) as client:
            plan_id = _confirmed(bench, client, next(parts))
        bench.until(plan_id, "finished")
        done, seconds = bench.asked(_TOOK, plan_id)
        if done != n:
            raise RuntimeError(f"{done} of {n} sessions were rolled back.")
        return float((n - 1) / seconds)

    samples = alternate({"single": single, "planned": planned}, rounds=setting.rounds)
    return Finding(
        what=f"rollbacks of a plan of {n} sessions: to single ones over HTTP",
        measured=samples.ratio("planned", "single"),
        limit=0.6,
        at_least=True,
        ours=f"{samples.median('planned'):,.0f}/s",
        other=f"{samples.median('single'):,.0f}/s",
        noise=noise_text(samples.noise("single")),
    )


def _beside(setting: Setting, bench: _Bench) -> Finding:
    """Compare the slowest hundredth of others' appends, with and without a plan."""
    n, most = setting.count(LONG, QUICK_LONG), setting.count(APPENDS, QUICK_APPENDS)
    made = bench.sessions(n * (setting.rounds + 1))
    parts = iter([made[at : at + n] for at in range(0, len(made), n)])
    serial = count()

    def slowest(plan_id: str | None) -> float:
        took: list[float] = []
        with closing(bench.client()) as client:
            path = f"/v1/sessions/{client.begin(states.small())}/state"
            while len(took) < most:
                body = {"state": {"n": next(serial)}}
                took.append(milliseconds(partial(client.done, "PATCH", path, body)))
                is_over = plan_id and bench.asked(_STATUS, plan_id)[0] == "finished"
                if is_over and len(took) < LEAST_APPENDS:
                    raise RuntimeError("The plan was over before the appends.")
                if is_over:
                    break
        return quantiles(took, n=100)[-1]

    def beside() -> float:
        with closing(bench.client()) as client:
            plan_id = _confirmed(bench, client, next(parts))
        while not bench.asked(_BEGAN, plan_id)[0]:
            time.sleep(0.005)
        found = slowest(plan_id)
        bench.until(plan_id, "finished")
        return found

    lanes: dict[str, Lane] = {"alone": partial(slowest, None), "beside": beside}
    samples = alternate(lanes, rounds=setting.rounds)
    what = "appends while a plan rolls sessions back, slowest hundredth: to without"
    return _ratio(what, samples, "beside", 1.3, other="alone")


def _planned(client: Client, ids: Sequence[str], target: Mapping[str, Any]) -> str:
    body = {"kind": "rollback", "sessions": ids, "target": target}
    return str(json.parse(client.done("POST", "/v1/plans", body))["id"])


def _confirmed(bench: _Bench, client: Client, ids: Sequence[str]) -> str:
    plan_id = _planned(client, ids, BY_CHECK)
    bench.until(plan_id, "draft")
    path = f"/v1/plans/{plan_id}"
    seen = json.parse(client.done("GET", path))
    client.done("POST", f"{path}/confirm", {"digest": seen["digest"]})
    return plan_id


def _previewed(client: Client, ids: Sequence[str]) -> None:
    for one in ids:
        client.done("GET", f"/v1/sessions/{one}/rollback/preview?version={GOOD}")


def _rolled_back(client: Client, ids: Sequence[str]) -> None:
    for one in ids:
        client.done("POST", f"/v1/sessions/{one}/rollback", {"version": GOOD})


def _ratio(
    what: str, samples: Samples, one: str, limit: float, other: str = "previews"
) -> Finding:
    return Finding(
        what=what,
        measured=samples.ratio(one, other),
        limit=limit,
        ours=f"{samples.median(one):,.1f} ms",
        other=f"{samples.median(other):,.1f} ms",
        noise=noise_text(samples.noise(other)),
    )
