"""Connections of clients to the web, cut before the request or before its answer."""

from __future__ import annotations

import time
from random import Random

from tests.faults.journal import Journal
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic
from tests.races.dropping_proxy import DroppingProxy, dropping

NAME = "client-cuts"
WHAT = "connections of clients cut before the request and before its answer"


def run(plan: Plan) -> Result:
    began, cuts = time.monotonic(), plan.number(500, 16)
    name = f"{NAME}-{plan.seed}"
    with plan.house() as at, dropping(at.url, _place) as proxy:
        with traffic(at, name=name, clients=8, url=proxy.url) as running:
            while not _is_enough(proxy, running.journal, cuts):
                running.wait_for(1)
                plan.progress(f"{NAME}: {running.journal}")
        running.journal.require_told_right(_known(proxy))
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{len(proxy.refused)} cut before, {len(proxy.dropped)} cut after",
            began=began,
        )


def _place(key: str) -> str | None:
    """Say where the first attempt of a key is cut: half of them are not."""
    return Random(key).choice(["before", "after", None, None])


def _is_enough(proxy: DroppingProxy, journal: Journal, cuts: int) -> bool:
    done = len(proxy.refused) + len(proxy.dropped)
    return done >= cuts and journal.is_full_of(_known(proxy), each=cuts // 4)


def _known(proxy: DroppingProxy) -> dict[str, str]:
    """Return where each key was cut; a lost answer may have been a refusal."""
    # Copies: the proxy goes on meanwhile.
    dropped, refused = dict(proxy.dropped), set(proxy.refused)
    lost = {key: "after" for key, told in dropped.items() if told < 300}
    return dict.fromkeys(refused, "before") | lost
