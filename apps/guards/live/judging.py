"""Judging: what an agent's guards say of one attempt to write.

Guards act on what agents write. What people do, and the system for them, is judged and
told of, and never refused, held or taken back: whoever looks into a session must be
able to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from apps.agents.acts import Act
from apps.guards.detecting import (
    OF_TURNS,
    Finding,
    Moment,
    Outcome,
    TurnSeen,
    find,
    reason_of,
    turn_seen,
)
from apps.guards.errors import GuardRefused
from apps.guards.live import refusing
from apps.guards.live.standing import Standing, guards_of
from apps.guards.live.storing import store
from apps.guards.live.turns import earlier_turns
from apps.guards.words import Mode
from apps.timeline.hooks import GuardAsked

log = structlog.get_logger("stepback.guards")
UNDECIDED = Finding(Outcome.UNDECIDED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A guard that a write does not pass, or that cannot tell.

    One that looks at states alone speaks of the version, whatever came with it.
    """

    guard: Standing
    finding: Finding
    number: int
    is_version: bool
    has_turn: bool


class GuardJudging:
    """The guards of one agent, asked of one attempt."""

    def __init__(
        self, act: Act, session_id: str | None, guards: tuple[Standing, ...]
    ) -> None:
        self._act = act
        self._session_id = session_id
        self._guards = guards
        self._found: list[Found] = []
        self._looks_back = any(one.looks_back for one in guards)

    @property
    def needs_lock(self) -> bool:
        """Whether no other turn may come in between."""
        return self._looks_back and self._session_id is not None

    @property
    def has_found(self) -> bool:
        """Whether any write does not pass, or cannot be decided."""
        return bool(self._found)

    def ask(self, asked: GuardAsked) -> bool:
        """Look at one write; return whether its version is to pause the session.

        Raises: GuardRefused, naming the guards and the places; what is kept of it is
        stored once it is answered with.
        """
        moment = self._moment(asked)
        found = [
            Found(
                guard=guard,
                finding=finding,
                number=asked.number,
                is_version=asked.is_version,
                has_turn=asked.turn is not None and guard.kind in OF_TURNS,
            )
            for guard in self._guards
            if (finding := said_of(guard, moment)) is not None
            and finding.outcome is not Outcome.PASSED
        ]
        self._found += found
        if not self._act.actor.is_agent:
            return False
        refused_by = [one for one in found if one.guard.mode is Mode.REFUSE]
        if refused_by:
            refused = GuardRefused(guards=[_told(one) for one in refused_by])
            refused.to_keep = partial(
                refusing.keep, self._act, self._session_id, refused_by
            )
            raise refused
        return any(one.guard.mode is Mode.HOLD for one in found)

    def stored(self, receipt: Any) -> None:
        """Store the verdicts with the write, and do what the guards' modes say."""
        store(self._act, receipt, self._found)

    def _moment(self, asked: GuardAsked) -> Moment:
        earlier: list[TurnSeen] = []
        turn = None
        if asked.turn is not None:
            if self._looks_back and self._session_id is not None:
                earlier = earlier_turns(self._session_id)
            said = asked.turn
            number = earlier[0].number + 1 if earlier else 1
            turn = turn_seen(number, said.input, said.output, said.metadata)
        return Moment(
            at=self._act.now,
            is_version=asked.is_version,
            state=asked.state,
            before=asked.before,
            has_before=asked.before is not None,
            changes=asked.comparison,
            turn=turn,
            earlier=earlier,
        )


def judging(act: Act, agent_id: str, session_id: str | None) -> GuardJudging | None:
    """Return who judges an attempt; None where the agent has no guard."""
    guards = guards_of(agent_id)
    return GuardJudging(act, session_id, guards) if guards else None


def said_of(guard: Standing, moment: Moment) -> Finding | None:
    """Return what a guard says; a guard that breaks cannot decide, and stops nobody."""
    if guard.rule is None:
        return UNDECIDED
    try:
        return find(guard.rule, moment)
    except Exception as broken:  # noqa: BLE001 - it may be any
        # Its text may quote a state: what broke is said, and nothing of it.
        log.warning("a guard broke", guard=guard.id, error=type(broken).__name__)
        return UNDECIDED


def _told(found: Found) -> dict[str, Any]:
    return {
        "guard_id": found.guard.id,
        "name": found.guard.name,
        "kind": found.guard.kind.value,
        "outcome": found.finding.outcome.value,
        "places": list(found.finding.places),
        "reason": reason_of(found.guard.rule, found.finding, names_places=True),
    }
