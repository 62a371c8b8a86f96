"""States for measuring: they compress about as well as what agents really keep."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from apps.core import json

KIB = 1024
# What a search of memories is judged by: what is remembered, and the same otherwise.
QUALITY = Path(__file__).parents[1] / "memory" / "quality" / "paraphrases.txt"


def words(count: int, seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    return [f"{chance.randrange(16**6):x}" for _ in range(count)]


def texts(count: int, size: int, seed: int = 1) -> list[str]:
    """Return texts of about `size` characters, of 3,000 different words."""
    chance, known = random.Random(seed), words(3000)
    return [" ".join(chance.choices(known, k=size // 7)) for _ in range(count)]


def remembered(count: int, seed: int = 1) -> list[str]:
    """Return other texts as agents remember them, two sentences of 120 characters.

    Of random letters a model would read three times as many tokens.
    """
    chance, said = random.Random(seed), [memory for memory, _ in _said()]
    pairs = [chance.sample(said, 2) for _ in range(count)]
    return [f"{at} {one}. {two}"[:120] for at, (one, two) in enumerate(pairs)]


def questions(count: int, seed: int = 1) -> list[str]:
    """Return questions, no two alike: what was remembered, by other words."""
    chance, asked = random.Random(seed), [other for _, other in _said()]
    return [f"{chance.choice(asked)} {at}" for at in range(count)]


@cache
def _said() -> list[tuple[str, str]]:
    """Return what is remembered, and the same by other words."""
    lines = QUALITY.read_text().splitlines()
    pairs = [line.split(" | ") for line in lines if line and line[0] != "#"]
    return [(memory, other) for memory, other in pairs]


def small(size: int = KIB) -> dict[str, Any]:
    """Return a state of about this size; `step` and `said` are what steps change."""
    kept = {"customer": "u_17", "plan": ["search", "book", "pay"], "price": 120.5}
    state = {"step": 0, "said": texts(1, 196)[0], "kept": kept, "notes": ""}
    room = size - len(json.dumps(state))
    return state | {"notes": texts(1, room, seed=2)[0][:room]}


def template(state: dict[str, Any]) -> bytes:
    """Return the state with the places that a plan of requests fills."""
    written = json.dumps(state | {"step": "@n@", "said": "@text@"})
    return written.replace(b'"@n@"', b"@n@")


def message(number: int, text: str) -> dict[str, Any]:
    role = "user" if number % 2 else "assistant"
    return {"id": f"msg_{number}", "role": role, "content": text}


def chat(count: int, size: int) -> list[dict[str, Any]]:
    """Return messages of about `size` bytes each."""
    said = texts(count, size - 55)
    return [message(number, text) for number, text in enumerate(said)]


def growing(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the steps of a graph's thread to which each adds one of the messages."""
    for step, one in enumerate(messages, 1):
        yield {"thread": "chat", "values": {"step": step}, "append": [one]}


def edited(state: dict[str, Any]) -> dict[str, Any]:
    """Return a large state after three edits: a step, an item, one more item."""
    after = copy.deepcopy(state)
    count = len(after["items"])
    after["step"] = 1
    after["items"][count // 2]["content"] = "edited"
    after["items"].append(message(count, "appended"))
    return after


def large(size: int) -> dict[str, Any]:
    """Return a state of about this size: items of a quarter of a kilobyte."""
    count = size // 262
    return {"step": 0, "items": chat(count, 262)}
