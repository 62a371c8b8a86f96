"""Print what bodies cost: `python -m tests.benchmarks.bodies`. Nothing is asserted.

For states of several sizes: the share that a key frame and a delta (one message
appended) take, and the time to write and to read each.
"""

import random
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from apps.core import json
from apps.timeline import bodies
from apps.timeline.bodies import Base, Part

SALT = bytes(16)
ROUNDS = 7
HEADING = (
    "       bytes full/raw delta/full  delta B"
    "   full ms  delta ms rd full ms rd delta ms"
)
MESSAGES = (3, 40, 400, 4_500, 65_000)


def make_messages(count: int) -> list[dict[str, Any]]:
    """Return messages of some 250 bytes that compress about as well as real ones."""
    chance = random.Random(1)
    words = [f"{chance.randrange(16**6):x}" for _ in range(3000)]
    return [
        {
            "id": f"msg_{n}",
            "role": "user",
            "content": " ".join(chance.choices(words, k=28)),
            "cost": chance.random(),
        }
        for n in range(count)
    ]


def make_body(messages: list[dict[str, Any]]) -> bytes:
    """Return the framed body of a state with these messages."""
    state = json.dumps({"messages": messages})
    return bodies.frame([Part("state", "application/json", state)])


def milliseconds(act: Callable[[], object]) -> float:
    """Return the median time of the act."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        act()
        times.append(perf_counter() - start)
    return sorted(times)[ROUNDS // 2] * 1000


def report(count: int) -> str:
    """Return one line of the table."""
    messages = make_messages(count + 1)
    before, raw = make_body(messages[:-1]), make_body(messages)
    base = Base(0, before, 0)
    full = bodies.encode(raw, number=1, base=None, salt=SALT)
    delta = bodies.encode(raw, number=1, base=base, salt=SALT)
    times = [
        milliseconds(lambda: bodies.encode(raw, number=1, base=None, salt=SALT)),
        milliseconds(lambda: bodies.encode(raw, number=1, base=base, salt=SALT)),
        milliseconds(lambda: bodies.decode(full.codec, full.data, full.size, None)),
        milliseconds(lambda: bodies.decode(delta.codec, delta.data, len(raw), before)),
    ]
    return (
        f"{len(raw):>12,} {len(full.data) / len(raw):>8.1%}"
        f" {len(delta.data) / len(full.data):>10.2%} {len(delta.data):>8,}"
        + "".join(f" {time:>9.2f}" for time in times)
    )


if __name__ == "__main__":
    sys.stdout.write(f"{HEADING}\n")
    for count in MESSAGES:
        sys.stdout.write(f"{report(count)}\n")
