"""Connections of the web to PostgreSQL, cut before the append or after its commit.

The key of a request says where it is cut. So what its repetition is told must fit: one
that was cut before was not stored, one that was cut after its commit was.
"""

from __future__ import annotations

import time

from tests.faults.clients import Client
from tests.faults.cutting_link import CuttingLink
from tests.faults.journal import PLACES, Journal
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "database-cuts"
WHAT = "connections to PostgreSQL cut before the append and after its commit"


def run(plan: Plan) -> Result:
    began, cuts = time.monotonic(), plan.number(500, 16)
    with plan.linked_house() as (at, link):
        with traffic(
            at, name=f"{NAME}-{plan.seed}", clients=8, make_key=_key
        ) as running:
            while not _is_enough(link, running.journal, cuts):
                running.wait_for(1)
                plan.progress(f"{NAME}: {dict(link.counted())}, {running.journal}")
        running.journal.require_told_right(_known(link))
        faults = ", ".join(f"{n} cut {where}" for where, n in link.counted().items())
        return concluded(plan, NAME, at, running.journal, faults=faults, began=began)


def _is_enough(link: CuttingLink, journal: Journal, cuts: int) -> bool:
    known = _known(link)
    return len(link.cuts) >= cuts and journal.is_full_of(known, each=cuts // 4)


def _known(link: CuttingLink) -> dict[str, str]:
    # A copy: the link goes on meanwhile.
    return {key: at for key, at in dict(link.cuts).items() if at in PLACES}


def _key(client: Client, serial: int) -> str:
    """Name half of the requests for a cut; only appends are cut then."""
    if client.random.random() < 0.5:
        return f"{client.name}-{serial}"
    return f"cut-{client.random.choice(PLACES)}-{client.name}-{serial}"
