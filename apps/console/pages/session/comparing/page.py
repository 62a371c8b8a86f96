"""A comparison as its page shows it: the answer, both heads, what differs, the steps.

Bounded: of both sessions a window of steps is read, and the page says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.mapping import agents_noise
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.project.session_rows import SessionRow, session_rows
from apps.console.pages.session import change_table
from apps.console.pages.session.change_table import Compared
from apps.console.pages.session.comparing import alignment, steps
from apps.console.pages.session.comparing.alignment import Row
from apps.console.pages.session.comparing.steps import Window
from apps.diffs.changes import Change
from apps.diffs.meaning.incidental import is_incidental
from apps.diffs.meaning.noise import Noise
from apps.diffs.text import count
from apps.timeline.models import Session
from apps.timeline.queries import Divergence, find_divergence
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
    noise = Noise(
        tuple(
            dict.fromkeys(
                pattern
                for one in sides
                for pattern in agents_noise(one.session.agent).patterns
            )
        )
    )
    changes = _differing(left, right, noise, given)
    parted = find_divergence(Scope(project), left.session.id, right.session.id, now=now)
    shared = shared_number(sides, parted)
    windows = [
        _window(one, other, parted, shared, given[f"{one.name}_after"], noise)
        for one, other in (sides, sides[::-1])
    ]
    rows = alignment.aligned(windows[0].groups, windows[1].groups)
    return {
        "sides": sides,
        "changes": changes,
        "against": f"against={left.version.number}&of={left.session.id}",
        "shows_all": bool(given["shown"]),
        "shared": shared,
        "shared_session": parted.common and parted.common.session_id,
        "reason": parted.reason,
        "n_since": [_since(one, parted, shared) for one in sides],
        "rows": rows,
        "windows": windows,
        "answer": answer(changes, rows, shared),
        "first": alignment.first_difference(rows),
        "firsts": alignment.firsts(rows),
    }


def answer(changes: Compared | None, rows: Sequence[Row], shared: int | None) -> str:
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


def shared_number(sides: tuple[Side, Side], parted: Divergence) -> int | None:
    """Return the last version that both sides have, as far as each is shown."""
    if parted.common is None:
        return None
    own = [
        one.version.number
        for one in sides
        if one.session.id == parted.common.session_id
    ]
    return min([parted.common.number, *own])


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


def _window(
    one: Side,
    other: Side,
    parted: Divergence,
    shared: int | None,
    after: int | None,
    noise: Noise,
) -> Window:
    """Return the steps that a side has made by itself, or those after a number."""
    parted_at = None
    if after is None:
        after = _begins_after(one, parted, shared)
        parted_at = _parted_at(one, other, after)
    return steps.window(
        one.session,
        after=after,
        end=one.version.number,
        noise=noise,
        parted_at=parted_at,
    )


def _parted_at(one: Side, other: Side, number: int) -> datetime | None:
    """Return when the other side began as a fork of this one, at this version."""
    fork = other.session
    is_fork = fork.origin_session_id == one.session.id
    return fork.created_at if is_fork and fork.origin_number == number else None


def _begins_after(one: Side, parted: Divergence, shared: int | None) -> int:
    is_in_it = parted.common and parted.common.session_id == one.session.id
    return shared if is_in_it and shared is not None else -1


def _since(one: Side, parted: Divergence, shared: int | None) -> int:
    """Count the versions of a side since, of its own alone."""
    return one.version.number - _begins_after(one, parted, shared)
