"""Counts again what is open in a session, from its versions and their states.

Shares no code with the append that keeps `timeline_open`: a mistake there must show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json, State
from apps.diffs import pointers
from apps.diffs.equality import same
from apps.timeline.queries import open_items
from apps.timeline.verification.limits import UNBOUNDED
from apps.timeline.verification.rows import Listed
from apps.timeline.versions.lineage import set_aside_by
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op, OpenKind

# Between which versions something began: one and the same, but for a pass that begins
# in the middle.
Since = tuple[int, int]
# By what a state asks for a person where its agent has no rules of its own.
USUAL = (
    "/approval_status = pending",
    *("/pending_action", "/pending_approval"),
    *(f"/{key} = true" for key in ("escalated", "escalated_to_human")),
    "/requires_confirmation = true",
)


@dataclass(slots=True)
class Openness:
    """What is open after the versions that were seen, oldest first.

    `is_known` is false as long as a state that could not be read leaves open whether
    the session waits; `is_settled` is false where the worker is still deriving that
    anew by other rules.
    """

    rules: Sequence[str] | None = None
    is_settled: bool = True
    is_known: bool = True
    waiting: Since | None = field(default=None)
    held: Since | None = field(default=None)

    def decide_by(
        self, rules: Sequence[str] | None, remap_after: datetime | None
    ) -> None:
        """Take the rules of the agent, and whether all of its sessions are by them."""
        self.rules, self.is_settled = rules, remap_after is None

    def begin_after(self, version: VersionRow, state: State | None) -> None:
        """Begin in the middle, with the version before the first that will be seen."""
        self.see(version, state)
        self.is_known = self.is_known and version.op not in (Op.PAUSE, Op.RESUME)
        self.waiting = self.waiting and (0, version.number)
        self.held = self.held and (0, version.number)

    def cross(self) -> None:
        """Pass versions that are gone: what is open may have begun anew in them."""
        self.waiting = self.waiting and (self.waiting[0], UNBOUNDED)
        self.held = self.held and (self.held[0], UNBOUNDED)

    def see(self, version: VersionRow, state: State | None) -> None:
        """Go on to a version; its state is None where it cannot be read."""
        here = (version.number, version.number)
        if version.hold != Hold.PAUSED:
            self.held = None
        elif self.held is None:
            self.held = here
        if version.op in (Op.PAUSE, Op.RESUME):
            return
        asks = _asks(version, state, USUAL if self.rules is None else self.rules)
        self.is_known = asks is not None and (self.is_known or not asks)
        if not asks:
            self.waiting = None
        elif self.waiting is None:
            self.waiting = here


def _asks(
    version: VersionRow, state: State | None, rules: Sequence[str]
) -> bool | None:
    """Whether a version asks for a human; None: it cannot be known."""
    if version.hold in (Hold.CLOSED, Hold.DELETED):
        return False
    if (version.objective_status or "")[:11] == "WAITING_FOR":
        return True
    if state is None:
        return None
    return True in (_is_met(state, rule) for rule in rules)


def _is_met(state: State, rule: str) -> bool:
    place, has_value, said = rule.partition(" = ")
    try:
        found = pointers.resolve(state, place.strip())
    except (KeyError, ValueError):
        return False
    if not has_value:
        return found not in (None, False, 0, "", [], {})
    return same(found, _meant(said.strip()))


def _meant(said: str) -> Json:
    try:
        return json.parse(said.encode())
    except DomainError:
        return said


def problems(
    listed: Listed, live: Sequence[range], openness: Openness
) -> Iterator[str]:
    """Yield what is listed as open otherwise than it is; `live` as the head sees it."""
    stored: dict[str, list[int]] = {kind: [] for kind in OpenKind.values}
    for kind, number in zip(listed.open_kinds, listed.open_numbers, strict=True):
        stored[kind].append(number)
    if not all(listed.open_facts):
        yield "what is open in it is listed with another time, project or agent"
    if listed.is_over:
        if listed.open_kinds:
            yield f"it is over, but listed as {', '.join(sorted(listed.open_kinds))}"
        return
    yield from _since("held", openness.held, stored[OpenKind.HELD])
    if openness.is_known and openness.is_settled and listed.is_settled(openness.rules):
        yield from _since("waiting", openness.waiting, stored[OpenKind.WAITING])
    lost = [one for one in listed.flagged if set_aside_by(live, one) is None]
    flagged = set(sorted(lost)[-open_items.MOST_FLAGGED :])
    for number in sorted(flagged.symmetric_difference(stored[OpenKind.FLAGGED])):
        what = "but not listed so" if number in flagged else "which it is not"
        yield f"v{number} is {'' if number in flagged else 'listed as '}flagged, {what}"


def _since(name: str, expected: Since | None, stored: list[int]) -> Iterator[str]:
    if expected is None:
        for number in stored:
            yield f"it is listed as {name} since v{number}, which it is not"
        return
    low, high = expected
    if len(stored) != 1 or not low <= stored[0] <= high:
        shown = ", ".join(f"v{number}" for number in stored) or "nothing"
        yield f"it is {name} since v{high}; listed is {shown}"
