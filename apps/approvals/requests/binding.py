"""What an approval is bound to: the tool, the arguments, values of the state, facts.

The digest is keyed with the project's secret and spelled by value, so that another key
order is the same. It is made when people are asked, and compared when they decide.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.accounts.models import Project
from apps.approvals.models import Approval
from apps.core import json
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.equality import same, spelling
from apps.timeline.versions import (
    Fact,
    VersionRow,
    body_parts,
    facts_of,
    parsed_state,
)

# A place that begins so is the fact of this key; pointers begin with a slash.
FACT = "fact:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rested:
    """What stood at a place when people were asked, and what stands there now."""

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


@dataclass(frozen=True)
class Ground:
    """What requests rest on in a version: its state, and its facts by their keys."""

    version: VersionRow

    def at(self, place: str) -> tuple[bool, Json]:
        """Return whether anything stands at a place, and what."""
        if place.startswith(FACT):
            fact = self._facts.get(place.removeprefix(FACT))
            return fact is not None, fact and fact.value
        try:
            return True, pointers.resolve(parsed_state(self.version), place)
        except (KeyError, ValueError):
            return False, None

    @cached_property
    def _facts(self) -> dict[str, Fact]:
        state = parsed_state(self.version)
        return facts_of(body_parts(self.version), state).by_key()


def bound(
    project: Project,
    *,
    tool: str,
    effect_class: str,
    arguments: Mapping[str, Json],
    ground: Ground,
    depends_on: Sequence[str],
) -> bytes:
    """Return the digest of a request and of what it depends on."""
    values: list[Any] = [[one, *ground.at(one)] for one in depends_on]
    text = spelling(["approval/1", tool, effect_class, dict(arguments), values])
    return hmac.digest(bytes(project.index_key), text, "sha256")


def still_bound(approval: Approval, project: Project, ground: Ground) -> bool:
    """Say whether a request and what it depends on are what people were asked about."""
    now = bound(
        project,
        tool=approval.tool,
        effect_class=approval.effect_class,
        arguments=arguments_of(approval),
        ground=ground,
        depends_on=approval.depends_on,
    )
    return hmac.compare_digest(now, bytes(approval.binding))


def rested(approval: Approval, then: Ground, now: Ground) -> list[Rested]:
    """Return what the request depends on, as it was and as it is."""
    found = []
    for one in approval.depends_on:
        (was_there, was), (is_there, is_now) = then.at(one), now.at(one)
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
