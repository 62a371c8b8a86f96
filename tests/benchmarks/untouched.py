"""Appends with and without what a part of the product added to them.

`python -m tests.benchmarks.untouched NAME PART ROUNDS` works in one process on two
databases, one of which was stripped of what the part added, and appends to both in
turn, act by act: there without what came with it in Python. It prints the samples as
JSON. The parts: `effects` (tables of effects and approvals; the tag of what says no
reason, the look for an escalation), `keeping` (the indexes for removals; the look for
blobs that are named) and `guards` (the look for an agent's guards; nothing stored).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from statistics import median
from typing import Any
from unittest.mock import patch

import django
import psycopg
from psycopg.conninfo import conninfo_to_dict

from apps.core.roles.names import Role
from tests.benchmarks.pairs import Samples, milliseconds
from tests.live import ROOT, process_environment

LEDGER = "apps.timeline.ledger"
APPENDS_A_ROUND = 60
EFFECTS = """
SELECT format('DROP TABLE %I CASCADE', tablename) AS statement FROM pg_tables
 WHERE schemaname = 'public'
   AND tablename ~ '^(approvals_|timeline_(effect|compens|forget|agentres|agentforg))'
"""
KEEPING = """
SELECT format('DROP INDEX %I', indexname) AS statement FROM pg_indexes
 WHERE indexname IN ('timeline_version_shows_another', 'timeline_body_building')
"""
# An agent without guards has nothing stored of them: nothing is taken away.
GUARDS = "SELECT '' AS statement WHERE false"
ADDED = {"effects": EFFECTS, "keeping": KEEPING, "guards": GUARDS}


def measured(dsn: str, before_dsn: str, part: str, *, rounds: int) -> Samples:
    """Append by turns to both; `before_dsn` is a database of the owner to strip."""
    with psycopg.connect(before_dsn, autocommit=True) as owner:
        for (statement,) in owner.execute(ADDED[part]).fetchall():
            owner.execute(statement)
    name = str(conninfo_to_dict(before_dsn)["dbname"])
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.untouched", name, part, str(rounds)],
        cwd=ROOT,
        env=process_environment(Role.WEB, dsn) | {"STEPBACK_LOG_LEVEL": "WARNING"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Samples(json.loads(done.stdout.splitlines()[-1]))


def main(name: str, part: str, rounds: int) -> None:
    django.setup()
    from django.db import connections

    here = connections["default"]
    there = connections.create_connection("default")
    there.settings_dict = deepcopy(here.settings_dict) | {"NAME": name}
    for one in (here, there):
        # Each has a connection of its own, kept all along.
        one.settings_dict["OPTIONS"].pop("pool", None)
    lanes = {"with": Lane(here), "again": Lane(here), "without": BEFORE[part](there)}
    found: dict[str, list[float]] = {name: [] for name in lanes}
    chance = random.Random(1)
    for turn in range(rounds + 1):
        took: dict[str, list[float]] = {name: [] for name in lanes}
        for _ in range(APPENDS_A_ROUND):
            for lane in chance.sample(list(lanes), len(lanes)):
                took[lane].append(lanes[lane].append())
        for lane, times in took.items() if turn else ():
            found[lane].append(median(times))
    there.close()
    sys.stdout.write(f"{json.dumps(found)}\n")


class Lane:
    """One session of a database, which is written to."""

    def __init__(self, connection: Any) -> None:
        from apps.accounts.models import Project
        from apps.timeline import operations as timeline
        from tests.acts import act_in
        from tests.benchmarks.requests import STATE

        self.connection, self.step = connection, 0
        with self._used():
            self.act = act_in(Project.objects.get(slug="bench"))
            self.session_id = timeline.create(
                agent="bench",
                state=STATE,
                about=timeline.About(),
                step=timeline.Step(),
                act=self.act,
            ).session_id

    def append(self) -> float:
        """Return the milliseconds of one update."""
        with self._used():
            return milliseconds(self._updated())

    def _updated(self) -> Callable[[], object]:
        from apps.timeline import operations as timeline
        from tests.benchmarks.requests import change

        self.step += 1
        said, step = change(self.step), timeline.Step()
        return lambda: timeline.update(
            act=self.act, session_id=self.session_id, patch=said, step=step
        )

    @contextmanager
    def _used(self) -> Iterator[None]:
        """Let everything of this process go to the lane's database."""
        from django.db import connections

        before = connections["default"]
        connections["default"] = self.connection
        try:
            yield
        finally:
            connections["default"] = before


class BeforeEffects(Lane):
    """The same, by an append that neither tags nor marks."""

    def append(self) -> float:
        with (
            patch(f"{LEDGER}.facts.index.REASONED_OPS", frozenset()),
            patch(f"{LEDGER}.escalating.escalates", _never),
        ):
            return super().append()


class BeforeKeeping(Lane):
    """The same, by an append that does not look for blobs."""

    def append(self) -> float:
        with patch(f"{LEDGER}.naming.appending", _as_it_is):
            return super().append()


class BeforeGuards(Lane):
    """The same, by an append that asks nobody for guards."""

    def append(self) -> float:
        with patch.dict("apps.timeline.hooks.GUARDS", clear=True):
            return super().append()


BEFORE = {"effects": BeforeEffects, "keeping": BeforeKeeping, "guards": BeforeGuards}


def _as_it_is(append: Any, *bundles: Any) -> Any:
    return append


def _never(state: Any, rules: Any) -> bool:
    return False


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
