"""Lanes on keyed documents in one process; run on their database as a program.

`python -m tests.benchmarks.documents KEYS ROUNDS`: works as the web's role, loads as
the superuser that its environment names, and prints the samples as JSON.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import django
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.core.roles.names import Role
from tests.benchmarks import states
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.live import ROOT, manage, process_environment

SUPERUSER = "STEPBACK_BENCH_SUPERUSER"
FEW = 1_000
FEWEST = 100
CHECKPOINTS = 20
WRITES = 50
BATCH = 100
BATCHES = 5
TOUCHED = 1_000
# To copy a large table takes seconds.
COPIES = 3
VALUES = [text[:120] for text in states.texts(997, 150)]
# What somebody has who keeps no history: one row a key, and a copy of the table.
PLAIN = """
CREATE TABLE plain (
    key text COLLATE "C" PRIMARY KEY, value text NOT NULL, metadata jsonb NOT NULL,
    updated_at timestamptz NOT NULL);
CREATE TABLE saved AS
SELECT h.key, %(value)s::text AS value, '{}'::jsonb AS metadata, h.updated_at
  FROM timeline_keyhead h WHERE h.session_id = %(session)s;
INSERT INTO plain SELECT * FROM saved
"""
UPSERT = """
INSERT INTO plain VALUES (%s, %s, '{}', now())
    ON CONFLICT (key) DO UPDATE
   SET value = excluded.value, metadata = excluded.metadata,
       updated_at = excluded.updated_at
"""
COPY_BACK = ("TRUNCATE plain", "INSERT INTO plain SELECT * FROM saved")


def measured(superuser_dsn: str, dsn: str, *, keys: int, rounds: int) -> Samples:
    """Measure all lanes on that database, with so many keys in the large document."""
    manage(dsn, "create_project", "bench")
    name = conninfo_to_dict(dsn)["dbname"]
    loading = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": name})
    command = [sys.executable, "-m", "tests.benchmarks.documents"]
    env = process_environment(Role.WEB, dsn)
    done = subprocess.run(
        [*command, str(keys), str(rounds)],
        cwd=ROOT,
        env=env | {"STEPBACK_LOG_LEVEL": "WARNING", SUPERUSER: loading},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Samples(json.loads(done.stdout.splitlines()[-1]))


def main(superuser_dsn: str, keys: int, rounds: int) -> None:
    django.setup()
    from django.db import connection

    from apps.accounts.models import Project
    from tests.benchmarks import keyed
    from tests.timeline.documents.keeping import Keeper

    project = Project.objects.get(slug="bench")
    with psycopg.connect(superuser_dsn, autocommit=True) as superuser:
        sizes = {"large": keys, "small": FEW, "smallest": FEWEST}
        keepers = {name: Keeper.begin(project, name) for name in sizes}
        for name, keeper in keepers.items():
            keyed.load(superuser, keeper, sizes[name])
        given = {"session": keepers["large"].document.id, "value": keyed.VALUE}
        for statement in PLAIN.split(";"):
            superuser.execute(statement, given)
        superuser.execute("VACUUM ANALYZE")
        superuser.execute("CHECKPOINT")
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
        for name, keeper in keepers.items():
            keyed.sample(keeper, sizes[name])
        writers = {name: Writer(keepers[name], sizes[name]) for name in sizes}
        found = dict(_all(writers, superuser, rounds))
    sys.stdout.write(f"{json.dumps(found)}\n")


def _all(
    writers: dict[str, Writer], superuser: psycopg.Connection, rounds: int
) -> Iterator[tuple[str, list[float]]]:
    upserts = Upserts(superuser)
    lanes: dict[str, Lane]
    lanes = {name: writers[name].writes for name in ("large", "small")}
    yield from alternate(lanes, rounds=rounds * 3).found.items()
    lanes = {
        f"checkpoint of the {name}": writers[name].checkpoints
        for name in ("large", "smallest")
    }
    yield from alternate(lanes, rounds=rounds * 3).found.items()
    lanes = {"batch": writers["small"].batches, "upserts": upserts.batches}
    yield from alternate(lanes, rounds=rounds).found.items()
    lanes = {"restore": writers["large"].restore, "copy": upserts.copy_back}
    yield from alternate(lanes, rounds=min(rounds, COPIES)).found.items()


class Writer:
    """Writes to keys that a document has, as a request of its own each."""

    def __init__(self, keeper: Any, keys: int) -> None:
        self.keeper = keeper
        self.keys = keys
        self.chance = random.Random(1)
        self.labels = itertools.count(1)

    def writes(self) -> float:
        """Return the milliseconds of one write, the median of some."""
        return median(milliseconds(self._written(1)) for _ in range(WRITES))

    def batches(self) -> float:
        """Return the milliseconds of a batch, the median of some."""
        return median(milliseconds(self._written(BATCH)) for _ in range(BATCHES))

    def checkpoints(self) -> float:
        """Return the milliseconds of a checkpoint of what stands, the median of some.

        Each has a label of its own: one that says the same would be answered again.
        """
        return median(milliseconds(self._kept()) for _ in range(CHECKPOINTS))

    def restore(self) -> float:
        """Write to many keys, and return the milliseconds of taking that back."""
        target = self.keeper.standing().number
        for _ in range(TOUCHED // BATCH):
            self._written(BATCH)()
        act = self.keeper.act()
        return milliseconds(lambda: self.keeper.restore(target, config=False, act=act))

    def _kept(self) -> Callable[[], object]:
        from apps.data import operations as data

        said = data.NewCheckpoint(label=f"checkpoint {next(self.labels)}")
        return partial(
            data.create_checkpoint,
            act=self.keeper.act(),
            reference=self.keeper.document.agent_id,
            said=said,
        )

    def _written(self, count: int) -> Callable[[], object]:
        places = self.chance.sample(range(self.keys), count)
        return partial(
            self.keeper.put_all,
            [self._entry(place) for place in places],
            act=self.keeper.act(),
            config=0,
        )

    def _entry(self, place: int) -> Any:
        from apps.audit.streams import Result
        from tests.benchmarks.keyed import named
        from tests.timeline.documents.keeping import new_entry

        entry = new_entry(named(place), self.chance.choice(VALUES))
        details = {"size": entry.size, "request_id": "req_bench"}
        told = replace(entry.told, result=Result.ALLOWED, event=None, details=details)
        return replace(entry, told=told)


class Upserts:
    """The same on a plain table."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection
        self.chance = random.Random(2)

    def batches(self) -> float:
        return median(milliseconds(self._batch()) for _ in range(BATCHES))

    def copy_back(self) -> float:
        return milliseconds(self._copied)

    def _batch(self) -> Callable[[], None]:
        from tests.benchmarks.keyed import named

        rows = [
            (named(place), self.chance.choice(VALUES))
            for place in self.chance.sample(range(FEW), BATCH)
        ]

        def upserted() -> None:
            with self.connection.transaction():
                for row in rows:
                    self.connection.execute(UPSERT, row, prepare=True)

        return upserted

    def _copied(self) -> None:
        with self.connection.transaction():
            for statement in COPY_BACK:
                self.connection.execute(statement)


if __name__ == "__main__":
    main(os.environ[SUPERUSER], *map(int, sys.argv[1:]))
