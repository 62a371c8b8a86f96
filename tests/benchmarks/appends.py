"""What an append costs, layer by layer: `python -m tests.benchmarks.appends`.

Prints, asserts nothing about time: machines differ, ratios less so. It runs on a
PostgreSQL of its own that is as durable as the product's, for about a minute, and
compares within one alternating run.
"""

import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import psycopg

from apps.core import json, postgres
from apps.core.roles.names import VARIABLES
from tests.benchmarks import requests
from tests.benchmarks.requests import STATE, change
from tests.cluster import let_tests_act
from tests.live import serving

# An act prepares, outside the clock, what it returns to be timed.
Act = Callable[[], Callable[[], object]]
# Milliseconds by lane, one list for each round.
Times = dict[str, list[list[float]]]

ROUNDS = 21
ACTS_A_ROUND = 40

FUNCTION = "append_v10"
LOCK = "       FOR NO KEY UPDATE;"
BARE = """
CREATE TABLE bare (
    session_id varchar(31), number bigint, data bytea,
    PRIMARY KEY (session_id, number))
"""
INSERT = "INSERT INTO bare VALUES (%s, %s, %s)"


@contextmanager
def durable_database() -> Iterator[None]:
    """Start a durable cluster, and name it to Django and to what serves."""
    with tempfile.TemporaryDirectory(prefix="stepback-bench-") as folder:
        # The server's own user must pass to the data below.
        os.chmod(folder, 0o711)
        location = postgres.locate(Path(folder), Path(__file__).parents[2])
        cluster = postgres.Cluster(location)
        cluster.start()
        try:
            let_tests_act(cluster)
            for role, variable in VARIABLES.items():
                os.environ[variable] = location.dsn_of(role)
            os.environ["STEPBACK_DATA_DIR"] = folder
            # As `up` has it: without, writes do not come through the door.
            os.environ["STEPBACK_PREPARE"] = "true"
            os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
            os.environ["STEPBACK_LOG_LEVEL"] = "WARNING"
            yield
        finally:
            cluster.stop()


def make_lanes() -> dict[str, Act]:
    """Migrate, and return one act for every way to add a version of 2 KB."""
    # Imported only here: models want settings, and those want the database.
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)

    from apps.core import sql
    from tests.conftest import make_project

    function = sql.statement("timeline", FUNCTION)
    assert function.count(LOCK) == 1
    unlocked = function.replace(LOCK, ";").replace(FUNCTION, "append_unlocked")
    with connection.cursor() as cursor:
        cursor.execute(unlocked)
        cursor.execute(BARE)
    project = make_project("bench")
    return {
        "function": Run(project).function(f"timeline_{FUNCTION}"),
        # The same once more: how far two equal lanes differ is the noise.
        "function again": Run(project).function(f"timeline_{FUNCTION}"),
        "function without the lock": Run(project).function("timeline_append_unlocked"),
        "bare insert, as stored": Run(project).insert("data"),
        "bare insert, 2 KB": Run(project).insert("raw"),
        "timeline.update": Run(project).update,
    }


class Run:
    """One session in this process's database; its acts add version after version."""

    def __init__(self, project: Any) -> None:
        from apps.core.actors import Actor, ActorKind
        from apps.timeline import operations as timeline
        from apps.timeline.versions.reading import Step
        from tests.acts import act_in

        self.step = 0
        self.act = act_in(
            project, Actor(kind=ActorKind.KEY, id="key_1", label="sb_7f3a")
        )
        self.story: dict[str, Any] = {"act": self.act, "step": Step()}
        self.project = project
        self.session_id = timeline.create(
            agent="bench", state=STATE, about=timeline.About(), **self.story
        ).session_id

    def update(self) -> Callable[[], object]:
        """Time the operation: read the head, merge, compare, compress, append."""
        from apps.timeline import operations as timeline

        self.step += 1
        return partial(
            timeline.update,
            session_id=self.session_id,
            patch=change(self.step),
            **self.story,
        )

    def function(self, name: str) -> Act:
        """Time the SQL function alone, called with what the operation gives it."""
        from apps.core import sql
        from apps.timeline.ledger.encoding.calls import APPEND

        statement = APPEND.text.replace(f"timeline_{FUNCTION}", name)

        def act() -> Callable[[], object]:
            given = self._encoded()[1]

            def timed() -> None:
                (outcome,) = sql.rows(statement, given)
                assert outcome.outcome == "stored", outcome

            return timed

        return act

    def insert(self, attribute: str) -> Act:
        """Time an insert of one row: the body as it is stored, or before the codec."""
        from django.db import connection

        def act() -> Callable[[], object]:
            encoded = self._encoded()[0]
            data = encoded.raw if attribute == "raw" else encoded.body.data

            def timed() -> None:
                with psycopg.Cursor(connection.connection) as cursor:
                    cursor.execute(
                        INSERT, [self.session_id, self.step, data], binary=True
                    )

            return timed

        return act

    def _encoded(self) -> tuple[Any, dict[str, Any]]:
        from apps.timeline.ledger import policies
        from apps.timeline.ledger.drafts import ANY_HEAD, Write, WriteCommand
        from apps.timeline.ledger.encoding import rows, writes
        from apps.timeline.operations import states
        from apps.timeline.versions import fetching, reading
        from apps.timeline.words import Op

        self.step += 1
        head = fetching.head(self.act.scope, self.session_id, now=self.act.now)
        state = json.parse(reading.state(head)) | change(self.step)
        draft = states.draft_of(
            Op.UPDATE, head, state=state, given=(), step=self.story["step"]
        )
        write = Write(draft=draft)
        command = WriteCommand(
            act=self.act,
            session_id=self.session_id,
            build=lambda _: write,
            expected=ANY_HEAD,
            policy=policies.AGENT_WRITE,
        )
        encoded = writes.encode_write(write, head=head, act=self.act)
        return encoded, rows.of_write(command, head, encoded)


def alternate(lanes: dict[str, Act]) -> Times:
    """Time all lanes act by act, in random order, so that all share the noise."""
    # Shuffled, because a lane that follows itself finds its code and rows warm.
    names, chance = list(lanes), random.Random(1)
    times: Times = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name in names:
            times[name].append([])
        for _ in range(ACTS_A_ROUND):
            for name in chance.sample(names, len(names)):
                timed = lanes[name]()
                start = perf_counter()
                timed()
                times[name][-1].append((perf_counter() - start) * 1000)
    return times


def ratio(times: Times, one: str, other: str) -> str:
    """Return the median of the rounds' ratios, and the middle half of them."""
    pairs = zip(times[one], times[other], strict=True)
    ratios = [median(mine) / median(theirs) for mine, theirs in pairs]
    low, middle, high = quantiles(ratios, n=4)
    return f"  {one} / {other}: {middle:.2f} ({low:.2f}-{high:.2f})\n"


def report_in_process() -> None:
    """Print the layers below HTTP, with the flush of each commit and without."""
    from django.db import connection

    lanes = make_lanes()
    for commit, said in (("on", "commits flushed"), ("off", "commits not flushed")):
        with connection.cursor() as cursor:
            cursor.execute(f"SET synchronous_commit = {commit}")
        times = alternate(lanes)
        sys.stdout.write(f"one connection, 2 KB of state, {said}\n")
        for name in lanes:
            typical = median(median(each) for each in times[name])
            sys.stdout.write(f"  {name:28} {typical:7.3f} ms\n")
        sys.stdout.write(
            ratio(times, "function", "function again")
            + ratio(times, "function", "function without the lock")
            + ratio(times, "function", "bare insert, as stored")
            + ratio(times, "function", "bare insert, 2 KB")
            + ratio(times, "timeline.update", "function")
        )
    connection.close()


def main() -> None:
    with durable_database():
        report_in_process()
        with serving("bench", workers=2) as server:
            requests.report(server)


if __name__ == "__main__":
    main()
