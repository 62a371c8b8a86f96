"""The pages of plans: what will be done, how far it is, what came of each session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.console import queries
from apps.console.pages.project import session_rows, session_search
from apps.diffs.text import visible
from apps.plans.cases import CASES, Case
from apps.plans.models import Item, ItemState, Plan
from apps.plans.operations import MOST, Picked
from apps.timeline.models import Session
from apps.timeline.search import parse_query

PAGE = 100
# What needs a look stands first; of what is planned, what it overrules.
ORDER = [ItemState.FAILED, ItemState.LEFT_OUT, ItemState.PLANNED, ItemState.DONE]


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemRow:
    """One session of a plan; `session` is None where there is none."""

    item: Item
    session: Session | None
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanPage:
    """A plan as its page shows it; `after` is where the next rows begin."""

    plan: Plan
    case: Case
    counts: Mapping[str, int]
    # Of how many that are planned the dry run noticed something.
    n_noticed: int
    rows: Sequence[ItemRow]
    after: int | None

    @property
    def n_all(self) -> int:
        return sum(self.counts.values())

    @property
    def n_planned(self) -> int:
        return self.counts.get(ItemState.PLANNED, 0)

    @property
    def n_done(self) -> int:
        return self.counts.get(ItemState.DONE, 0)

    @property
    def n_failed(self) -> int:
        return self.counts.get(ItemState.FAILED, 0)

    @property
    def n_left_out(self) -> int:
        return self.counts.get(ItemState.LEFT_OUT, 0)

    @property
    def n_over(self) -> int:
        """How many no longer wait, of those that were not left out from the start."""
        return self.n_done + self.n_failed

    @property
    def n_to_do(self) -> int:
        return self.n_over + self.n_planned

    @property
    def asks(self) -> str:
        return _said(self.case.asks, self.plan, self.n_planned)

    @property
    def headline(self) -> str:
        """Answer in a sentence how things stand."""
        if self.plan.is_draft:
            return f"{self.asks}?" if self.n_planned else "Nothing can be done"
        if self.plan.is_running:
            return _said(self.case.doing, self.plan, self.n_to_do)
        said = _said(self.case.did, self.plan, self.n_done)
        return said[:1].upper() + said[1:]

    @property
    def asks_why(self) -> bool:
        return asks_why(self.plan)

    @property
    def is_undoable(self) -> bool:
        return bool(
            self.plan.is_finished and self.n_done and self.case.inverse is not None
        )

    @property
    def is_exported(self) -> bool:
        is_over = self.plan.is_finished and self.n_done > 0
        return is_over and self.plan.kind == "export"


def asks_why(plan: Plan) -> bool:
    """Return whether who confirms it has to say why; an undo takes back a resume."""
    is_first = plan.is_draft and plan.undo_of_id is None
    return is_first and CASES[plan.kind].stops


def headline(plan: Plan) -> str:
    """Return what a plan is about, for the list of plans."""
    counts = plan.n_planned + plan.n_left_out + plan.n_done + plan.n_failed  # type: ignore[attr-defined]
    return _said(CASES[plan.kind].asks, plan, counts)


def _said(sentence: str, plan: Plan, n: int) -> str:
    sessions = f"{n:,} session{'' if n == 1 else 's'}"
    params = {name: visible(str(value)) for name, value in plan.params.items()}
    return sentence.format(sessions=sessions, **params)


def plan_page(plan: Plan, *, after: int) -> PlanPage:
    """Return the page of a plan, with a hundred of its sessions."""
    items = sorted(
        Item.objects.of_plan(plan.id).in_order(),
        key=lambda item: (ORDER.index(ItemState(item.state)), not item.words),
    )
    counts: dict[str, int] = {}
    for item in items:
        counts[item.state] = counts.get(item.state, 0) + 1
    shown = items[after : after + PAGE]
    return PlanPage(
        plan=plan,
        case=CASES[plan.kind],
        counts=counts,
        n_noticed=sum(_is_noticed(item) for item in items),
        rows=_rows(plan.project, shown),
        after=after + PAGE if len(items) > after + PAGE else None,
    )


def _is_noticed(item: Item) -> bool:
    return item.state == ItemState.PLANNED and bool(item.words)


def _rows(project: Project, items: Sequence[Item]) -> list[ItemRow]:
    known = queries.in_bulk(project, [item.session_id for item in items])
    named = session_rows.titles_of(list(known))
    return [
        ItemRow(
            item=item,
            session=known.get(item.session_id),
            title=named.get(item.session_id, item.session_id),
        )
        for item in items
    ]


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
        has_more=found.after is not None,
    )
