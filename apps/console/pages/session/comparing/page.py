"""A comparison as its page shows it: the answer, both heads, what differs, the steps.

Bounded: of both sessions a window of steps is read, and the page says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.project.session_rows import SessionRow, session_rows
from apps.console.pages.session import change_table
from apps.console.pages.session.change_table import Compared
from apps.console.pages.session.comparing.told import Told, told_rows
from apps.diffs.changes import Change
from apps.diffs.meaning.incidental import is_incidental
from apps.diffs.meaning.noise import Noise
from apps.diffs.text import count
from apps.timeline.models import Session
from apps.timeline.queries import find_divergence
from apps.timeline.stepping import (
    StepSide,
    begins_after,
    compare_steps,
    last_shared,
    noise_of_both,
)
from apps.timeline.versions import CorruptBody, VersionRow, parsed_states


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A session at one of its versions."""

    name: str
    session: Session
    version: VersionRow
    shown: SessionRow

    @property
    def is_head(self) -> bool:
        return self.version.number == self.session.head_number

    def steps(self, given: Mapping[str, Any]) -> StepSide:
        """Ask for its steps: those since the sides parted, or after a number."""
        return StepSide(
            session=self.session,
            end=self.version.number,
            after=given[f"{self.name}_after"],
        )


def side(
    project: Project, name: str, session_id: str, number: int | None, *, now: datetime
) -> Side:
    """Return one side; without a number its head.

    Raises: SessionNotFound, VersionNotFound.
    """
    session = queries.session(project, session_id)
    wanted = session.head_number if number is None else number
    (shown,) = session_rows(queries.rows([session], now))
    return Side(
        name=name,
        session=session,
        version=queries.version(session, wanted)[0],
        shown=shown,
    )


def compared(
    project: Project, sides: tuple[Side, Side], given: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Return the context of the page."""
    left, right = sides
    noise = noise_of_both(left.session, right.session)
    changes = _differing(left, right, noise, given)
    parted = find_divergence(Scope(project), left.session.id, right.session.id, now=now)
    asked = left.steps(given), right.steps(given)
    found = compare_steps(*asked, parted, noise)
    shared = last_shared(parted.common, asked)
    rows = told_rows(found, noise)
    return {
        "sides": sides,
        "changes": changes,
        "against": f"against={left.version.number}&of={left.session.id}",
        "shows_all": bool(given["shown"]),
        "shared": shared,
        "shared_session": parted.common and parted.common.session_id,
        "reason": parted.reason,
        "n_since": [
            one.end - begins_after(one, parted.common, shared) for one in asked
        ],
        "rows": rows,
        "windows": found.windows,
        "answer": answer(changes, rows, shared),
        "first": next((row for row in rows if row.differs), None),
        "firsts": [row for one in found.firsts for row in rows if row.row is one.row],
    }


def answer(changes: Compared | None, rows: Sequence[Told], shared: int | None) -> str:
    """Say in one sentence what ends up different, and where the sides parted."""
    parted = "" if shared is None else f"; they parted after v{shared:,}"
    if changes is None:
        return "What is stored of these states does not read"
    if not changes.count:
        return f"Both show the same state{parted if rows else ''}"
    if not changes.n_told:
        return f"Only times, ids and noise differ{parted}"
    verb = "ends" if changes.n_told == 1 else "end"
    return f"{count(changes.n_told, 'value')} {verb} up different{parted}"


def _differing(
    left: Side, right: Side, noise: Noise, given: Mapping[str, Any]
) -> Compared | None:
    """Compare both states; None where one cannot be read."""

    def hides(change: Change) -> bool:
        return noise.hides(change) or is_incidental(change)

    try:
        states = parsed_states(left.version, right.version)
    except CorruptBody:
        return None
    return change_table.compared(
        *states,
        n_bytes=left.version.size + right.version.size,
        hides=_nothing if given["shown"] else hides,
        start=given["start"] or 0,
    )


def _nothing(change: Change) -> bool:
    return False
