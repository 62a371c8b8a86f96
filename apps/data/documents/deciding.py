"""Decide about values by the policies that stand and the exceptions from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from apps.core.errors import InvalidRequest
from apps.core.json import cleaned
from apps.data.documents.enforcing import StandingConfig
from apps.data.documents.exceptions import exemptions
from apps.data.documents.values import NewValue, Passage
from apps.data.policies import Block, Exemption
from apps.data.policies.blocks import FALLIBLE
from apps.timeline.operations import Document

MAX_REASON = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What becomes of one value: what blocks it, or by what it passes all the same."""

    block: Block | None = None
    passage: Passage | None = None


ALLOWED = Decision()


@dataclass(frozen=True, kw_only=True, slots=True)
class Override:
    """An administrator's word that what policies block is to be stored, and why."""

    reason: str

    def require(self) -> None:
        """Raises: InvalidRequest."""
        if not 0 < len(self.reason.strip()) <= MAX_REASON:
            raise InvalidRequest(
                f"A reason has 1 to {MAX_REASON:,} characters.",
                param="override_reason",
            )


def against(block: Block, override: Override | None) -> Decision:
    """Return that this blocks a value, unless somebody has decided otherwise."""
    if override is None:
        return Decision(block=block)
    reason = str(cleaned(override.reason.strip()))
    return Decision(passage=Passage(overridden=block, reason=reason))


def decide(
    document: Document,
    config: StandingConfig,
    items: Sequence[NewValue],
    *,
    now: datetime,
    override: Override | None = None,
) -> list[Decision]:
    """Look at every value; exceptions are read only where a policy would block one."""

    @cache
    def standing() -> Mapping[Exemption, str]:
        return exemptions(document, now=now)

    def decision(item: NewValue) -> Decision:
        block = config.verdict(item).block
        if block is not None and block.rule in FALLIBLE and standing():
            verdict = config.verdict(item, exemptions=tuple(standing()))
            if verdict.block is None:
                names = tuple(standing()[one] for one in verdict.exempted)
                return Decision(passage=Passage(exceptions=names))
            block = verdict.block
        if block is None:
            return ALLOWED
        return against(config.named(item, block), override)

    return [decision(item) for item in items]
