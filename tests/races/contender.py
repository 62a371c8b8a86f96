"""A process of its own that races for the next version, round after round."""

from __future__ import annotations

from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

from tests.races.traffic import Line

SECONDS = 30


def contend(
    url: str,
    secret: str,
    path: str,
    name: str,
    headers: list[bool],
    barrier: Barrier,
    results: Connection,
) -> None:
    """Name the same head as the other process in every round; send what came back.

    Round `n` builds on version `n`; `headers[n]` says whether by `If-Match`.
    """
    line = Line(url, secret)
    answers: list[tuple[int, Any]] = []
    for number, by_header in enumerate(headers):
        body: dict[str, Any] = {"state": {f"{name}-{number}": number}}
        tag = {"If_Match": f'"v{number}"'} if by_header else {}
        if not by_header:
            body["expected_version"] = number
        barrier.wait(SECONDS)
        answer = line.patch(path, body, **tag)
        answers.append((answer.status, answer.body))
        # Nobody starts a round before both have finished the one before.
        barrier.wait(SECONDS)
    line.close()
    results.send(answers)
