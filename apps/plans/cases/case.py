"""One case of a plan: how it looks at sessions, and how it does one of them.

`look` says before anything is done which sessions it leaves out and why, and `notice`
what people should know of the others; `do` runs the ordinary operation, whose refusals
decide. Nothing here stores an item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.agents.acts import Act
from apps.plans.models import Item, ItemState, Plan, Verdict
from apps.timeline.models import Session
from apps.timeline.operations import Expected
from apps.timeline.words import Status

EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a session is left out, what failed, or what is to be known of it before.

    For programs, and for people.
    """

    code: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """What an item came to: the version that is meant, and what an export will hold.

    `number` is None for what is done to a session as a whole.
    """

    number: int | None
    size: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """What would become of one session: to which version, how it is judged, and why.

    `about` counts what changes and what stays outside, by the names in `COUNTED`.
    """

    verdict: Verdict
    target: int | None = None
    reason: Reason | None = None
    about: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """What a dry run looks at: the sessions that are there, by id.

    `before` are the items that an undo takes back, by session; `asked` the versions
    that were asked for by hand.
    """

    act: Act
    params: Mapping[str, Any]
    sessions: Mapping[str, Session]
    before: Mapping[str, Item]
    asked: Mapping[str, int | None] = field(default_factory=dict)

    def status(self, session: Session) -> str:
        """Return how a session stands; only time makes it expired."""
        is_over = session.expires_at is not None and session.expires_at <= self.act.now
        is_gone = session.status == Status.DELETED
        return EXPIRED if is_over and not is_gone else str(session.status)

    def by_status(self, reasons: Mapping[str, Reason]) -> dict[str, Reason]:
        """Return why sessions are left out that have one of these statuses."""
        return {
            id: reasons[status]
            for id, session in self.sessions.items()
            if (status := self.status(session)) in reasons
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One item to be done by the act of whoever confirmed its plan."""

    act: Act
    plan: Plan
    item: Item
    # The item that it takes back.
    before: Item | None = None

    @property
    def expected(self) -> Expected:
        """An undo touches a session only as the plan before has left it."""
        return Expected(number=None if self.before is None else self.item.number)


def _nothing(sight: Sight) -> dict[str, Reason]:
    return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One act on many sessions.

    `asks`, `doing` and `did` are sentences about `{sessions}` and its parameters.
    Errors of the codes in `leaves_out` are no failure: the session has changed since it
    was looked at, so that there is nothing to do. `read` checks what the act takes.
    People are asked for a reason where it `stops` agents; programs may go without.
    `noticed` says of those that `notice` names what they have in common. Where a
    session takes judging, `judge` does that in place of both, of as many as it has time
    for, and only what is clean is picked by itself. What is left out when its turn
    comes is then `refused_as` that.
    """

    kind: str
    title: str
    asks: str
    doing: str
    did: str
    look: Callable[[Sight], Mapping[str, Reason]]
    do: Callable[[Task], Done | Reason]
    read: Callable[[Mapping[str, Any]], dict[str, Any]]
    inverse: str | None = None
    leaves_out: frozenset[str] = frozenset()
    stops: bool = False
    notice: Callable[[Sight], Mapping[str, Reason]] = _nothing
    noticed: str = ""
    judge: Callable[[Sight], Mapping[str, Outlook]] | None = None
    refused_as: ItemState = ItemState.LEFT_OUT


def takes_nothing(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return no parameters: the act takes none."""
    return {}
