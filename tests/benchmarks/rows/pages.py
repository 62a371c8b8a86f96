"""The console's pages, asked for as a browser does: what age and size cost a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from itertools import cycle
from statistics import median
from urllib.parse import urlsplit

import httpx

from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.benchmarks.rows import scale
from tests.benchmarks.setting import Setting
from tests.live import Server, manage

WHAT = (
    "console: session page at 100,000 versions to 100, list of 1,000,000 sessions to "
    "1,000, changes of two 1 MB states"
)
PROJECT = "bench"
STATE_BYTES = 1_000_000
# More than the server keeps decoded, so that each pair is read from the database.
PAIRS = 24
# Requests of one measurement, of which the median counts.
TIMES = 15
# What is asked of both databases: the address, and how much longer it may take.
ASKED = {
    "session page": ("/sessions/{session}", 1.3),
    "page of its middle version": ("/sessions/{session}/versions/{middle}", 1.3),
    "its timeline filtered by a path": ("/sessions/{session}?path=/step", 1.3),
    "list of sessions": ("/sessions?q=", 2),
    "list of sessions, last changed first": ("/sessions?q=&sort=changed", 2),
    "facets and histogram of the list": ("/sessions/narrow?q=", 2),
    "those of a search": ("/sessions/narrow?q=state.status%3Dopen", 2),
}
JUMP = "/sessions/{session}/jump?go=v{middle}"
JUMP_MS = 300
CHANGES_MS = 100


class Reader:
    """Somebody who is signed in, on one connection."""

    def __init__(self, server: Server, cookie: str) -> None:
        self.connection = HTTPConnection(urlsplit(server.url).netloc, timeout=120)
        self.headers = {"Cookie": cookie, "Accept": "text/html"}

    def read(self, path: str) -> None:
        """Read a page to its end, going where it leads.

        Raises: RuntimeError where there is no such page.
        """
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status == 302:
            return self.read(answer.headers["Location"].partition("#")[0])
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {content[:500]!r}")
        return None

    def lane(self, *paths: str, times: int) -> Lane:
        """Return the lane that reads these pages in turn."""
        turn = cycle(paths)

        def measured() -> float:
            return median(
                milliseconds(lambda: self.read(next(turn))) for _ in range(times)
            )

        return measured

    def close(self) -> None:
        self.connection.close()


@contextmanager
def signed_in(server: Server) -> Iterator[Reader]:
    """Let a new member of the project in, as the printed link does."""
    manage(server.dsn, "create_user", "reader", "--project", PROJECT)
    printed = manage(
        server.dsn, "signin_link", "--user", "reader", "--base-url", server.url
    )
    link = next(word for word in printed.split() if "/signin/" in word)
    with httpx.Client(timeout=60) as browser:
        button = browser.get(link).raise_for_status().text
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', button)
        assert found
        answer = browser.post(link, data={"csrfmiddlewaretoken": found[1]})
        assert answer.is_redirect, answer.status_code
        cookie = "; ".join(f"{name}={text}" for name, text in browser.cookies.items())
    with closing(Reader(server, cookie)) as reader:
        yield reader


def run(setting: Setting) -> list[Finding]:
    return [*_of_changes(setting), *_of_size(setting)]


def _of_size(setting: Setting) -> list[Finding]:
    times = setting.count(TIMES, 3)
    with ExitStack() as opened:
        lanes = []
        for name, size in (
            ("pages_large", scale.QUICK if setting.quick else scale.LARGE),
            ("pages_small", scale.SMALL),
        ):
            side = opened.enter_context(scale.side(name, size, setting))
            reader = opened.enter_context(signed_in(side.server))
            named = {"session": side.longest, "middle": str(size[1] // 2)}
            paths = {what: path for what, (path, _) in ASKED.items()} | {"jump": JUMP}
            lanes.append(
                {
                    what: reader.lane(_address(path, named), times=times)
                    for what, path in paths.items()
                }
            )
        large, small = lanes
        found = {
            what: alternate(
                {"large": large[what], "small": small[what]}, rounds=setting.rounds
            )
            for what in large
        }
    jump = found.pop("jump")
    return [_ratio(what, samples) for what, samples in found.items()] + [
        Finding(
            what="console, 100,000 versions: jump to a version, its page included",
            measured=jump.median("large"),
            limit=JUMP_MS,
            unit="ms",
            noise=noise_text(jump.noise("large")),
        )
    ]


def _ratio(what: str, samples: Samples) -> Finding:
    return Finding(
        what=f"console, {scale.SHORT}, to 100 and 1,000: {what}, time",
        measured=samples.ratio("large", "small"),
        limit=ASKED[what][1],
        ours=f"{samples.median('large'):,.1f} ms",
        other=f"{samples.median('small'):,.1f} ms",
        noise=noise_text(samples.noise("large")),
    )


def _of_changes(setting: Setting) -> list[Finding]:
    before = states.large(setting.count(STATE_BYTES, 50_000))
    after = states.edited(before)
    with (
        machine.database("bench_changes") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key(PROJECT))) as client,
        signed_in(server) as reader,
    ):
        pages = []
        for _ in range(setting.count(PAIRS, 2)):
            session = client.begin(before)
            client.done("PUT", f"/v1/sessions/{session}/state", {"state": after})
            pages.append(
                _address("/sessions/{session}/versions/1", {"session": session})
            )
        lane = reader.lane(*pages, times=setting.count(PAIRS, 2))
        samples = alternate({"changes": lane}, rounds=setting.rounds)
    return [
        Finding(
            what="console: changes page of two 1 MB states with three edits",
            measured=samples.median("changes"),
            limit=CHANGES_MS,
            unit="ms",
            noise=noise_text(samples.noise("changes")),
            note="the whole page, both states read from the database and decoded",
        )
    ]


def _address(path: str, named: dict[str, str]) -> str:
    return f"/console/{PROJECT}{path}".format(**named)
