"""What the published StateBase SDK offers, found by looking at it.

Owns the list of its methods and one way to call both of its clients. It changes
nothing in the SDK: what is called is what users call.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

PACKAGE = "statebase"


class Finished:
    """A client of the SDK, or a part of one, whose calls are finished on return.

    Calls of the asynchronous client are awaited on the runner's one event loop.
    """

    def __init__(self, part: object, runner: asyncio.Runner) -> None:
        self._part = part
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if is_part(found):
            return Finished(found, self._runner)
        return functools.partial(self._finish, found) if callable(found) else found

    def _finish(self, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
        answer = method(*given, **named)
        return self._runner.run(answer) if inspect.iscoroutine(answer) else answer


def is_part(value: object) -> bool:
    """Tell whether this is a client that the SDK itself defines."""
    return type(value).__module__.split(".")[0] == PACKAGE


def methods(client: object) -> dict[str, inspect.Signature]:
    """Return every public method of the client and of its parts, by dotted name."""
    return dict(_methods(client, ""))


def _methods(part: object, prefix: str) -> Iterator[tuple[str, inspect.Signature]]:
    for name, function in inspect.getmembers(type(part), inspect.isroutine):
        if not name.startswith("_"):
            yield f"{prefix}{name}", inspect.signature(function)
    for name, value in vars(part).items():
        if not name.startswith("_") and is_part(value):
            yield from _methods(value, f"{prefix}{name}.")


def called(client: object, name: str, *given: Any, **named: Any) -> Any:
    """Call the method of that dotted name."""
    method: Any = functools.reduce(getattr, name.split("."), client)
    return method(*given, **named)
