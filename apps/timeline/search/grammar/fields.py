"""The fields of the search language, and what each takes.

`places` and spans of time have a grammar of their own; all others take a name, or one
of a few words.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

from apps.diffs.flags import Flag as FlagName
from apps.timeline.querysets import UNREVIEWED
from apps.timeline.search.clauses import (
    AgentIs,
    ChildOf,
    Clause,
    ExternalId,
    Field,
    Flag,
    Forked,
    LabelIs,
    Marked,
    ReviewedAs,
    RolledBack,
    SchemaIs,
    SessionIs,
    StandsAs,
    StatusIs,
    TraceIs,
    Unreasoned,
    UserIs,
    VersionSays,
    Words,
)
from apps.timeline.search.grammar.scanner import Scanner
from apps.timeline.search.grammar.spans import aged, created, updated
from apps.timeline.search.grammar.working import TASK, cost, tokens
from apps.timeline.words import Op, Outcome, Standing, Status


def _says(field: Field) -> Callable[[str], Clause]:
    return lambda value: VersionSays(text="", field=field, value=value)


NAMES: dict[str, Callable[[str], Clause]] = {
    "agent": lambda value: AgentIs(text="", name=value),
    "user": lambda value: UserIs(text="", user_id=value),
    "label": lambda value: LabelIs(text="", name=value),
    "external": lambda value: ExternalId(text="", external_id=value),
    "session": lambda value: SessionIs(text="", session_id=value),
    "parent": lambda value: ChildOf(text="", parent_id=value),
    "trace": lambda value: TraceIs(text="", trace_id=value),
    "schema": lambda value: SchemaIs(text="", schema=value),
    "words": lambda value: Words(text="", words=value),
} | {field.value: _says(field) for field in Field if field is not Field.OP}
SPANS = {
    "age": aged,
    "created": created,
    "updated": updated,
    "cost": cost,
    "tokens": tokens,
}
ANSWERS = {"yes": True, "true": True, "no": False, "false": False}
STATUSES = {
    "paused": Status.PAUSED.value,
    "held": Status.PAUSED.value,
    "deleted": Status.DELETED.value,
    "expired": "expired",
}
STANDINGS = {one.value: one.value for one in Standing if one is not Standing.HELD} | {
    "looks-wrong": Standing.WRONG.value,
    "rolled-back": Standing.ROLLED.value,
    "ended": Standing.CLOSED.value,
}
REVIEWS = (*Outcome.values, UNREVIEWED)
FLAGS = {one.value: one.value for one in FlagName} | {
    "null": FlagName.NULLED.value,
    "keys": FlagName.KEYS_LOST.value,
}
# What a session has, as effects and the apps above know.
HAVING = {
    "effect": ("begun", "unknown", "owed"),
    "approval": ("open",),
    "budget": ("any", "warned", "reached"),
}
CHOICES: dict[str, dict[str, Clause]] = {
    "status": {name: StatusIs(text="", status=one) for name, one in STATUSES.items()}
    | {name: StandsAs(text="", standing=one) for name, one in STANDINGS.items()},
    "review": {name: ReviewedAs(text="", review=name) for name in REVIEWS},
    "flag": {name: Flag(text="", name=one) for name, one in FLAGS.items()},
    "rolled-back": {
        name: RolledBack(text="", wanted=one) for name, one in ANSWERS.items()
    }
    | {"unreasoned": Unreasoned(text="", op=Op.ROLLBACK.value)},
    "reasoned": {name: Unreasoned(text="") for name, one in ANSWERS.items() if not one},
    "forked": {name: Forked(text="", wanted=one) for name, one in ANSWERS.items()},
    **{
        field: {one: Marked(text="", field=field, value=one) for one in words}
        for field, words in HAVING.items()
    },
    "op": {
        one.value: VersionSays(text="", field=Field.OP, value=one.value) for one in Op
    },
}
PLACES = ("state", "ever", "now", "changed")
SCORE = "score"
FIELDS = (*NAMES, *CHOICES, *SPANS, *PLACES, SCORE, TASK)
# What people write who know another system, or our own API.
MEANT = {
    "id": "session",
    "session_id": "session",
    "parent_session_id": "parent",
    "user_id": "user",
    "agent_id": "agent",
    "external_id": "external",
    "trace_id": "trace",
    "rolled_back": "rolled-back",
    "rollback": "rolled-back",
    "flags": "flag",
    "labels": "label",
    "text": "words",
    "step_number": "step",
    "objective_status": "objective",
    "reason_code": "reason",
    "schema_version": "schema",
    "tasks": "task",
    "effects": "effect",
    "approvals": "approval",
    "budgets": "budget",
    "reasoning": "reasoned",
    "unreasoned": "reasoned",
    "reviewed": "review",
    "scored": "score",
}


def refuse(scanner: Scanner, field: str, at: int) -> NoReturn:
    """Refuse a field that there is not, with the one that was probably meant.

    Raises: InvalidRequest.
    """
    name = field.lower()
    near = MEANT.get(name) or next(iter(get_close_matches(name, FIELDS, n=1)), None)
    rest = scanner.run()
    if near is None and rest.startswith("="):
        suggestion: str | None = f"state.{field}{rest}"
    else:
        suggestion = near and f"{near}{rest}"
    scanner.fail(
        f"there is no field {field}; put the term in quotes to look for it as text",
        at=at,
        suggestion=suggestion,
    )
