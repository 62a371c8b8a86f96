"""What the page Keeping shows: policies and previews, what went, what is held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.retention.counts import Counts
from apps.retention.models import Heartbeat, LegalHold, Policy, Removal
from apps.retention.operations.policies import PREVIEW_COUNTS
from apps.retention.sweeping.process import EVERY
from apps.retention.terms import STEPS
from apps.retention.words import HoldKind, State, Step

SHOWN = 50
VERBS = {
    Step.THIN: "thinned",
    Step.ARCHIVE: "archived",
    Step.EMPTY: "emptied",
    Step.PRUNE: "pruned",
    Step.REMOVE: "removed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Now:
    """What is kept at this moment, and when something goes next."""

    on: int
    held: int
    # None where no policy is on, or no process ever swept.
    next_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """What a preview or a removal counted, in words."""

    row: Removal
    steps: Sequence[str]
    pinned: Sequence[tuple[str, int]]
    seen: int
    held: int
    documents_seen: int
    documents_held: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRow:
    """A policy, in words, and its newest preview."""

    policy: Policy
    days: Sequence[str]
    preview: Taken | None
    is_usable: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class HoldRow:
    """A legal hold; `about` names what it is about, for people."""

    hold: LegalHold
    about: str
    stands: bool


def keeping(project: Project, *, now: datetime) -> dict[str, Any]:
    """Return what the page shows; of each list the newest."""
    policies = Policy.objects.of_project(project.id).select_related("agent")
    # What runs comes first, however old it is.
    listed = list(policies.order_by(F("is_enabled").desc(), "-id")[: SHOWN + 1])
    removals = Removal.objects.of_project(project.id).removals().newest_first()
    removals = removals.select_related("policy__agent")
    ran = [_taken(one) for one in removals[: SHOWN + 1]]
    holds, rows = _holds(project, now), _policy_rows(listed[:SHOWN], now)
    return {
        "now": _now(project, now),
        "policies": rows,
        "removals": ran[:SHOWN],
        "holds": holds[:SHOWN],
        "has_more": max(len(listed), len(ran), len(holds)) > SHOWN,
        "is_counting": any(
            row.preview and row.preview.row.state == State.PREVIEWING for row in rows
        ),
        "most": SHOWN,
    }


def _now(project: Project, now: datetime) -> Now:
    on = Policy.objects.of_project(project.id).enabled().count()
    held = LegalHold.objects.of_project(project.id).standing(now).count()
    swept = Heartbeat.objects.values_list("swept_at", flat=True).first() if on else None
    next_at = None if swept is None else max(now, swept + EVERY)
    return Now(on=on, held=held, next_at=next_at)


def _policy_rows(policies: Sequence[Policy], now: datetime) -> list[PolicyRow]:
    previews = Removal.objects.previews().filter(policy__in=[p.id for p in policies])
    newest = previews.order_by("policy_id", "-id").distinct("policy_id")
    found = {one.policy_id: _taken(one) for one in newest}
    return [
        PolicyRow(
            policy=policy,
            days=list(_days(policy)),
            preview=(preview := found.get(policy.id)),
            is_usable=preview is not None and _is_usable(preview.row, now),
        )
        for policy in policies
    ]


def _is_usable(preview: Removal, now: datetime) -> bool:
    is_fresh = preview.started_at >= now - PREVIEW_COUNTS
    return preview.state == State.READY and is_fresh


def _days(policy: Policy) -> list[str]:
    said = {step: getattr(policy, name) for step, name in STEPS.items()}
    days = [f"{VERBS[step]} after {n:,} d" for step, n in said.items() if n is not None]
    if policy.ended_days is not None:
        days.append(f"removed {policy.ended_days:,} d after their end")
    return [*days, f"the newest {policy.keep_last:,} stay"]


def _taken(one: Removal) -> Taken:
    counts = Counts.of(one.counts)
    pinned = sorted(counts.pinned.items(), key=lambda found: (-found[1], found[0]))
    return Taken(
        row=one,
        steps=[_told(step) for step in counts.listed()],
        pinned=pinned,
        seen=counts.seen,
        held=counts.held,
        documents_seen=counts.documents_seen,
        documents_held=counts.documents_held,
    )


def _told(counted: dict[str, Any]) -> str:
    parts = [
        _many(counted[name], name.removesuffix("s"))
        for name in ("versions", "turns", "rows")
        if counted[name]
    ]
    told = ", ".join(parts) or "rows"
    of = " and ".join(
        _many(counted[name], name.removesuffix("s"))
        for name in ("sessions", "documents")
        if counted[name]
    )
    return f"{VERBS[Step(counted['step'])]}: {told} of {of}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _holds(project: Project, now: datetime) -> list[HoldRow]:
    holds = list(LegalHold.objects.of_project(project.id).newest_first()[: SHOWN + 1])
    agents = [one.value for one in holds if one.kind == HoldKind.AGENT]
    names = dict(
        Agent.objects.filter(id__in=agents).values_list("id", "external_id")
        if agents
        else ()
    )
    return [
        HoldRow(
            hold=one,
            about=""
            if one.kind == HoldKind.PROJECT
            else names.get(one.value, one.value),
            stands=one.stands(now),
        )
        for one in holds
    ]
