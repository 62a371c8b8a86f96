"""Migrate sessions to another schema of their agents, each as its state is then.

The dry run migrates every state, as the run will, and throws it away: what cannot be
done is left out, and why stands beside it. Nothing undoes it but a rollback.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.core.errors import InvalidRequest
from apps.plans.cases import reasons
from apps.plans.cases.case import Case, Done, Reason, Sight, Task
from apps.timeline import operations as timeline
from apps.timeline.operations import Step
from apps.timeline.queries import migration_trials
from apps.timeline.words import Status

# What a state, or what its agent has declared, says against it: no failure of ours.
AGAINST = frozenset(
    {
        *("schema_not_found", "no_migration", "nothing_to_migrate"),
        *("migration_failed", "schema_unfit", "unacceptable_json", "contents_erased"),
    }
)


def _read(given: Mapping[str, Any]) -> dict[str, Any]:
    to = str(given.get("to_schema") or "").strip()
    if not to:
        raise InvalidRequest("Name the schema to migrate to.", param="to_schema")
    source = given.get("from_schema") or None
    return {"to_schema": to} | ({"from_schema": source} if source else {})


def _look(sight: Sight) -> dict[str, Reason]:
    """Leave out what cannot be migrated, and whatever nobody writes to."""
    closed = {
        Status.CLOSED.value: reasons.CLOSED,
        **(
            {Status.PAUSED.value: reasons.HELD_BACK} if sight.act.actor.is_agent else {}
        ),
    }
    ended = sight.by_status(reasons.ENDED | closed)
    tried = migration_trials(
        [id for id in sight.sessions if id not in ended],
        to=sight.params["to_schema"],
        source=sight.params.get("from_schema"),
    )
    refused = {
        id: Reason(error.code, error.message)
        for id, error in tried.items()
        if error is not None
    }
    return refused | ended


def _do(task: Task) -> Done | Reason:
    receipt = timeline.migrate(
        act=task.act,
        session_id=task.item.session_id,
        to=task.plan.params["to_schema"],
        source=task.plan.params.get("from_schema"),
        step=Step(reasoning=task.plan.reason or None),
        expected=task.expected,
    )
    return Done(number=receipt.number)


MIGRATE = Case(
    kind="migrate",
    title="Migrate",
    asks="Migrate {sessions} to schema “{to_schema}”",
    doing="Migrating {sessions} to schema “{to_schema}”",
    did="{sessions} migrated to schema “{to_schema}”",
    look=_look,
    do=_do,
    read=_read,
    leaves_out=AGAINST | {"session_not_found", "session_closed", "session_paused"},
)
