"""The dry run: look at the sessions of a plan and say which are left out, and why.

And what people should know of the others, before they confirm it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.plans.authority import seen_by
from apps.plans.cases import Case, Reason, Sight, reasons
from apps.plans.models import Item
from apps.timeline.models import Session


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """What was seen: the heads of sessions, and why some are left out.

    `noticed` tells of others what whoever confirms should know.
    """

    heads: Mapping[str, int]
    left_out: Mapping[str, Reason]
    noticed: Mapping[str, Reason]


def dry_run(
    act: Act,
    case: Case,
    params: Mapping[str, Any],
    session_ids: Sequence[str],
    before: Mapping[str, Item],
) -> DryRun:
    """Look at all sessions, by as many statements as there are for one."""
    sessions = _sessions(act, session_ids)
    sight = Sight(act=act, params=params, sessions=sessions, before=before)
    missing = {id: reasons.UNKNOWN for id in session_ids if id not in sessions}
    return DryRun(
        heads={id: one.head_number for id, one in sessions.items()},
        left_out=dict(case.look(sight)) | missing,
        noticed={} if before else case.notice(sight),
    )


def _sessions(act: Act, session_ids: Sequence[str]) -> dict[str, Session]:
    named = seen_by(act).filter(id__in=session_ids).newest_first().for_lists()
    return {session.id: session for session in named[: len(session_ids)]}
