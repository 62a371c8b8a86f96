"""Recomputes what an append derives: changes, flags, sizes, and what lists show.

None of it is part of the proof: it can be erased and rebuilt from the bodies. It is
compared with the differ of this release; a newer one that tells a difference in other
words will find older versions to differ here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from apps.accounts.models import Project
from apps.core import json
from apps.core.json import Json, State
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import OPENING
from apps.diffs.facets import facets as facets_of
from apps.diffs.flags import Flag, flags
from apps.timeline import bodies
from apps.timeline.bodies.tasks import written_in
from apps.timeline.ledger.encoding.progress import TASKS, told
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.carried import carry
from apps.timeline.ledger.facts.repeating import EMPTY, MESSAGES, repeats_failure
from apps.timeline.verification.rows import ChangeRow, Listed, StoredVersion
from apps.timeline.words import Op

_STATUS_OF = {"open": "active"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A state as a body holds it: parsed, and its bytes; what stands beside it."""

    state: State
    size: int
    messages: bytes = EMPTY
    tasks: bytes = b""
    # Whether these are the state's own: of what was written before lists knew of such,
    # they say nothing.
    has_own_tasks: bool = False


def shown(raw: bytes, state: bytes) -> Shown:
    """Return what a body and its part `state` show.

    Raises: CorruptBody, MalformedJson.
    """
    messages = bodies.part_view(raw, MESSAGES)
    found, part = json.parse(state), bodies.part_view(raw, TASKS)
    own = written_in(found) if part is None else None
    return Shown(
        found,
        len(state),
        bytes(messages or EMPTY),
        bytes(part or own or b""),
        has_own_tasks=own is not None,
    )


def of_version(
    version: StoredVersion,
    before: Shown,
    after: Shown,
    stored: list[ChangeRow] | None,
    project: Project,
) -> Iterator[str]:
    """Yield what was derived otherwise from the step between two states.

    Without what is `stored` of the paths, which a removal may have taken, they are not
    compared.
    """
    comparison = compare(before.state, after.state)
    if version.size != after.size:
        yield f"its size is {after.size}, not {version.size}"
    if version.flags not in _flags(version, comparison, before, after):
        yield f"its flags are {version.flags}"
    told = index.shown(comparison)
    if version.change_count != told["change_count"]:
        yield f"it has {told['change_count']} changes, not {version.change_count}"
    elif not any(
        _alike(changes, version.changes)
        for changes in (
            told["changes"],
            index.shown_earlier(told["changes"], comparison),
        )
    ):
        yield "the changes shown with it are others"
    rows, truncated = index.change_rows(comparison, project)
    if version.op == Op.FORK:
        carry(rows, after.state, project)
    columns = (rows.path_keys, rows.roles, rows.kinds, rows.value_keys)
    touched = set(zip(*columns, strict=True))
    if stored is not None and (len(touched) != len(stored) or touched != set(stored)):
        yield "the paths recorded as touched are others"
    if version.changes_truncated != truncated:
        yield "whether its changes are complete is recorded wrongly"


def _flags(
    version: StoredVersion, comparison: Comparison, before: Shown, after: Shown
) -> list[list[str]]:
    """Return the flags that the version may have.

    Whether it repeats a failed call was not always looked for.
    """
    if not version.number:
        return [[]]
    lost = [flag.value for flag in flags(comparison, before.size, after.size)]
    brings = version.body_number == version.number
    if not brings or not repeats_failure(before.messages, after.messages, comparison):
        return [lost]
    return [lost, [*lost, Flag.REPEATED.value]]


def of_session(
    listed: Listed, head: Shown | None, *, is_sealed: bool = False
) -> Iterator[str]:
    """Yield what lists show otherwise; `head` None: it is not known here.

    Where a project `is_sealed`, lists find sessions by nothing of a state.
    """
    expected = {
        "head_number": listed.number,
        "status": _STATUS_OF.get(listed.hold, listed.hold),
        "turn_count": listed.turns,
        "rollback_count": listed.rollbacks,
        "review": listed.reviewed,
        "scores": listed.scored,
    }
    for name, value in expected.items():
        shown = getattr(listed, name)
        if shown != value:
            yield f"lists show {name} {shown}, not {value}"
    if is_sealed and not listed.facets:
        return
    if head is None:
        return
    values: dict[str, Json] = {**facets_of(head.state)}
    tasks = told(head.tasks)
    if tasks is not None and (TASKS in listed.facets or not head.has_own_tasks):
        values[TASKS] = tasks
    if not _is_found_by(values, listed.facets):
        yield "lists find it by other values than its head has"


def _is_found_by(expected: dict[str, Json], stored: dict[str, Json]) -> bool:
    """What was not always kept is no damage where it is missing."""
    later = {OPENING, TASKS} - stored.keys()
    expected = {key: value for key, value in expected.items() if key not in later}
    return _alike(expected, stored)


def _alike(expected: Json, stored: Json) -> bool:
    """Compare with what jsonb gives back: a number's value, but not its spelling.

    1e23 comes back as the whole number, which as a double is another one.
    """
    if isinstance(expected, dict) and isinstance(stored, dict):
        return expected.keys() == stored.keys() and all(
            _alike(value, stored[key]) for key, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(stored, list):
        return len(expected) == len(stored) and all(map(_alike, expected, stored))
    if isinstance(expected, float) and isinstance(stored, int):
        return expected == float(stored)
    return bool(expected == stored)
