"""kill -9 of PostgreSQL, fifty times, while all that keeping does is in its middle.

Removals, archives, erasures, older data that is sealed, keys that are wrapped anew,
blobs that are collected, and a plan that rolls sessions back: each by a process with
the login of its role, which lives on.
Afterwards each is whole and done once, and what nobody asked to go is there.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from apps.core.notes.signed import SigningKey
from apps.core.postgres import Cluster, locate, processes
from apps.core.roles.names import Role
from tests.blobs.conftest import objects_in
from tests.blobs.test_killed import LAPSE, STORED, Agent
from tests.cluster import let_tests_act
from tests.encryption.conftest import line
from tests.encryption.test_killed import VERSIONS, filled
from tests.erasures.leaving import begun_erasure, leave
from tests.erasures.served import Caller, canaries
from tests.faults import family
from tests.faults.house import premises
from tests.live import (
    COMMANDS,
    ROOT,
    Server,
    feed,
    manage,
    process_environment,
    served,
    shell,
)
from tests.retention.test_archives_killed import named, objects
from tests.retention.test_processes import Told, count_by_twos
from tests.worker.processes import execute, rows, until

SEED, KILLS = 13, 50
SOONEST, LATEST = 0.05, 0.3
PEOPLE, PROJECTS, POOL, REPAIRED = 8, 8, 250, 100
DAYS = {"thin_days": 40, "empty_days": 50, "prune_days": 70, "remove_days": 100}
ROLES = {
    "sweep": Role.RETENTION,
    "erase": Role.RETENTION,
    "seal": Role.RETENTION,
    "collect": Role.WORKER,
    "rotate": Role.WEB,
    "repair": Role.WORKER,
}
# What there is while there is something left of each.
LEFT = {
    "sweep": "SELECT 1 FROM retention_removal WHERE state = 'running'",
    "erase": "SELECT 1 FROM erasures_erasure WHERE state <> 'done'",
    "seal": """
SELECT 1 FROM timeline_body b JOIN timeline_session s ON s.id = b.session_id
  JOIN accounts_datakey k ON k.project_id = s.project_id WHERE b.codec BETWEEN 1 AND 15
""",
    "collect": """
SELECT 1 FROM blobs_blob b WHERE NOT EXISTS (
    SELECT FROM blobs_use u WHERE u.digest = b.digest AND u.project_id = b.project_id)
""",
    "rotate": "SELECT 1 FROM accounts_datakey WHERE outer_id <> '{current}'",
    "repair": "SELECT 1 FROM plans_item WHERE state = 'planned'",
}
# How many were rolled back, how many times, and where their heads are now.
ROLLED_BACK = """
SELECT count(DISTINCT s.id), count(*), min(s.head_number), max(s.head_number)
  FROM plans_item i
  JOIN timeline_session s ON s.id = i.session_id
  JOIN timeline_version v ON v.session_id = s.id AND v.op = 'rollback'
 WHERE i.plan_id = %s AND i.state = 'done' AND i.result_number = v.number
"""
DRY_RUN = """
from django.utils import timezone
from apps.plans import dry_running
while dry_running.sweep(now=timezone.now()):
    pass
"""
LATER = """
from datetime import timedelta
from django.utils import timezone
from apps.blobs import operations as blobs
from apps.core.actors import SYSTEM
from apps.timeline.operations import sweep_archives
later = timezone.now() + timedelta(days=2)
blobs.sweep_objects(actor=SYSTEM, now=later)
sweep_archives(now=later)
"""


@dataclass
class House:
    """A PostgreSQL of one's own, and files beside it."""

    cluster: Cluster
    folder: Path
    keys: list[str]

    @property
    def dsn(self) -> str:
        return self.cluster.location.dsn_of(Role.OWNER)

    @property
    def objects(self) -> Path:
        return self.folder / "objects"

    @contextmanager
    def open(self) -> Iterator[Server]:
        """Serve it until the block is left."""
        log = self.folder / "server.log"
        with served(self.dsn, log, 1, {}) as (url, process):
            yield Server(url=url, dsn=self.dsn, log=log, process=process)

    def rotate(self) -> None:
        """Have the other key be the one that wraps."""
        self.keys.reverse()
        written = self.folder / "keys.new"
        written.write_text("".join(self.keys))
        # Who reads it meanwhile reads the one or the other.
        written.replace(self.folder / "keys")

    def kill(self) -> None:
        """Kill the postmaster and its children, and start it again."""
        postmaster = processes.living_postmaster(self.cluster.location.cluster_dir)
        assert postmaster is not None
        family.kill_all(postmaster)
        self.cluster.start()


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    key = SigningKey.made("stepback/test")
    with premises() as folder:
        cluster = Cluster(locate(folder / "var", ROOT))
        made = House(cluster, folder, [line("first"), line("second")])
        (folder / "keys").write_text("".join(made.keys))
        said = {
            "STEPBACK_OBJECTS": made.objects,
            "STEPBACK_KEYS": f"file:{folder / 'keys'}",
            "STEPBACK_ERASURES": folder / "erasures",
            "STEPBACK_ROOTS": folder / "roots",
            "STEPBACK_SIGNING_KEY": key.secret(),
            "STEPBACK_VERIFIER_KEY": key.verifier,
        }
        for name, value in said.items():
            monkeypatch.setenv(name, str(value))
        # Commands are forks of a process that has the settings of its beginning.
        COMMANDS.stop()
        cluster.start()
        try:
            let_tests_act(cluster)
            manage(made.dsn, "migrate", "--verbosity", "0")
            yield made
        finally:
            COMMANDS.stop()
            cluster.stop()


@dataclass(frozen=True)
class Keeper:
    """A process that does one of the acts, and the log that it writes its steps to."""

    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> int:
        """Return how many lines it has written."""
        return self.log.read_bytes().count(b"\n")

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"begin\n")
        self.process.stdin.flush()


@contextmanager
def keeping(house: House, act: str) -> Iterator[Keeper]:
    log = house.folder / f"{act}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.retention.keepers", act],
            cwd=ROOT,
            env=process_environment(ROLES[act], house.dsn),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Keeper(process, log)
    finally:
        process.terminate()
        process.communicate(timeout=30)


def begin_together(keepers: dict[str, Keeper]) -> None:
    """Let all begin once all have started, and wait until each has.

    Who starts on a busy machine may take longer than all kills do.
    """
    for act, one in keepers.items():
        until(lambda one=one: one.said() > 0, f"{act} is not ready")
    for one in keepers.values():
        one.begin()
    for act, one in keepers.items():
        until(lambda one=one: one.said() > 1, f"{act} has not begun")


def is_left(house: House, act: str) -> bool:
    current = house.keys[0].split()[0]
    return bool(rows(house.dsn, f"{LEFT[act].format(current=current)} LIMIT 1"))


@dataclass
class Work:
    """What was there before anything was killed, and what has to come of it."""

    preview: Any
    secret: str
    project: str
    agent_key: str
    session: str
    saved: dict[int, dict[str, bytes]]
    sealed: list[str]
    plan: str


def begun_plan(house: House, client: httpx.Client) -> str:
    """Have sessions that went wrong be rolled back, many at once."""
    sessions = []
    for n in range(REPAIRED):
        given = {"agent_id": "seller", "initial_state": {"n": n}}
        sessions.append(client.post("/v1/sessions", json=given).json()["id"])
        path = f"/v1/sessions/{sessions[-1]}/state"
        client.patch(path, json={"state": {"bad": True}})
    target = {"rule": "check", "check": "NOT state.bad=true"}
    asked = {"kind": "rollback", "sessions": sessions, "target": target}
    made = client.post("/v1/plans", json=asked).json()
    shell(house.dsn, Role.WORKER, DRY_RUN)
    plan = client.get(f"/v1/plans/{made['id']}").json()
    said = {"digest": plan["digest"], "reason": "Bad release."}
    answer = client.post(f"/v1/plans/{plan['id']}/confirm", json=said)
    assert answer.status_code == 200, answer.text
    return str(plan["id"])


def fill(house: House) -> Work:
    """Leave work for everybody."""
    with house.open() as server, ExitStack() as stack:
        run = "from tests.retention.telling import tell; tell('swept', 8)"
        printed = manage(house.dsn, "shell", "--no-imports", "-c", run)
        said = json.loads(printed.splitlines()[-1])
        feed(house.dsn)
        secret = said.pop("secret")
        told = Told(server, stack.enter_context(server.client(secret)), **said)
        preview = told.previewed(count_by_twos, **DAYS)
        told.enable(preview)
        run = "from tests.retention.telling import tell_long; tell_long('archived', 4)"
        printed = manage(house.dsn, "shell", "--no-imports", "-c", run)
        feed(house.dsn)
        archived = stack.enter_context(server.client(json.loads(printed)["secret"]))
        long = Told(server, archived, project="", long=[], idle=[])
        long.enable(long.previewed(count_by_twos, archive_days=30))

        key = server.key("files")
        client = stack.enter_context(server.client(key))
        begun = client.post("/v1/sessions", json={"agent_id": "painter"}).json()
        agent = Agent(client, begun["id"])
        for n in range(4):
            agent.save(*(f"kept {n} {one}".encode() for one in range(5)))
        for n in range(POOL):
            agent.upload(f"pool {n}".encode())
        execute(house.dsn, LAPSE)

        sealed = filled(server, "sealed")
        for n in range(PROJECTS):
            manage(house.dsn, "create_project", f"many-{n}")
        for slug in ("sealed", *(f"many-{n}" for n in range(PROJECTS))):
            manage(house.dsn, "encrypt", "--project", slug, "--accept-clear")

        seller = stack.enter_context(server.client(server.key("repaired")))
        plan = begun_plan(house, seller)

        admin = server.key("people", "--scope", "admin")
        people = Caller(stack.enter_context(server.client(admin)))
        for n in range(PEOPLE):
            leave(people, user=f"person-{n}", canary=f"goingbird{n}x")
        leave(people, user="somebody", canary="stayingbird")
        feed(house.dsn)
        for n in range(PEOPLE):
            begun_erasure(people, user_id=f"person-{n}")
    agents = (told.project, key, agent.session, agent.saved)
    return Work(preview, secret, *agents, sealed, plan)


def test_fifty_kills_of_the_database_lose_nothing_and_do_nothing_twice(
    house: House,
) -> None:
    work = fill(house)
    chance, at_work = random.Random(SEED), Counter[str]()
    with ExitStack() as stack:
        keepers = {act: stack.enter_context(keeping(house, act)) for act in ROLES}
        house.rotate()
        begin_together(keepers)
        for _ in range(KILLS):
            house.rotate()
            done = sum(one.said() for one in keepers.values())
            time.sleep(chance.uniform(SOONEST, LATEST))
            until(
                lambda done=done: sum(one.said() for one in keepers.values()) > done,
                "nobody goes on",
            )
            at_work += Counter(act for act in ROLES if is_left(house, act))
            house.kill()
        assert all(one.process.poll() is None for one in keepers.values())
        for act in ROLES:
            until(lambda act=act: not is_left(house, act), f"{act}: there is some left")

    assert all(at_work[act] >= KILLS // 3 for act in ROLES), at_work
    for _ in range(2):
        manage(house.dsn, "retention", "--once", role=Role.RETENTION)
    shell(house.dsn, Role.WORKER, LATER)
    require_whole(house, work)


def require_whole(house: House, work: Work) -> None:
    stored = [name for (name,) in rows(house.dsn, STORED)]
    files = [one for one in objects_in(house.objects) if "arch_" not in one]
    assert files == stored
    assert len(stored) == sum(len(paths) for paths in work.saved.values())
    for n in range(PEOPLE):
        assert canaries(house.dsn, f"goingbird{n}x") == {}
    assert canaries(house.dsn, "stayingbird") != {}
    assert rows(house.dsn, ROLLED_BACK, work.plan) == [(REPAIRED, REPAIRED, 2, 2)]
    records = "SELECT count(*) FROM audit_auditrecord WHERE action = 'erasure.done'"
    assert rows(house.dsn, records) == [(PEOPLE,)]
    wrapped = rows(house.dsn, "SELECT DISTINCT outer_id FROM accounts_datakey")
    assert wrapped == [(house.keys[0].split()[0],)]
    with house.open() as server:
        assert objects(house.objects) == named(server) != set()
        with server.client(work.secret) as client:
            told = Told(server, client, project=work.project, long=[], idle=[])
            told.require(work.preview)
        with server.client(work.agent_key) as client:
            Agent(client, work.session, work.saved).require_all()
        with server.client(server.key("sealed")) as client:
            for session_id in work.sealed:
                answer = client.get(f"/v1/sessions/{session_id}/state")
                assert answer.json()["state"] == {"n": VERSIONS - 1}, answer.text
