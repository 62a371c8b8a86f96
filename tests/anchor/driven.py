"""A process of its own for one release of Anchor's client, driven line by line.

It is started by `releases.py` with nothing but the release on its path, so it imports
nothing of ours. Each line that it reads is a call, each that it writes an answer.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import reduce
from types import SimpleNamespace
from typing import Any

MARK = "$kind"
NAMESPACES = ("agents", "config", "data", "checkpoints", "audit")


def encoded(value: Any) -> Any:
    """Return a value as JSON can hold it: times and objects are marked."""
    if isinstance(value, datetime):
        return {MARK: "datetime", "text": value.isoformat()}
    if isinstance(value, dict):
        return {name: encoded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = {one.name: getattr(value, one.name) for one in fields(value)}
        return {MARK: type(value).__name__} | encoded(named)
    if hasattr(value, "model_dump"):
        return {MARK: type(value).__name__} | encoded(value.model_dump())
    return value


def decoded(value: Any) -> Any:
    """Return what was encoded; an object has its fields as attributes, and `kind`."""
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get(MARK) == "datetime":
        return datetime.fromisoformat(value["text"])
    named = {name: decoded(one) for name, one in value.items() if name != MARK}
    if MARK in value:
        return SimpleNamespace(kind=value[MARK], **named)
    return named


class Clients:
    """The clients that were opened in this process, by their number."""

    def __init__(self) -> None:
        self._opened: list[Any] = []

    def open(self, **options: Any) -> int:
        """Open a client; `config` is what the client's own class of that name takes."""
        import anchor

        config = options.pop("config", None)
        if config is not None:
            options["config"] = anchor.ClientConfig(**config)
        self._opened.append(anchor.Anchor(**options))
        return len(self._opened) - 1

    def call(self, number: int, name: str, given: list[Any], named: Any) -> Any:
        """Call a method by its dotted name."""
        method = reduce(getattr, name.split("."), self._opened[number])
        return method(*given, **named)


def methods() -> list[str]:
    """Return every public method of the client and its namespaces, by dotted name."""
    import anchor

    client = anchor.Anchor(api_key="none")
    found = [(f"{name}.", getattr(client, name)) for name in NAMESPACES]
    return sorted(
        prefix + name
        for prefix, part in [("", client), *found]
        for name, _ in inspect.getmembers(type(part), inspect.isfunction)
        if not name.startswith("_")
    )


def version() -> str:
    from importlib.metadata import version

    return version("anchorai")


def main() -> None:
    """Answer line after line, until there are no more."""
    # Whatever else writes to standard output must not get in between.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        clients = Clients()
        does = {"methods": methods, "version": version}
        does |= {"open": clients.open, "call": clients.call}
        for line in sys.stdin:
            answers.write(json.dumps(told(does, json.loads(line))) + "\n")
            answers.flush()


def told(does: dict[str, Callable[..., Any]], asked: dict[str, Any]) -> dict[str, Any]:
    """Return what a call answered, or what it raised."""
    try:
        return {"answer": encoded(does[asked["do"]](**decoded(asked["with"])))}
    except Exception as error:  # noqa: BLE001 - raised on the other side
        about = {"kind": type(error).__name__, "message": str(error)}
        bases = [one.__name__ for one in type(error).__mro__]
        return {"raised": about | {"bases": bases}, "facts": encoded(vars(error))}


if __name__ == "__main__":
    main()
