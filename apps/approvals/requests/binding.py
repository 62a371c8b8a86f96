"""What an approval is bound to: the tool, the arguments, and values of the state.

The digest is keyed with the project's secret and spelled by value, so that another key
order is the same. It is made when people are asked, and compared when they decide.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.accounts.models import Project
from apps.approvals.models import Approval
from apps.core import json
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.equality import same, spelling


@dataclass(frozen=True, kw_only=True, slots=True)
class Rested:
    """What stood at a pointer when people were asked, and what stands there now."""

    pointer: str
    was_there: bool
    was: Json
    is_there: bool
    now: Json

    @property
    def has_changed(self) -> bool:
        if self.was_there != self.is_there:
            return True
        return not same(self.was, self.now)


def bound(
    project: Project,
    *,
    tool: str,
    effect_class: str,
    arguments: Mapping[str, Json],
    state: Mapping[str, Json],
    depends_on: Sequence[str],
) -> bytes:
    """Return the digest of a request and of what it depends on."""
    values: list[Any] = [[one, *_at(state, one)] for one in depends_on]
    text = spelling(["approval/1", tool, effect_class, dict(arguments), values])
    return hmac.digest(bytes(project.index_key), text, "sha256")


def still_bound(
    approval: Approval, project: Project, state: Mapping[str, Json]
) -> bool:
    """Say whether a request and what it depends on are what people were asked about."""
    now = bound(
        project,
        tool=approval.tool,
        effect_class=approval.effect_class,
        arguments=arguments_of(approval),
        state=state,
        depends_on=approval.depends_on,
    )
    return hmac.compare_digest(now, bytes(approval.binding))


def rested(
    approval: Approval, then: Mapping[str, Json], now: Mapping[str, Json]
) -> list[Rested]:
    """Return what the request depends on, as it was and as it is."""
    found = []
    for one in approval.depends_on:
        (was_there, was), (is_there, is_now) = _at(then, one), _at(now, one)
        found.append(
            Rested(
                pointer=one,
                was_there=was_there,
                was=was,
                is_there=is_there,
                now=is_now,
            )
        )
    return found


def arguments_of(approval: Approval) -> dict[str, Any]:
    """Return the arguments as they were asked with."""
    return json.parse_object(bytes(approval.arguments))


def _at(state: Mapping[str, Json], pointer: str) -> tuple[bool, Json]:
    try:
        return True, pointers.resolve(state, pointer)
    except (KeyError, ValueError):
        return False, None
