"""What encryption costs: appends and head reads of a project with it, to one without.

`python -m tests.benchmarks.encrypted` serves both from one server and measures them in
turn, on one connection. Heads are read that the process has decoded, as most are; what
it takes to open one that is not, it measures for itself, without a server.
"""

from __future__ import annotations

import base64
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import django
import httpx

from apps.core import json
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds

SESSIONS, APPENDS, READS, ROUNDS = 60, 60, 120, 15
STATE = {"text": "abcdefghij" * 200, "step": 0}


def main() -> None:
    # Before anything connects, as for tests.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "keys"
        os.environ["STEPBACK_KEYS"] = f"file:{file}"
        file.write_text(f"first {base64.b64encode(os.urandom(32)).decode()}\n")
        # Only now: the first command reads the variable.
        from tests.live import manage, serving

        with serving("encrypted_costs", workers=1) as server:
            manage(server.dsn, "create_project", "on")
            manage(server.dsn, "encrypt", "--project", "on", "--accept-clear")
            lanes: dict[str, Any] = {}
            for name in ("off", "on"):
                client = server.client(server.key(name))
                sessions = [_begun(client) for _ in range(SESSIONS)]
                lanes[f"append {name}"] = _appending(client, cycle(sessions))
                lanes[f"head {name}"] = _reading(client, cycle(sessions))
            found = alternate(lanes, rounds=ROUNDS)
    found = Samples(found.found | _decoded().found)
    for what in ("append", "head", "decode"):
        ratio = found.ratio(f"{what} on", f"{what} off")
        low, high = found.noise(f"{what} off")
        sys.stdout.write(
            f"{what}: {found.median(f'{what} off'):.3f} ms off, "
            f"{found.median(f'{what} on'):.3f} ms on, {ratio:.2f} times, "
            f"noise {low:.2f} to {high:.2f}\n"
        )


def _decoded() -> Samples:
    """Measure decoding a body of a small state, without and with a seal on it."""
    from apps.core.keyring import MEMORY, new_key
    from apps.timeline import bodies

    key, salt = new_key("proj_benchmark"), bytes(32)
    MEMORY.keep(key)
    part = bodies.Part("state", "application/json", json.dumps(STATE))
    raw = bodies.frame((part,))
    off = bodies.encode(raw, number=0, base=None, salt=salt)
    on = bodies.sealed(off, bodies.Sealer(key, "sess_benchmark"))
    place = bodies.Place("sess_benchmark", salt)

    def decoding(stored: bodies.Stored) -> Lane:
        def act() -> None:
            for _ in range(1_000):
                found = bodies.decode(stored.codec, stored.data, len(raw), None, place)
                bodies.verify(found, salt, stored.commitment)

        return lambda: milliseconds(act) / 1_000

    return alternate({"decode off": decoding(off), "decode on": decoding(on)})


def _begun(client: httpx.Client) -> str:
    body = {"agent_id": "a", "user_id": "u", "initial_state": STATE}
    answer = client.post("/v1/sessions", json=body)
    answer.raise_for_status()
    return f"/v1/sessions/{answer.json()['id']}/state"


def _appending(client: httpx.Client, paths: Iterator[str]) -> Any:
    steps = iter(range(1, 10**9))

    def lane() -> float:
        start = time.perf_counter()
        for _ in range(APPENDS):
            body = {"state": {"step": next(steps)}, "reasoning": "because of that"}
            client.patch(next(paths), json=body).raise_for_status()
        return (time.perf_counter() - start) * 1000 / APPENDS

    return lane


def _reading(client: httpx.Client, paths: Iterator[str]) -> Any:
    def lane() -> float:
        start = time.perf_counter()
        for _ in range(READS):
            client.get(next(paths)).raise_for_status()
        return (time.perf_counter() - start) * 1000 / READS

    return lane


if __name__ == "__main__":
    main()
