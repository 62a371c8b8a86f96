"""Many large states at once: everybody is served in the end, and memory is bounded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

from apps.core import json
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting
from tests.live import Server

WHAT = "16 clients posting 8 MB states at once"
CLIENTS = 16
STATE_BYTES = 8_000_000
ROUNDS = 3
PATIENCE_SECONDS = 180
LOOK_SECONDS = 0.05


class Posted:
    """What became of the posts: how often some were told to retry."""

    def __init__(self) -> None:
        self.stored = 0
        self.retries = 0
        self.others: list[str] = []


def run(setting: Setting) -> list[Finding]:
    size = setting.count(STATE_BYTES, 1_200_000)
    bodies = [_body(at, size) for at in range(CLIENTS)]
    posted = Posted()
    with machine.database("bench_memory") as dsn, machine.product(dsn) as server:
        secret = server.key("bench")
        idle = resident_bytes(server)
        begin = time.perf_counter()
        with Watch(server) as watch:
            for _ in range(setting.count(ROUNDS, 1)):
                _post(server, secret, bodies, posted)
        seconds = time.perf_counter() - begin
        peaks = sum(_peak(pid) for pid in family(server.process.pid))
    asked = CLIENTS * setting.count(ROUNDS, 1)
    told = f"{posted.stored} of {asked} stored, {posted.retries} told to retry first"
    return [
        Finding(
            what=f"{WHAT}: neither stored nor told to retry and then stored",
            measured=asked - posted.stored + len(posted.others),
            limit=0,
            unit="posts",
            ours=told,
            other=", ".join(posted.others[:3]),
            note=f"{seconds / setting.count(ROUNDS, 1):.1f} s for all {CLIENTS}",
        ),
        Finding(
            what=f"{WHAT}: memory of the web processes, all together",
            measured=watch.most / 1e6,
            limit=700,
            unit="MB",
            ours=f"{watch.most / 1e6:,.0f} MB",
            other=f"{idle / 1e6:,.0f} MB before",
            note="the most that all workers and their parent held at one time (PSS, "
            f"looked at every {LOOK_SECONDS * 1000:.0f} ms); the highest resident "
            "sizes of each, at whatever time, with what they share in each: "
            f"{peaks / 1e6:,.0f} MB",
        ),
    ]


def _body(at: int, size: int) -> bytes:
    state = states.large(size) | {"step": at}
    return json.dumps({"agent_id": "bench", "initial_state": state})


def _post(server: Server, secret: str, bodies: list[bytes], posted: Posted) -> None:
    barrier = Barrier(len(bodies))

    def client(body: bytes) -> Callable[[], None]:
        def act() -> None:
            with closing(Client(server, secret)) as one:
                barrier.wait(60)
                _insist(one, body, posted)

        return act

    with ThreadPoolExecutor(len(bodies)) as pool:
        for done in [pool.submit(client(body)) for body in bodies]:
            done.result()


def _insist(client: Client, body: bytes, posted: Posted) -> None:
    """Post until it is stored, as long as the answer is to retry."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        status, headers, content = client.send("POST", "/v1/sessions", body)
        if status == 201:
            posted.stored += 1
            return
        if status != 503 or "retry-after" not in headers:
            posted.others.append(f"{status} {content[:100]!r}")
            return
        posted.retries += 1
        time.sleep(float(headers["retry-after"]))


class Watch:
    """Looks at the server's memory all the while; `most` is the most it found."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            self.most = max(self.most, resident_bytes(self.server))


def resident_bytes(server: Server) -> int:
    """Return what the server's processes hold now; shared pages count once."""
    return sum(_pss(pid) for pid in family(server.process.pid))


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0  # a worker that was just replaced
    return sum(int(line.split()[1]) * 1024 for line in lines if line[:4] == "Pss:")


def family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"Process {pid} has no VmHWM.")
