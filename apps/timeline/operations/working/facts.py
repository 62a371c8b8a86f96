"""Holding what a session remembers to what is so, before it goes on.

Facts that have changed are stored as they are now, so that the next check is of what is
known; what depended on them is void, and people are asked again with both values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.json import Json
from apps.core.time.moments import utc_text
from apps.timeline import hooks
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON
from apps.timeline.bodies.facts import PART, Fact, Facts, facts_of
from apps.timeline.errors import AssumptionsChanged, UnacceptableFact
from apps.timeline.operations.holds import lock_head
from apps.timeline.operations.states import update
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow

WHY = "Checked what is remembered against what is so"


class Found(StrEnum):
    """What a check says of a fact."""

    SAME = "same"
    CHANGED = "changed"
    TOO_OLD = "too_old"  # no live value was given, and its age is over
    NOT_GIVEN = "not_given"  # no live value was given


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What became of one fact; `now` is the live value where one was given."""

    fact: Fact
    pointer: str | None
    status: Found
    now: Json = None

    @property
    def is_given(self) -> bool:
        return self.status in (Found.SAME, Found.CHANGED)

    def told(self) -> dict[str, Any]:
        """Return it as answers show it, remembered and live beside each other."""
        fact = self.fact
        found: dict[str, Any] = {
            "key": fact.key,
            "status": self.status.value,
            "was": fact.value,
            "source": fact.source,
            "observed_at": utc_text(fact.observed_at),
            "checked_at": utc_text(fact.checked_at),
            "max_age": fact.max_age,
            "tolerance": fact.tolerance,
        }
        return found | ({"now": self.now} if self.is_given else {})


@dataclass(frozen=True, kw_only=True, slots=True)
class Assumptions:
    """The facts of a session, all as remembered; `number` is the head by now."""

    session_id: str
    number: int
    facts: Sequence[Checked]


def check_facts(
    *,
    act: Act,
    session_id: str,
    values: Mapping[str, Json],
    only: Sequence[str] | None = None,
    observed_at: datetime | None = None,
) -> Assumptions:
    """Compare the facts of the head with live values: all, or `only` these.

    What has changed is stored as it is now, and what was confirmed past its age as
    checked, in one version; where nothing did, nothing is written. What depended on a
    fact that failed is void, and asked again.

    Raises: AssumptionsChanged, once that is stored; UnacceptableFact, SessionNotFound,
    and what `update` raises.
    """
    json.check(dict(values), at="/values")
    with transaction.atomic():
        head = lock_head(act=act, session_id=session_id)
        facts = facts_of(reading.parts(head), reading.parsed(head))
        found = _compared(facts, values, only, act.now)
        number = _kept(act, head, facts, found, observed_at or act.now)
        failed = [one for one in found if one.status is not Found.SAME]
        asked = _renewed(act, head, failed) if failed else []
    if failed:
        raise AssumptionsChanged(
            session_id=session_id,
            facts=[one.told() for one in found],
            approvals=asked,
        )
    return Assumptions(session_id=session_id, number=number, facts=found)


def _compared(
    facts: Facts,
    values: Mapping[str, Json],
    only: Sequence[str] | None,
    now: datetime,
) -> list[Checked]:
    """Raises: UnacceptableFact for a key that no fact has."""
    known = facts.by_key()
    for key in values:
        _require_known(key, known, json.pointer(["values", key]))
    for place, key in enumerate(only or ()):
        _require_known(key, known, f"/only/{place}")
    wanted = known if only is None else {*only, *values}
    return [
        _checked(facts, one, values, now) for one in facts.found if one.key in wanted
    ]


def _require_known(key: str, known: Mapping[str, Fact], param: str) -> None:
    if key not in known:
        raise UnacceptableFact("The session has no such fact.", param=param)


def _checked(
    facts: Facts, fact: Fact, values: Mapping[str, Json], now: datetime
) -> Checked:
    status = Found.TOO_OLD if fact.is_too_old(now) else Found.NOT_GIVEN
    live = values.get(fact.key)
    if fact.key in values:
        status = Found.SAME if fact.is_same(live) else Found.CHANGED
    return Checked(fact=fact, pointer=facts.pointer(fact), status=status, now=live)


def _kept(
    act: Act, head: VersionRow, facts: Facts, found: Iterable[Checked], at: datetime
) -> int:
    """Store what has changed, and what was confirmed past its age; return the head."""
    live, confirmed = {}, []
    for one in found:
        if one.status is Found.CHANGED:
            live[one.fact.key] = one.now
        elif one.status is Found.SAME and one.fact.is_too_old(act.now):
            confirmed.append(one.fact.key)
    if not live and not confirmed:
        return head.number
    held = facts.renewed(live, confirmed, str(utc_text(at)))
    key = facts.state_key
    receipt = update(
        act=act,
        session_id=head.session_id,
        patch={} if key is None else {key: held},
        parts=(Part(PART, JSON, json.dumps(held)),) if key is None else (),
        step=Step(reasoning=WHY),
    )
    return receipt.number


def _renewed(
    act: Act, head: VersionRow, failed: Sequence[Checked]
) -> list[Mapping[str, Any]]:
    """Have what depends on these asked again, and say so to whoever listens."""
    asked = hooks.renew(
        hooks.FactsFailed(
            act=act,
            session_id=head.session_id,
            agent_id=head.agent_id,
            facts=[
                hooks.FailedFact(
                    key=one.fact.key,
                    pointer=one.pointer,
                    status=one.status.value,
                    was=one.fact.value,
                    is_known=one.is_given,
                    now=one.now,
                )
                for one in failed
            ],
        )
    )
    changed = sum(one.status is Found.CHANGED for one in failed)
    audit.record(
        stream_id=head.session_id,
        project_id=act.project_id,
        action=Action.FACTS_CHANGED,
        resource_type="session",
        resource_id=head.session_id,
        act=act,
        details={
            "changed": changed,
            "unknown": len(failed) - changed,
            "approvals": len(asked),
        },
    )
    return asked
