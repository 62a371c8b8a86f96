"""What one, two and four web workers give: appends, and pages read meanwhile."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing
from statistics import median, quantiles

from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, alternate, milliseconds
from tests.benchmarks.rows import pages
from tests.benchmarks.rows.appends import SESSIONS, appending
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import Plan

WHAT = "web workers: appends of 1 KB, 16 connections, and pages of a session meanwhile"
COUNTS = (1, 2, 4)


class Page:
    """Reads a session's page again and again, while a lane of appends is measured."""

    def __init__(self, reader: pages.Reader, path: str) -> None:
        self.reader, self.path = reader, path
        self.taken: list[float] = []

    def beside(self, appends: Plan) -> Lane:
        """Return the lane of the appends, with one reader beside them."""

        def measured() -> float:
            stop = threading.Event()
            reading = threading.Thread(target=self._read_until, args=[stop])
            reading.start()
            try:
                return appends.rate()
            finally:
                stop.set()
                reading.join()

        return measured

    def _read_until(self, stop: threading.Event) -> None:
        while not stop.is_set():
            self.taken.append(milliseconds(lambda: self.reader.read(self.path)))


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        lanes: dict[str, Lane] = {}
        read: dict[int, Page] = {}
        for count in COUNTS:
            lanes[str(count)], read[count] = _lane(count, setting, opened)
        samples = alternate(lanes, rounds=setting.rounds)
    return [
        Finding(
            what=f"{count} web worker{'s' * (count > 1)}: appends of 1 KB, 16 "
            "connections, to two",
            measured=samples.ratio(str(count), "2"),
            ours=f"{samples.median(str(count)):,.0f}/s, {_told(read[count].taken)}",
            other=f"{samples.median('2'):,.0f}/s",
            noise=noise_text(samples.noise("2")),
            note="beside them one reader asks for a session's page again and again; "
            "each number has a server, a worker and a database of its own",
        )
        for count in COUNTS
    ]


def _lane(count: int, setting: Setting, opened: ExitStack) -> tuple[Lane, Page]:
    dsn = opened.enter_context(machine.database(f"bench_workers_{count}"))
    server = opened.enter_context(machine.product(dsn, workers=count))
    sessions = setting.count(SESSIONS, 256)
    plan = appending(server, states.small(), setting, sessions=sessions)
    appends = opened.enter_context(plan)
    reader = opened.enter_context(pages.signed_in(server))
    with closing(Client(server, server.key(pages.PROJECT))) as client:
        session = client.begin(states.small())
    page = Page(reader, f"/console/{pages.PROJECT}/sessions/{session}")
    return page.beside(appends), page


def _told(taken: list[float]) -> str:
    p95 = quantiles(taken, n=20)[18] if len(taken) > 1 else taken[0]
    return f"a page {median(taken):,.0f} ms, of twenty the slowest {p95:,.0f} ms"
