"""Policies of writes: which holds of the head refuse them, and whether suspension does.

A pause and a suspension stop an agent's work, never the people who look into it.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.core.actors import ActorKind
from apps.timeline.words import Hold


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """`refused` are the holds that stop the write; `suspends`: so does suspension."""

    refused: frozenset[Hold]
    suspends: bool


AGENT_WRITE = Policy(refused=frozenset({Hold.CLOSED, Hold.PAUSED}), suspends=True)
# An agent that rolls back or resumes: a pause lets it, a suspension does not.
AGENT_RECOVERY = Policy(refused=frozenset({Hold.CLOSED}), suspends=True)
HUMAN_ACT = Policy(refused=frozenset({Hold.CLOSED}), suspends=False)
# Pausing and closing only take rights away, so a suspended agent may do it too.
HOLD = Policy(refused=frozenset({Hold.CLOSED}), suspends=False)
DELETE = Policy(refused=frozenset(), suspends=False)

# Of what adds to a session (states, turns, batches), and of what brings it back
# (rollback, undo, resume), by who acts.
WRITE = dict.fromkeys(ActorKind, HUMAN_ACT) | {ActorKind.KEY: AGENT_WRITE}
RECOVERY = dict.fromkeys(ActorKind, HUMAN_ACT) | {ActorKind.KEY: AGENT_RECOVERY}
