"""What the tests of results share: an agent that finds flights, and asks the record."""

from __future__ import annotations

from typing import Any

from tests.conftest import Answer
from tests.timeline.effects.acting import finished
from tests.timeline.runs import Run

READ = {"tool": "find_flights", "arguments": {"to": "OSL"}, "class": "read"}
FOUND = {"result": {"flights": ["SK 1"]}, "external_id": "q-9"}
HOUR = {"ttl": 3600}
SHARED = {"ttl": 3600, "scope": "agent"}


def look(run: Run, key: str, **said: Any) -> Answer:
    """Ask whether to find flights, or what is said instead, with the record."""
    return run.client.post(
        run.path("effects"), {"key": key, "cache": HOUR, **READ, **said}
    )


def made(run: Run, key: str = "first", **said: Any) -> Any:
    """Find flights; return the effect, which is done."""
    answer = look(run, key, **said)
    assert (answer.status, answer.body["run"]) == (201, True), answer.content
    return finished(run, answer.body, **FOUND)


def runs(run: Run, key: str, **said: Any) -> bool:
    """Whether the call has to be made."""
    answer = look(run, key, **said)
    assert answer.status in (200, 201), answer.content
    return bool(answer.body["run"])


def forget(run: Run, **said: Any) -> Answer:
    return run.client.post(run.path("results", "forget"), {"reason": "stale", **said})
