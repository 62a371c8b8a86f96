"""Exports of a project: asked for, waited for, and kept as a file."""

from __future__ import annotations

from argparse import Namespace

from stepback._sync.client import Stepback
from stepback.cli.output import Output, plain

KINDS = ("trajectories", "audit", "session", "person")


class NotMade(ValueError):
    """The server made no file."""


def take_out(client: Stepback, asked: Namespace, output: Output) -> None:
    """Have an export made, and write its file once it is there.

    Raises: NotMade.
    """
    export = client.exports.ask(
        asked.kind,
        agent=asked.agent,
        release=asked.release,
        model=asked.model,
        label=asked.label,
        outcome=asked.outcome,
        rolled_back=None if asked.rolled_back is None else asked.rolled_back == "yes",
        most_tokens=asked.most_tokens,
        most_cost=asked.most_cost,
        session_id=asked.session,
        user_id=asked.user,
        start=asked.start,
        end=asked.end,
        format=asked.format,
        unmasked=asked.unmasked or None,
    )
    made = client.exports.wait(export.id, interval=asked.interval)
    if not made.is_ready:
        raise NotMade(f"{made.id} is {made.state}: {made.error or 'it has no file'}")
    size = client.exports.download(made.id, asked.file)
    lines = [f"Wrote {made.rows} lines and files ({size} bytes) to {asked.file}."]
    lines += [
        f"Not in it: {one['count']} {plain(one['reason'])}" for one in made.left_out
    ]
    output.result(made.raw, *lines)
