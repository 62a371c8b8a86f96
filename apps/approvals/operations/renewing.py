"""Asking again: what rests on facts that failed a check is void, and asked anew.

People are shown what was remembered and what is so beside each other. What was done
already under an approval stays as it is, and so does what people were asked knowing
that nobody knows this fact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.agents.acts import Act
from apps.approvals.models import Approval, Vote
from apps.approvals.operations.asking import waited
from apps.approvals.operations.deciding import conclude
from apps.approvals.outcomes import approval_object
from apps.approvals.requests.binding import FACT, Ground, arguments_of, bound
from apps.approvals.standing import standing, standings
from apps.approvals.words import Status, Verdict
from apps.core import json
from apps.core.ids import new_id
from apps.core.json import Json
from apps.timeline.hooks import FactsFailed, FailedFact
from apps.timeline.models import Effect, EffectStep
from apps.timeline.versions import VersionRow, head_of
from apps.timeline.words import EffectStatus

# The newest of a session that are looked at. What is older is not lost: an effect
# compares what it rests on when it begins.
LOOKED_AT = 200
# A larger value is not repeated in what is asked.
LARGEST = 4_096


def renew(failed: FactsFailed) -> list[Mapping[str, Any]]:
    """Void what depends on these facts, and ask again; return what is asked.

    Raises: what `wait` and `decide` raise.
    """
    act = failed.act
    hit = [
        (one, concerned)
        for one in _standing_ones(act, failed.session_id)
        if (concerned := _concerned(one, failed.facts))
    ]
    done = _begun(failed.session_id, [one.key for one, _ in hit if one.key])
    return [
        _again(act, one, concerned) for one, concerned in hit if one.key not in done
    ]


def _standing_ones(act: Act, session_id: str) -> list[Approval]:
    """Return what waits or is granted, and depends on anything, the oldest first."""
    mine = Approval.objects.of_session(session_id).exclude(depends_on=[])
    newest = list(mine.select_related("agent").order_by("-number")[:LOOKED_AT])
    stand = standings(newest, now=act.now)
    counts = (Status.PENDING, Status.APPROVED)
    return [one for one in reversed(newest) if stand[one.id].status in counts]


def _concerned(approval: Approval, facts: Sequence[FailedFact]) -> list[FailedFact]:
    """Return which of these it rests on, but for what people were told already."""
    told = {(one["key"], one["status"]) for one in changes_of(approval)}
    return [
        one
        for one in facts
        if any(_is_on(place, one) for place in approval.depends_on)
        and (one.is_known or (one.key, one.status) not in told)
    ]


def _is_on(place: str, fact: FailedFact) -> bool:
    """Say whether a place is the fact, what holds it, or what is in it."""
    if place.startswith(FACT):
        return place.removeprefix(FACT) == fact.key
    there = fact.pointer
    if there is None:
        return False
    return f"{there}/".startswith(f"{place}/") or f"{place}/".startswith(f"{there}/")


def _begun(session_id: str, keys: Sequence[str]) -> set[str]:
    """Return under which of these keys something was begun that did not fail."""
    if not keys:
        return set()
    effects = Effect.objects.filter(session_id=session_id, key__in=keys)
    found = dict(effects.values_list("id", "key")[: len(keys)])
    steps = EffectStep.objects.filter(session_id=session_id, effect_id__in=list(found))
    named = steps.order_by("effect_id", "ordinal").values_list("effect_id", "status")
    # Of several steps of an effect the last one stays.
    last = dict(named[: 1_000 * len(keys)])
    return {
        key for id, key in found.items() if last.get(id) != EffectStatus.FAILED.value
    }


def _again(act: Act, old: Approval, facts: Sequence[FailedFact]) -> dict[str, Any]:
    _void(act, old)
    head = head_of(act.scope, old.session_id, now=act.now)
    new = _renewed(act, old, head, facts)
    waited(act, new)
    head = head_of(act.scope, old.session_id, now=act.now)
    return approval_object(new, standing(new, (), head=head, now=act.now))


def _void(act: Act, approval: Approval) -> None:
    votes = Vote.objects.of(approval.session_id, approval.id)
    ending = Vote(
        session_id=approval.session_id,
        approval_id=approval.id,
        ordinal=len(votes) + 1,
        project_id=approval.project_id,
        agent_id=approval.agent_id,
        verdict=Verdict.VOID,
        outcome=Status.VOIDED,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    head = head_of(act.scope, approval.session_id, now=act.now)
    conclude(act, approval, ending, head)


def _renewed(
    act: Act, old: Approval, head: VersionRow, facts: Sequence[FailedFact]
) -> Approval:
    """Return the same request, of the head, with its own time and what has changed."""
    kept = ("session_id", "project_id", "agent", "key", "tool", "effect_class")
    terms = ("arguments", "schema", "reason", "depends_on", "votes", "who")
    return Approval(
        **{name: getattr(old, name) for name in (*kept, *terms)},
        id=new_id("appr", now=act.now),
        number=head.number + 1,
        binding=bound(
            act.project,
            tool=old.tool,
            effect_class=old.effect_class,
            arguments=arguments_of(old),
            ground=Ground(head),
            depends_on=old.depends_on,
        ),
        replaces=old.id,
        changes=json.dumps([_told(one) for one in facts]),
        expires_at=act.now + old.lives,
        on_expiry=old.on_expiry,
        rule_id=old.rule_id,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def changes_of(approval: Approval) -> list[dict[str, Any]]:
    """Return what of its facts had failed when it was asked again."""
    if approval.changes is None:
        return []
    found: Any = json.parse_written(bytes(approval.changes))
    return list(found)


def _told(fact: FailedFact) -> dict[str, Json]:
    told: dict[str, Json] = {"key": fact.key, "status": fact.status}
    told["was"] = _small(fact.was)
    return told | ({"now": _small(fact.now)} if fact.is_known else {})


def _small(value: Json) -> Json:
    size = len(json.dumps(value))
    return value if size <= LARGEST else f"({size:,} bytes)"
