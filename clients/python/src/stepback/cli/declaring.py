"""The commands of schemas and budgets: what states are, and how much may be used."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from stepback._sync.client import Stepback
from stepback.answers import AgentSchema, Budget
from stepback.cli.asking import refuse_unused
from stepback.cli.output import Output, plain, value

MOST_STEPS = 20
# What says what a budget is that is made: no list is asked for by it.
LISTED = 20
TERMS = ("release", "currency", "period", "on_reach", "ask_for", "warn")


def schemas(client: Stepback, asked: Namespace, output: Output) -> None:
    """Declare a schema of a file; without one, list schemas and migrations."""
    if asked.version is not None:
        if asked.file is None:
            raise ValueError("Name the file that has the JSON Schema.")
        made = client.schemas.declare(
            asked.agent, asked.version, _object(asked.file), strict=asked.strict or None
        )
        output.result(made.raw, f"Declared {_schema(made)}.")
        return
    if asked.strict:
        raise ValueError("Say which version is declared as strict.")
    for one in client.schemas.list(asked.agent).data:
        output.result(one.raw, _schema(one))
    for step in client.schemas.migrations(asked.agent).data:
        ops = ", ".join(plain(one.get("op")) for one in step.steps[:MOST_STEPS])
        line = f"{plain(step.before)} → {plain(step.to)}  {ops}"
        output.result(step.raw, line)


def migrate(client: Stepback, asked: Namespace, output: Output) -> None:
    """Store a session's state as another schema has it, or only show it so."""
    if asked.dry_run:
        refuse_unused(asked, ("reason",), "is kept with what is stored: nothing is.")
        shown = client.sessions.get_state(
            asked.session, schema=asked.to, before=asked.before
        )
        was = shown.migrated_from
        told = "is of it already" if was is None else f"would be migrated from {was}"
        output.result(
            shown.raw,
            f"v{shown.version} of {asked.session} {plain(told)}: nothing is stored.",
            value(shown.state),
        )
        return
    made = client.sessions.migrate_state(
        asked.session, asked.to, before=asked.before, reasoning=asked.reason
    )
    line = f"v{made.version}: {asked.session} is of the schema {plain(asked.to)}."
    output.result(made.raw, line)


def budgets(client: Stepback, asked: Namespace, output: Output) -> None:
    """Hold a session, an agent or a release to a budget, or list the budgets."""
    if asked.measure is None:
        refuse_unused(asked, TERMS, "is of a budget to make: say what counts.")
        limit = LISTED if asked.limit is None else asked.limit
        found = client.budgets.list(
            session_id=asked.session, agent_id=asked.agent, limit=limit
        )
        for one in found.data:
            output.result(one.raw, _budget(one))
        if found.has_more:
            output.more()
        return
    refuse_unused(asked, ("limit",), "is of the list: this makes one.")
    if asked.most is None:
        raise ValueError("Say how much may be used.")
    made = client.budgets.create(
        asked.measure,
        asked.most,
        session_id=asked.session,
        agent_id=asked.agent,
        release=asked.release,
        currency=asked.currency,
        period=asked.period,
        on_reach=asked.on_reach,
        warn_percent=asked.warn,
        ask_for=asked.ask_for,
    )
    output.result(made.raw, _budget(made))


def _schema(one: AgentSchema) -> str:
    strict = ", strict" if one.strict else ""
    used = "used" if one.used_at else "not used"
    return f"{plain(one.version)}  {one.id}  {used}{strict}"


def _budget(one: Budget) -> str:
    whose = one.session_id or one.agent_id
    if one.release is not None:
        whose = f"{one.agent_id} release {one.release}"
    unit = one.currency or one.measure
    reached = "  reached" if one.reached_at else ""
    period = "" if one.period == "total" else f" a {one.period}"
    return (
        f"{one.id}  {plain(whose)}: {one.used} of {one.limit} {plain(unit)}{period}, "
        f"then {one.on_reach}{reached}"
    )


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    raise ValueError(f"{path} holds no JSON object.")
