"""Reads of bodies in an archive and in the table, by turns, in one process.

`python -m tests.benchmarks.archived begin` prints the ids of two sessions that are
alike; `… read ARCHIVED OTHER ROUNDS` reads versions of both, act by act, each decoded
from what is stored, and prints the samples as JSON. Without HTTP, which would take as
long as both and hide the difference.
"""

from __future__ import annotations

import json
import random
import sys
from statistics import median

import django

from tests.benchmarks.pairs import milliseconds

VERSIONS = 70
READ = range(64)
READS_A_ROUND = 60
FIELDS = 12


def begin() -> None:
    """Make two sessions whose versions change a part of 1 KB of state each."""
    from django.utils import timezone

    from apps.accounts.models import Project
    from apps.timeline import operations as timeline
    from apps.timeline.operations import About
    from apps.timeline.versions.reading import Step
    from tests.acts import act_in

    project, dice = Project.objects.get(slug="bench"), random.Random(1)
    for _ in range(2):
        state = {f"field {n}": dice.randbytes(40).hex() for n in range(FIELDS)}
        act = act_in(project, now=timezone.now())
        made = timeline.create(
            act=act, agent="bench", state=state, about=About(), step=Step()
        )
        for n in range(1, VERSIONS):
            patch = {f"field {n % FIELDS}": dice.randbytes(40).hex()}
            timeline.update(
                act=act_in(project, now=timezone.now()),
                session_id=made.session_id,
                patch=patch,
                step=Step(),
            )
        sys.stdout.write(f"{made.session_id}\n")


def read(archived: str, other: str, rounds: int) -> None:
    lanes = {"archived": archived, "table": other, "again": other}
    found: dict[str, list[float]] = {name: [] for name in lanes}
    chance = random.Random(1)
    for turn in range(rounds + 1):
        took: dict[str, list[float]] = {name: [] for name in lanes}
        for _ in range(READS_A_ROUND):
            number = chance.choice(READ)
            for lane in chance.sample(list(lanes), len(lanes)):
                took[lane].append(_read(lanes[lane], number))
        for lane, times in took.items() if turn else ():
            found[lane].append(median(times))
    sys.stdout.write(f"{json.dumps(found)}\n")


def _read(session_id: str, number: int) -> float:
    from apps.timeline import bodies
    from apps.timeline.versions import fetching, reading

    def act() -> None:
        (version,) = fetching.versions_at(session_id, [number])
        reading.state(version)

    bodies.cache.forget(session_id)
    return milliseconds(act)


if __name__ == "__main__":
    django.setup()
    if sys.argv[1] == "begin":
        begin()
    else:
        read(sys.argv[2], sys.argv[3], int(sys.argv[4]))
