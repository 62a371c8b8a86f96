"""Show a write to its agent's guards while it is encoded, before it is sealed."""

from __future__ import annotations

from dataclasses import replace

from apps.core.json import State
from apps.diffs.changes import Comparison
from apps.timeline.hooks import QUIET, GuardAsked, Judging
from apps.timeline.ledger.drafts import Draft, TurnDraft
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold

# The reason code of what a guard holds or takes back.
GUARD = "guard"


def judged(
    judging: Judging,
    turn: TurnDraft | None,
    draft: Draft,
    difference: Difference,
    head: VersionRow,
) -> Draft:
    """Return the draft, pausing the session in the same version if a guard says so.

    Raises: what a guard refuses it with.
    """
    if draft.op in QUIET:
        return draft
    state = draft.state
    if state is None:
        state = reading.parsed(draft.body_from or head)
    holds = judging.ask(
        GuardAsked(
            number=head.number + 1,
            is_version=True,
            state=state,
            before=reading.parsed(head),
            comparison=difference.comparison,
            turn=None if turn is None else turn.said,
        )
    )
    if not holds or draft.hold != Hold.OPEN:
        return draft
    return replace(draft, hold=Hold.PAUSED, reason_code=draft.reason_code or GUARD)


def judge_first(
    judging: Judging, state: State, before: State | None, comparison: Comparison
) -> None:
    """Show version 0; `before` is the origin's state, None where there is no origin.

    A session begins open: what is to be held is paused once it is there.

    Raises: what a guard refuses it with.
    """
    judging.ask(
        GuardAsked(
            number=0,
            is_version=True,
            state=state,
            before=before,
            comparison=None if before is None else comparison,
        )
    )


def judge_turn(judging: Judging, turn: TurnDraft, number: int) -> None:
    """Show a turn that leaves no version.

    Raises: what a guard refuses it with.
    """
    judging.ask(GuardAsked(number=number, is_version=False, turn=turn.said))
