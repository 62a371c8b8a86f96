"""What the buttons of plans stand for: which sessions are meant, and which change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.accounts.models import Project
from apps.console.pages.project import session_search
from apps.core.errors import InvalidRequest
from apps.plans.cases import CASES
from apps.plans.models import Item, ItemState, Plan, Verdict
from apps.plans.operations import MOST, Changes, Picked
from apps.timeline.search import parse_query


def picked(
    project: Project,
    *,
    session_ids: Sequence[str],
    is_first: bool,
    query: str,
    sort: str,
    now: datetime,
) -> Picked:
    """Return which sessions are meant: those that are ticked, or a search's first.

    Raises: InvalidRequest for a search that is not understood.
    """
    if not is_first:
        return Picked(session_ids=session_ids)
    found = session_search.sessions(
        project,
        parse_query(query, now=now),
        sort=sort,
        after=None,
        limit=MOST,
        now=now,
    )
    return Picked(
        session_ids=[row.session.id for row in found.rows],
        query=query,
        has_more=found.after is not None or found.misses,
    )


def require_typed(plan: Plan, typed: str) -> None:
    """Have whoever rolls back many type how many: what is done is what they mean.

    Raises: InvalidRequest.
    """
    if CASES[plan.kind].judge is None or not plan.is_draft:
        return
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED).count()
    if typed.strip().replace(",", "") != str(planned):
        raise InvalidRequest(f"Type {planned} to confirm.", param="typed")


def changes(name: str, ticked: Sequence[str], pace: int | None) -> Changes:
    """Return the change that a button of the page stands for."""
    match name:
        case "pick":
            return Changes(pick=ticked)
        case "unpick":
            return Changes(unpick=ticked)
        case "pick_look":
            return Changes(pick_verdict=Verdict.LOOK.value)
        case "unpick_look":
            return Changes(unpick_verdict=Verdict.LOOK.value)
        case "pace":
            return Changes(pace=pace)
    return Changes(status=name)
