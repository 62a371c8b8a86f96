"""Sweeping processes that are killed, two at once, and told to stop in their middle.

Real processes with the login of the retention role, on a database of their own. What
they come to is what a preview counted before any of them was there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from apps.core.roles.names import Role
from tests.live import ROOT, Server, feed, manage, process_environment, serving
from tests.worker.forking import WORKERS, Forked
from tests.worker.processes import WAITING, kill, rows, standing_still, until

POLICIES, PREVIEWS = "/v1/retention/policies", "/v1/retention/previews"
DAYS = {"thin_days": 40, "empty_days": 50, "prune_days": 70, "remove_days": 100}
SEED, KILLS = 13, 60
STONES = """
SELECT kind, sum(count)::bigint FROM timeline_tombstone
 WHERE project_id = %s GROUP BY kind
"""
RECORDS = """
SELECT count(*) FROM audit_auditrecord
 WHERE project_id = %s AND action = 'retention.removed'
"""
NUMBERS = """
SELECT session_id, number FROM timeline_version v
  JOIN timeline_session s ON s.id = v.session_id AND s.project_id = %s
 ORDER BY session_id, number
"""
# What a removal does, one after the other, and whose rows it is done to.
PLACES = {
    "thin": ("DELETE ON timeline_change", "OLD.session_id = '{long}'"),
    "empty": ("UPDATE ON timeline_body", "OLD.session_id = '{long}'"),
    "prune": ("DELETE ON timeline_version", "OLD.session_id = '{long}'"),
    "remove": ("DELETE ON timeline_session", "OLD.id = '{idle}'"),
    "its tombstone": ("INSERT ON timeline_tombstone", "NEW.session_id = '{long}'"),
    "its count": ("UPDATE ON retention_removal", "NEW.counts::text <> '{{}}'"),
    "its end": ("UPDATE ON retention_removal", "NEW.state = 'done'"),
    "its record": ("INSERT ON audit_auditrecord", "NEW.action = 'retention.removed'"),
    "its preview": ("UPDATE ON retention_removal", "NEW.state = 'ready'"),
}


@dataclass(frozen=True)
class Told:
    """A project with sessions of months ago, and a client of an administrator."""

    house: Server
    client: httpx.Client
    project: str
    long: list[str]
    idle: list[str]

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def previewed(self, count: Callable[[Server], object], **days: int) -> Any:
        """Make a policy and have it counted what it would take; return the preview."""
        policy = self.post(POLICIES, **days)["id"]
        asked = self.post(PREVIEWS, policy_id=policy)["id"]
        count(self.house)
        found = self.client.get(f"{PREVIEWS}/{asked}").json()
        assert (found["state"], found["complete"]) == ("ready", True)
        return found

    def enable(self, preview: Any) -> None:
        path = f"{POLICIES}/{preview['policy_id']}/enable"
        self.post(path, preview_id=preview["id"])

    @property
    def removals(self) -> list[Any]:
        found: list[Any] = self.client.get("/v1/retention/removals").json()["data"]
        return found

    @property
    def numbers(self) -> list[Any]:
        return rows(self.house.dsn, NUMBERS, self.project)

    def require(self, preview: Any) -> None:
        """Have one removal that took what the preview counted, each of it once."""
        (removal,) = self.removals
        assert (removal["state"], removal["complete"]) == ("done", True)
        for name in ("counts", "pinned", "held_sessions", "sessions_seen"):
            assert removal[name] == preview[name], name
        counted = {one["step"]: one["versions"] for one in removal["counts"]}
        kinds = {"emptied": "empty", "pruned": "prune", "removed": "remove"}
        stones = dict(rows(self.house.dsn, STONES, self.project))
        found = {step: stones.get(kind, 0) for kind, step in kinds.items()}
        assert found == {step: counted.get(step, 0) for step in kinds.values()}
        assert rows(self.house.dsn, RECORDS, self.project) == [(1,)]
        manage(self.house.dsn, "verify", seconds=300)


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with serving(f"sweeping_{worker_id}", workers=1) as server:
        yield server


@pytest.fixture
def tell(house: Server) -> Iterator[Callable[..., Told]]:
    """`tell("name", 3)` makes a project with so many sessions of each kind.

    At its end its policy is off, so that the next test's sweeps are about its own.
    """
    with ExitStack() as stack:

        def made(slug: str, many: int = 1) -> Told:
            run = f"from tests.retention.telling import tell; tell({slug!r}, {many})"
            printed = manage(house.dsn, "shell", "--no-imports", "-c", run)
            said = json.loads(printed.splitlines()[-1])
            feed(house.dsn)
            client = stack.enter_context(house.client(said.pop("secret")))
            told = Told(house, client, **said)
            stack.callback(_switch_off, told)
            return told

        yield made


def _switch_off(told: Told) -> None:
    for policy in told.client.get(POLICIES).json()["data"]:
        told.client.post(f"{POLICIES}/{policy['id']}/disable")


def sweep_once(house: Server) -> None:
    manage(house.dsn, "retention", "--once", role=Role.RETENTION)


def sweepers(house: Server, *arguments: object) -> str:
    """Run `tests.retention.sweepers` as the retention role alone."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.retention.sweepers", *map(str, arguments)],
        cwd=ROOT,
        env=process_environment(Role.RETENTION, house.dsn),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def count_by_twos(house: Server) -> None:
    sweepers(house, "count")


def sweeping(house: Server) -> Forked:
    """Start a sweep in a process of its own."""
    env = process_environment(Role.RETENTION, house.dsn)
    return WORKERS.start(env, Path(os.devnull), "retention", "--once")


def undo(house: Server) -> None:
    """End what the killed process had asked for, as if the server noticed at once."""
    end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
    until(lambda: not rows(house.dsn, end))


def test_sixty_kills_lose_nothing_and_count_nothing_twice(
    house: Server, tell: Callable[..., Told]
) -> None:
    told = tell("killed", 12)
    preview = told.previewed(count_by_twos, **DAYS)
    told.enable(preview)
    at_work = int(sweepers(house, "kill", SEED, KILLS))
    sweepers(house, "both")

    assert at_work >= 50
    told.require(preview)


def test_of_two_at_once_each_does_what_the_other_has_not(
    house: Server, tell: Callable[..., Told]
) -> None:
    told = tell("both", 4)
    preview = told.previewed(count_by_twos, **DAYS)
    told.enable(preview)
    sweepers(house, "both")

    told.require(preview)


@pytest.mark.parametrize("place", PLACES)
def test_what_was_killed_in_the_middle_is_done_by_the_next_and_once(
    house: Server, tell: Callable[..., Told], place: str
) -> None:
    told = tell("at-" + place.replace(" ", "-"))
    event, whose = PLACES[place]
    condition = whose.format(long=told.long[0], idle=told.idle[0])
    preview = None if place == "its preview" else told.previewed(sweep_once, **DAYS)
    if preview is None:
        policy = told.post(POLICIES, **DAYS)["id"]
        told.post(PREVIEWS, policy_id=policy)
    else:
        told.enable(preview)
    with standing_still(house.dsn, event, condition):
        process = sweeping(house)
        until(lambda: rows(house.dsn, WAITING))
        kill(process)
        undo(house)
    if preview is None:
        preview = told.previewed(sweep_once, **DAYS)
        told.enable(preview)
        (first, _) = told.client.get(PREVIEWS).json()["data"][::-1]
        assert first["counts"] == preview["counts"]
    sweep_once(house)

    told.require(preview)


HOLDS = "/v1/retention/legal-holds"
# What ends it for a session, asked for while one of its steps is being done.
ENDS: dict[str, Callable[[Told], tuple[str, dict[str, Any]]]] = {
    "session": lambda told: held("session", told.long[0]),
    "user": lambda told: held("user", "ann"),
    "agent": lambda told: held("agent", "travel"),
    "project": lambda told: held("project", None),
    "disabled": lambda told: (f"{POLICIES}/{enabled(told)}/disable", {}),
}


def held(kind: str, value: str | None) -> tuple[str, dict[str, Any]]:
    return HOLDS, {"kind": kind, "value": value, "reason": "Smith v. Jones"}


def enabled(told: Told) -> str:
    (found,) = [
        one for one in told.client.get(POLICIES).json()["data"] if one["enabled"]
    ]
    return str(found["id"])


@pytest.mark.parametrize("end", ENDS)
def test_after_the_answer_nothing_of_it_goes(
    house: Server, tell: Callable[..., Told], end: str
) -> None:
    """The step that was begun is done: the answer waits for it."""
    told = tell(f"until-{end}")
    told.enable(
        told.previewed(sweep_once, empty_days=50, prune_days=70, remove_days=100)
    )
    path, body = ENDS[end](told)
    answered: list[Any] = []

    def ask() -> None:
        answered.append(told.post(path, **body))
        answered.append(told.numbers)

    emptied = f"OLD.session_id = '{told.long[0]}'"
    with standing_still(house.dsn, "UPDATE ON timeline_body", emptied) as go_on:
        process = sweeping(house)
        until(lambda: rows(house.dsn, WAITING))
        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: len(rows(house.dsn, BLOCKED)) == 2)
        assert not answered
        go_on()
        asking.join(30)
        assert process.wait(60) == 0
    sweep_once(house)

    _, numbers = answered
    long = [one for one in told.numbers if one[0] == told.long[0]]
    assert long == [one for one in numbers if one[0] == told.long[0]]
    if end in ("user", "agent", "project", "disabled"):
        assert told.numbers == numbers
    manage(house.dsn, "verify")


BLOCKED = """
SELECT pid FROM pg_stat_activity
 WHERE wait_event_type = 'Lock' AND datname = current_database()
"""
