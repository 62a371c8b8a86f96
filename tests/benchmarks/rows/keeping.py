"""What keeping costs: appends with it, removals of long histories, what they leave."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from statistics import quantiles

import httpx
import psycopg

from apps.core.roles.names import Role
from stepback import Stepback
from tests.benchmarks import machine, removals, states, stored, untouched
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples, alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.live import ROOT, Server, manage, process_environment

WHAT = "appends beside removals, removals by length, what they leave, files saved"
LONG, QUICK_LONG = 100_000, 3_500
SHORT = 1_000
# Sessions, and how many versions each has before; what is left of each.
FREED, QUICK_FREED, KEPT = (100, 10_000), (4, 1_500), 100
FILES, FILE_BYTES = 1_000, 4 * 1024 * 1024
FIRST = "SELECT id FROM timeline_session ORDER BY head_number LIMIT 1"


def run(setting: Setting) -> list[Finding]:
    return [
        _ratio(
            "append with indexes for removals and the look for blobs, in one process: "
            "to one without, time",
            *("with", "without", 1.05, _appends(setting)),
        ),
        _ratio(
            "appends while a removal runs, slowest hundredth: to none running",
            *("beside", "alone", 2.0, _beside_removals(setting)),
        ),
        _ratio(
            f"prune of a session of {setting.count(LONG, QUICK_LONG):,} versions: to "
            f"one of {SHORT:,}, time a version",
            *("long", "short", 1.3, _prunes(setting)),
        ),
        _freed(setting),
        _saved(setting),
    ]


def _appends(setting: Setting) -> Samples:
    with machine.database("bench_keeping") as dsn:
        manage(dsn, "create_project", "bench")
        copied = machine.database("bench_unkept", template="bench_keeping")
        with copied as before:
            # A few microseconds are asked about.
            rounds = setting.rounds * setting.count(3, 1)
            return untouched.measured(dsn, before, "keeping", rounds=rounds)


@contextmanager
def _loaded(name: str, *sizes: tuple[int, int]) -> Iterator[str]:
    """Make a database with sessions of these sizes."""
    with machine.database(name) as dsn:
        manage(dsn, "create_project", "bench")
        removals.load(dsn, *sizes)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        yield dsn


def _prunes(setting: Setting) -> Samples:
    sizes = (1, setting.count(LONG, QUICK_LONG)), (setting.rounds + 1, SHORT)
    with _loaded("bench_prunes", *sizes) as dsn:
        return removals.pairs(dsn, setting.rounds)


def _beside_removals(setting: Setting) -> Samples:
    """Return the slowest hundredth of appends, with and without a removal."""
    size = (setting.count(100, 8), setting.count(5_000, 1_500))
    with ExitStack() as opened:
        dsn = opened.enter_context(_loaded("bench_removals", (1, 1), size))
        server = opened.enter_context(machine.product(dsn))
        client = opened.enter_context(closing(Client(server, server.key("bench"))))
        path = f"/v1/sessions/{client.begin(states.small())}/state"
        serial = count()

        def append() -> None:
            client.done("PATCH", path, {"state": {"n": next(serial)}})

        def slowest() -> float:
            took = [milliseconds(append) for _ in range(setting.count(300, 20))]
            return quantiles(took, n=100)[-1]

        def beside() -> float:
            with _removing(server):
                return slowest()

        return alternate({"alone": slowest, "beside": beside}, rounds=setting.rounds)


@contextmanager
def _removing(server: Server) -> Iterator[None]:
    """Have the retention process prune, step after step, until the block is left."""
    env = process_environment(Role.RETENTION, server.dsn)
    env["STEPBACK_LOG_LEVEL"] = "ERROR"
    with (
        psycopg.connect(server.dsn, autocommit=True) as connection,
        machine.running(removals.command("on"), env=env, cwd=ROOT) as (process, log),
    ):
        while not connection.execute("SELECT 1 FROM timeline_tombstone").fetchone():
            if process.poll() is not None:
                break
        yield
        if process.poll() not in (None, 0):
            raise RuntimeError(log.read_text()[-4000:])


def _freed(setting: Setting) -> Finding:
    """Compare what is stored with a store that never had what was pruned."""
    sessions, versions = FREED if not setting.quick else QUICK_FREED
    with _loaded("bench_freed", (sessions, versions)) as dsn:
        full = _bytes(dsn)
        removals.removed(dsn, "down", KEPT)
        freed = _bytes(dsn)
    with _loaded("bench_never", (sessions, KEPT)) as dsn:
        never = _bytes(dsn)
    return Finding(
        what=f"{sessions * (versions - KEPT):,} of {sessions * versions:,} versions "
        "pruned, tables after VACUUM FULL: to a store that never had them",
        measured=freed / never,
        limit=1.05,
        ours=f"{freed / 2**20:,.1f} MiB, before {full / 2**20:,.1f}",
        other=f"{never / 2**20:,.1f} MiB",
    )


def _bytes(dsn: str) -> int:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        return stored.total_bytes(connection)


def _saved(setting: Setting) -> Finding:
    """Count the bytes of the bodies that a client sends of a folder, saved again."""
    sent = 0

    def count_bytes(request: httpx.Request) -> None:
        nonlocal sent
        sent += len(request.read())

    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_files"))
        objects, folder = (
            Path(opened.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)
        )
        os.environ["STEPBACK_OBJECTS"] = str(objects)
        opened.callback(os.environ.pop, "STEPBACK_OBJECTS")
        server = opened.enter_context(machine.product(dsn))
        for number in range(FILES):
            (folder / f"file-{number}").write_text(f"file {number}")
        (folder / "file-7").write_bytes(os.urandom(FILE_BYTES))
        http = opened.enter_context(
            httpx.Client(
                base_url=server.url, event_hooks={"request": [count_bytes]}, timeout=60
            )
        )
        client = opened.enter_context(Stepback(server.key("bench"), http_client=http))
        session = client.sessions.create(agent_id="bench").id
        client.save_files(session, folder)
        (folder / "file-7").write_bytes(os.urandom(FILE_BYTES))
        sent = 0
        client.save_files(session, folder)
    return Finding(
        what=f"{FILES:,} files saved again, of which one of {FILE_BYTES // 2**20} MiB "
        "changed: bytes sent, to that file",
        measured=sent / FILE_BYTES,
        limit=1.2,
        ours=f"{sent:,} bytes",
        other=f"{FILE_BYTES:,} bytes",
    )


def _ratio(what: str, one: str, other: str, limit: float, found: Samples) -> Finding:
    return Finding(
        what=what,
        measured=found.ratio(one, other),
        limit=limit,
        ours=f"{found.median(one):,.2f} ms",
        other=f"{found.median(other):,.2f} ms",
        noise=noise_text(found.noise(one)),
    )
