"""The dry run: look at sessions of a plan and say what would be done, and what not.

And what people should know of the others, before they confirm it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from apps.agents.acts import Act
from apps.plans.authority import seen_by
from apps.plans.cases import CASES, Case, Outlook, Reason, Sight, reasons
from apps.plans.models import Item, ItemState, Plan, PlanStatus, Verdict
from apps.timeline.models import Session

SEEN = ("state", "code", "words", "number", "target", "verdict", "about")


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """What was seen: the heads of sessions, and why some are left out.

    `noticed` tells of others what whoever confirms should know; `judged` what would
    become of those that were judged one by one.
    """

    heads: Mapping[str, int]
    left_out: Mapping[str, Reason]
    noticed: Mapping[str, Reason]
    judged: Mapping[str, Outlook] = field(default_factory=dict)


def dry_run(
    act: Act,
    case: Case,
    params: Mapping[str, Any],
    session_ids: Sequence[str],
    before: Mapping[str, Item],
    asked: Mapping[str, int | None] | None = None,
) -> DryRun:
    """Look at all sessions; where none is judged, by as many statements as for one."""
    sessions = _sessions(act, session_ids)
    sight = Sight(
        act=act, params=params, sessions=sessions, before=before, asked=asked or {}
    )
    missing = {id: reasons.UNKNOWN for id in session_ids if id not in sessions}
    judged: dict[str, Outlook] = {}
    if case.judge is not None:
        judged |= case.judge(sight)
        judged |= {
            id: Outlook(verdict=Verdict.BLOCKED, reason=why)
            for id, why in missing.items()
        }
    return DryRun(
        heads={id: one.head_number for id, one in sessions.items()},
        left_out=dict(case.look(sight)) | missing,
        noticed={} if before else case.notice(sight),
        judged=judged,
    )


def look_at(act: Act, plan: Plan, items: Sequence[Item]) -> None:
    """Look at some sessions of a plan and note what was seen; nothing is stored.

    Those that take judging, and for which there was no time, stay unseen.
    """
    case = CASES[plan.kind]
    before = _before(plan, items)
    ids = [item.session_id for item in items]
    asked = {item.session_id: item.target for item in items}
    seen = dry_run(act, case, plan.params, ids, before, asked)
    for item in items:
        if case.judge is None or item.session_id in seen.judged:
            _note(item, seen, before.get(item.session_id))


def leave_out(items: Sequence[Item], reason: Reason) -> None:
    """Note that nobody could look at some sessions; nothing is stored."""
    for item in items:
        item.state, item.code = ItemState.LEFT_OUT, reason.code
        item.words = reason.words


def store(items: Sequence[Item]) -> None:
    """Write what was noted of items that are there."""
    Item.objects.bulk_update(items, SEEN, batch_size=100)


def end_look(plan: Plan) -> None:
    """Let a plan be confirmed whose every session was looked at."""
    if Item.objects.of_plan(plan.id).to_look_at().exists():
        return
    plan.status, plan.digest = PlanStatus.DRAFT, digest_of(plan.id)
    plan.save(update_fields=["status", "digest"])


def digest_of(plan_id: str) -> str:
    """Return a digest of what would be done, by what the items say: all of them."""
    said = sha256()
    for session_id, number, target, verdict, state in Item.objects.of_plan(
        plan_id
    ).said():
        is_picked = state == ItemState.PLANNED
        said.update(f"{session_id} {number} {target} {verdict} {is_picked}\n".encode())
    return said.hexdigest()


def _before(plan: Plan, items: Sequence[Item]) -> dict[str, Item]:
    if plan.undo_of_id is None:
        return {}
    ids = [item.session_id for item in items]
    return Item.objects.of_plan(plan.undo_of_id).by_session(ids)


def _note(item: Item, seen: DryRun, before: Item | None) -> None:
    id = item.session_id
    outlook = seen.judged.get(id)
    left_out = seen.left_out.get(id)
    reason = left_out or seen.noticed.get(id)
    state = ItemState.PLANNED if left_out is None else ItemState.LEFT_OUT
    item.number = seen.heads.get(id) if before is None else before.result_number
    if outlook is not None:
        state, reason = _state_of(outlook), outlook.reason
        item.target = item.target if outlook.target is None else outlook.target
        item.about = dict(outlook.about) or None
        item.number = outlook.about.get("head", item.number)
        item.verdict = outlook.verdict
    item.state = state
    item.code = "" if reason is None else reason.code
    item.words = "" if reason is None else reason.words


def _state_of(outlook: Outlook) -> ItemState:
    """Only what is clean is picked by itself."""
    if outlook.verdict == Verdict.BLOCKED:
        return ItemState.LEFT_OUT
    is_clean = outlook.verdict == Verdict.CLEAN
    return ItemState.PLANNED if is_clean else ItemState.UNPICKED


def _sessions(act: Act, session_ids: Sequence[str]) -> dict[str, Session]:
    named = seen_by(act).filter(id__in=session_ids).newest_first().for_lists()
    return {session.id: session for session in named[: len(session_ids)]}
