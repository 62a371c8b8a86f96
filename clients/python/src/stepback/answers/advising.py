"""What is told of how an agent makes its versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class CheckpointAdvice(Answer):
    """How an agent makes its versions, what else would cost, and what is wiser.

    `looked_at` says of how many sessions that is, and whether these are all.
    """

    agent_id: str
    looked_at: Mapping[str, Json]
    policies: Sequence[Mapping[str, Json]]
    advice: Sequence[str]
