"""Every fault once, small: `python -m tests.faults` is the same with full numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from random import SystemRandom
from typing import Any

import pytest

from tests.faults import house
from tests.faults.checking import verified
from tests.faults.cutting_link import CuttingLink
from tests.faults.house import House
from tests.faults.plan import Plan, Result, table
from tests.faults.scenarios import ALL, clock

SEED = int(os.environ.get("STEPBACK_SEED") or SystemRandom().randrange(1_000_000))
# Where every failure leaves its mark on some client.
NOTICED = set(ALL) - {"clock", "projector"}


@pytest.fixture(scope="module")
def shared() -> Iterator[House]:
    """A house that suits all scenarios which need no link that can be cut."""
    with house.premises() as folder:
        environment = clock.environment(clock.clock_file(folder))
        environment["STEPBACK_POOL_SIZE"] = "2"
        environment["STEPBACK_SWEEP_SECONDS"] = "1"
        with house.house(folder, environment=environment) as built:
            yield built


@pytest.fixture(scope="module")
def linked() -> Iterator[tuple[House, CuttingLink]]:
    with house.premises() as folder, house.linked_house(folder) as built:
        yield built


def run(name: str, **houses: Any) -> Result:
    """Run it; what it said, and the seed, stand beside a failure."""
    said = sys.stdout.write
    plan = Plan(seed=SEED, is_short=True, say=lambda text: said(f"{text}\n"), **houses)
    plan.say(f"STEPBACK_SEED={SEED}")
    result = ALL[name].run(plan)
    plan.say(table([result]))
    return result


def assert_kept(result: Result) -> None:
    """Beyond what the scenario itself demands: it was a test of something."""
    journal = result.journal
    assert journal.acknowledged > 0
    assert journal.unknown == journal.resolved
    if result.name in NOTICED:
        assert journal.unknown > 0
    else:
        # Where the machine is starved, the database ends statements by their time; an
        # answer that was lost would be found stored.
        assert journal.stored_unseen == 0
    assert result.checked.versions == journal.versions
    assert result.checked.duplicates == 0


@pytest.mark.parametrize(
    "name",
    [
        *("left-open", "client-cuts", "pool", "clock", "postgres", "web-workers"),
        "projector",
    ],
)
def test_nothing_acknowledged_is_lost_and_nothing_is_stored_twice(
    name: str, shared: House
) -> None:
    assert_kept(run(name, shared=shared))


def test_what_was_broken_verifies(shared: House) -> None:
    assert verified(shared.dsn)


def test_a_full_disk_is_told_and_once_freed_all_goes_on() -> None:
    # In a house of its own, which it verifies: what the others write in a few seconds
    # fills a small disk on a fast machine.
    try:
        result = run("disk")
    except house.CannotMount as reason:
        pytest.skip(f"no small disk to fill: {reason}")
    assert_kept(result)


def test_a_lost_machine_is_noticed_and_once_replaced_all_goes_on() -> None:
    assert_kept(run("lost-host"))


@pytest.mark.parametrize("name", ["database-cuts", "statement-timeouts"])
def test_a_repetition_is_told_what_became_of_the_first(
    name: str, linked: tuple[House, CuttingLink]
) -> None:
    assert_kept(run(name, linked=linked))


def test_what_was_cut_verifies(linked: tuple[House, CuttingLink]) -> None:
    assert verified(linked[0].dsn)
