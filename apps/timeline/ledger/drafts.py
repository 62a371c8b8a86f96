"""What a caller wants to write with a version, before it has a number.

`Step` is the story around a state (why, which step, which model); `Draft` is one
version ready to be sealed: a new bundle of parts, or the body of an earlier version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.agents.acts import Act
from apps.core.json import Json, State
from apps.timeline.bodies import Part, Stored
from apps.timeline.hooks.guarding import TurnSaid
from apps.timeline.ledger.policies import Policy
from apps.timeline.models import Turn
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, KeyedOp, Op


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The second parent of a version that was merged.

    `choices` is what was chosen for conflicts, written down, of which a salted digest
    is kept; `opaque` says that opaque parts came from there. Both are None where there
    was nothing of the kind.
    """

    session_id: str
    number: int
    choices: str | None = None
    opaque: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """One version to be written onto a given head.

    It stores a new bundle (`parts`, with `state` parsed), or it shows the body of
    `body_from`: a rollback, a pause, an update that changed nothing. With none of these
    the state stays what it is on the head.
    """

    op: Op | KeyedOp
    hold: Hold
    step: Step
    state: State | None = None
    parts: tuple[Part, ...] | None = None
    body_from: VersionRow | None = None
    restored_number: int | None = None
    undo_of: int | None = None
    reason_code: str | None = None
    source: Source | None = None
    details: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """What a fork has other than the version that it begins with.

    `state` is in place of that version's, `patch` is merged into it; parts that are not
    given stay as they are.
    """

    state: State | None = None
    patch: State | None = None
    parts: tuple[Part, ...] = ()


UNCHANGED = Edit()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDraft:
    """One exchange with the agent, before its place in the session is known."""

    id: str
    step: Step
    input_type: str
    output_type: str
    before_number: int | None
    state_after_sent: bool
    # Its parts, framed and compressed, and the commitment to them.
    body: Stored
    text: str
    # What its event tells of it beside the types.
    facts: dict[str, Json]
    # What it used, as it is kept; None where it says nothing.
    usage: dict[str, Json] | None = None
    # What was said, for guards to look at.
    said: TurnSaid | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Write:
    """What one request adds to a session: a version, a turn, or both."""

    draft: Draft | None = None
    turn: TurnDraft | None = None


# Makes a write for a given head.
Build = Callable[[VersionRow], Write]


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """Which head the caller saw; `number` None: whatever the head is.

    `fence` is that of the lease under which a shared document is written, if any.
    `from_header` tells an `If-Match` (412 when stale) from the JSON field (409). With
    `else_fork` a write of a state whose head has moved begins a fork of that version.
    """

    number: int | None = None
    from_header: bool = False
    else_fork: bool = False
    fence: int | None = None


ANY_HEAD = Expected()


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteCommand:
    """One request to write to one session, on its way through the ledger.

    `build` makes the write for the head that it is given; several are a batch, each
    given the item before it.
    """

    act: Act
    session_id: str
    build: Build | tuple[Build, ...]
    expected: Expected
    policy: Policy
    # Whether those who watch the session are told of the turn, in this transaction.
    watches: bool = False
    # Whether it is looked at by guards already.
    is_guarded: bool = False
    # What the chained records keep beside the events; with it an agent's act is chained
    # as well as a person's.
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What a write stored, or had stored before when it is a replay.

    `number` is the version it made, or the head that a turn found; a batch made those
    from `first_number` on.
    """

    session_id: str
    number: int
    is_replay: bool
    turn_number: int | None = None
    first_number: int | None = None
    # The versions themselves, in their order, unless it is a replay.
    made: tuple[VersionRow, ...] = ()
    # The turn itself, and the head that the write was built on, unless it is a replay.
    turn: Turn | None = None
    built_on: VersionRow | None = None
    # Of a rollback: whether the body it shows was recomputed for this answer, and is
    # what was committed to.
    verified: bool | None = None
    # Of a rollback: how many effects it went behind, which are owed for now.
    effects_crossed: int | None = None
