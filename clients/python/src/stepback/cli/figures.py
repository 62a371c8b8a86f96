"""The command that tells the rollback rate, and what goes with it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from stepback._sync.client import Stepback
from stepback.cli.asking import refuse_unused
from stepback.cli.output import Output, plain

WINDOW = "24h"
# What the figures are broken down by, and how a row is called that has no name.
BY = ("agent", "release", "model", "reason", "actor", "tool")
NOT_TOLD = "not told"
OTHERS = "others, by hour"


def metrics(client: Stepback, asked: Namespace, output: Output) -> None:
    """Tell the figures of a time, or of each agent, release, reason, …

    Raises: ValueError for an option that says nothing beside the others.
    """
    if asked.start:
        refuse_unused(asked, ("window",), "goes up to now: give it, or --from.")
    if asked.by is None:
        refuse_unused(asked, ("limit",), "is of --by: say by what.")
    about = {
        "window": None if asked.start else asked.window or WINDOW,
        "start": asked.start,
        "end": asked.end,
        "agent_id": asked.agent,
    }
    if asked.by is None:
        found = client.metrics.summary(**about)
        output.result(found.raw, *_summary(found.raw))
        return
    if asked.by == "agent":
        listed = client.metrics.agents(limit=asked.limit, **about)
    elif asked.by == "tool":
        listed = client.metrics.tools(limit=asked.limit, **about)
    else:
        listed = client.metrics.breakdown(asked.by, limit=asked.limit, **about)
    for row in listed.data:
        output.result(row, _tool(row) if asked.by == "tool" else _row(row, asked.by))


def _summary(raw: Mapping[str, Any]) -> list[str]:
    found = raw["figures"]
    lines = [
        f"From {raw['from']} to {raw['to']}",
        f"Rollback rate {_percent(found['rollback_rate'])} ({found['band']}): "
        f"{found['rolled_back']:,} of {found['sessions']:,} sessions",
        f"Rollbacks {found['rollbacks']:,}, taken back {found['undone']:,}, repeated "
        f"{found['repeated']:,}",
        f"Versions {found['versions']:,}, turns {found['turns']:,}, new sessions "
        f"{found['began']:,}, forks {found['forks']:,}",
        f"Tool calls {found['tool_calls']:,}, failed {found['tool_errors']:,}",
    ]
    if found["mean_depth"] is not None:
        depth, seconds = found["mean_depth"], found["mean_seconds_to_rollback"]
        lines.append(
            f"A rollback set {depth:,.1f} versions aside, {seconds:,.0f} s after the "
            "first that went wrong"
        )
    return lines


def _row(row: Mapping[str, Any], by: str) -> str:
    name = row["agent_id"] if by == "agent" else _name(row["value"])
    return (
        f"{plain(name)}  {_percent(row['rollback_rate'])}  "
        f"{row['rolled_back']:,} of {row['sessions']:,} sessions"
    )


def _tool(row: Mapping[str, Any]) -> str:
    name = plain(row["tool"]) or "others"
    return f"{name}  {row['errors']:,} of {row['calls']:,} calls failed"


def _name(value: str | None) -> str:
    return OTHERS if value is None else value or NOT_TOLD


def _percent(rate: float | None) -> str:
    return "none" if rate is None else f"{rate * 100:.1f} %"
