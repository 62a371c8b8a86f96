"""Connections of the web to PostgreSQL, cut before the append or after its commit.

The key of a request says where it is cut. So what its repetition is told must fit: one
that was cut before was not stored, one that was cut after its commit was.
"""

from __future__ import annotations

import time

from tests.faults.clients import Client
from tests.faults.cutting_link import CuttingLink
from tests.faults.journal import Journal, Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "database-cuts"
WHAT = "connections to PostgreSQL cut before the append and after its commit"
PLACES = ("before", "after")


def run(plan: Plan) -> Result:
    began, cuts = time.monotonic(), plan.number(500, 16)
    with plan.linked_house() as (at, link):
        with traffic(
            at, name=f"{NAME}-{plan.seed}", clients=8, make_key=_key
        ) as running:
            while len(link.cuts) < cuts:
                running.wait_for(1)
                plan.progress(f"{NAME}: {dict(link.counted())}, {running.journal}")
        _require_told_right(link, running.journal)
        faults = ", ".join(f"{n} cut {where}" for where, n in link.counted().items())
        return concluded(plan, NAME, at, running.journal, faults=faults, began=began)


def _key(client: Client, serial: int) -> str:
    """Name half of the requests for a cut; only appends are cut then."""
    if client.random.random() < 0.5:
        return f"{client.name}-{serial}"
    return f"cut-{client.random.choice(PLACES)}-{client.name}-{serial}"


def _require_told_right(link: CuttingLink, journal: Journal) -> None:
    for place in PLACES:
        if link.counted()[place] < len(link.cuts) // 4:
            raise Violation(f"too few were cut {place}: {link.counted()}")
    for key, place in link.cuts.items():
        if key not in journal.was_stored:
            raise Violation(f"{key} was cut {place}, and its client noticed nothing")
        if journal.was_stored[key] != (place == "after"):
            raise Violation(f"{key} was cut {place}, and told the opposite")
