"""Making budgets, changing and removing them. A session's are held to at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.guards.covered import BUDGET
from apps.guards.errors import TooManyBudgets, UnacceptableBudget
from apps.guards.models import Budget
from apps.guards.operations.watching import hold_to
from apps.guards.querysets import MOST_BUDGETS
from apps.guards.standing import last_turn
from apps.guards.words import Measure, OnReach, Period
from apps.timeline import operations as timeline
from apps.timeline.errors import UnacceptableUsage, held
from apps.timeline.hooks import currency_of
from apps.timeline.models import Turn
from apps.timeline.versions import head_of
from apps.timeline.words import Hold

LARGEST = Decimal(10**15)
MAX_RELEASE = 200
USUAL_WARNING = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class NewBudget:
    """A budget as it is said: of a session, or of an agent and maybe one release."""

    measure: Measure
    most: Decimal
    session_id: str | None = None
    agent: str | None = None
    release: str | None = None
    currency: str | None = None
    period: Period = Period.TOTAL
    on_reach: OnReach = OnReach.PAUSE
    warn_percent: int | None = USUAL_WARNING
    more: Decimal | None = None

    def require(self) -> None:
        """Raises: UnacceptableBudget, which says what does not fit."""
        for param, does_not_fit, why in self._rules():
            if does_not_fit:
                raise UnacceptableBudget(why, param=param)
        if self.currency is not None:
            _require_currency_code(self.currency)
        require_amount(self.measure, self.most, "limit")
        require_terms(self.measure, self.on_reach, self.more)

    def _rules(self) -> Iterator[tuple[str, bool, str]]:
        """Yield where something does not fit, whether it does not, and why."""
        is_of_session, release = self.session_id is not None, self.release
        of_release = release is not None
        yield (
            *("session_id", is_of_session == (self.agent is not None)),
            "Give a session_id or an agent_id.",
        )
        yield (
            *("release", is_of_session and of_release),
            "A release is an agent's: give agent_id.",
        )
        yield (
            *("release", release is not None and not 1 <= len(release) <= MAX_RELEASE),
            f"A release has 1 to {MAX_RELEASE} characters.",
        )
        yield (
            *("period", is_of_session and self.period is not Period.TOTAL),
            "A session's budget counts from its beginning.",
        )
        has_currency = self.currency is not None
        yield (
            *("currency", (self.measure is Measure.COST) != has_currency),
            "A cost has a currency, and nothing else has one.",
        )


def _require_currency_code(code: str) -> None:
    try:
        currency_of("currency", code)
    except UnacceptableUsage as refused:
        raise UnacceptableBudget(refused.message, param="currency") from None


def require_amount(measure: str, value: Decimal, param: str) -> None:
    """Raises: UnacceptableBudget."""
    if not 0 < value <= LARGEST:
        raise UnacceptableBudget(
            f"This takes more than 0, and at most {LARGEST:,}.", param=param
        )
    if measure != Measure.COST and value != value.to_integral_value():
        raise UnacceptableBudget(f"A budget of {measure} is whole.", param=param)


def require_terms(measure: str, on_reach: str, more: Decimal | None) -> None:
    """Raises: UnacceptableBudget."""
    if (on_reach == OnReach.ASK) != (more is not None):
        raise UnacceptableBudget(
            "Say in ask_for how much more is asked for, where on_reach is ask.",
            param="ask_for",
        )
    if more is not None:
        require_amount(measure, more, "ask_for")


@transaction.atomic
def create_budget(*, act: Act, said: NewBudget) -> Budget:
    """Hold a session, an agent or a release to a budget from now on.

    Raises: UnacceptableBudget, SessionNotFound, SessionClosed, AgentNotFound,
    AgentDeleted, TooManyBudgets.
    """
    said.require()
    if said.session_id is not None:
        head_of(act.scope, said.session_id, now=act.now)
        head = timeline.lock_head(act=act, session_id=said.session_id)
        if head.hold == Hold.CLOSED:
            raise held(head.hold, head.number)
        agent = Agent.objects.get(id=head.agent_id)
        mine = Budget.objects.of_session(said.session_id)
    else:
        agents = Agent.objects.visible_to(act.scope).select_for_update(no_key=True)
        agent = agents.one_named(said.agent or "")
        agent.require_kept()
        mine = Budget.objects.of_agent(agent.id)
    if mine.count() >= MOST_BUDGETS:
        raise TooManyBudgets(most=MOST_BUDGETS)
    budget = _budget(act, agent, said)
    budget.save(force_insert=True)
    if budget.session_id is not None:
        last = last_turn(budget.session_id)
        _require_currency(budget, last)
        timeline.watch(act=act, session_id=budget.session_id, is_watched=True)
        if last is not None:
            hold_to(act, budget, last, head.session_created_at)
    _record(Action.BUDGET_CREATED, act, budget, _told(budget) | _left(act, budget))
    return budget


@transaction.atomic
def change_budget(*, act: Act, budget_id: str, fields: Mapping[str, Any]) -> Budget:
    """Set what is said; a session that it has paused stays so until it is resumed.

    Raises: BudgetNotFound, UnacceptableBudget.
    """
    budget = _held(act, budget_id)
    if not fields:
        raise UnacceptableBudget("There is nothing to change.")
    for name, value in fields.items():
        setattr(budget, name, value)
    require_amount(budget.measure, budget.most, "limit")
    require_terms(budget.measure, budget.on_reach, budget.more)
    changed = {*fields}
    if "most" in fields:
        # It is reached anew, or warned of anew, by what is used from here on.
        budget.warned_at = budget.reached_at = None
        changed |= {"warned_at", "reached_at"}
    budget.save(update_fields=sorted(changed))
    _record(Action.BUDGET_CHANGED, act, budget, _told(budget) | _left(act, budget))
    return budget


@transaction.atomic
def delete_budget(*, act: Act, budget_id: str) -> Budget:
    """Hold nothing to it any more; what it has paused stays so until it is resumed.

    Raises: BudgetNotFound.
    """
    budget = _held(act, budget_id)
    told = _told(budget) | BUDGET.removed(budget).details()
    Budget.objects.filter(id=budget.id).delete()
    if budget.session_id is not None:
        left = Budget.objects.of_session(budget.session_id).exists()
        timeline.watch(act=act, session_id=budget.session_id, is_watched=left)
    _record(Action.BUDGET_DELETED, act, budget, told)
    return budget


def _held(act: Act, budget_id: str) -> Budget:
    """Return the budget, held after its session, as a turn holds them."""
    seen = Budget.objects.visible_to(act.scope).one(budget_id)
    if seen.session_id is not None:
        timeline.lock_head(act=act, session_id=seen.session_id)
    return Budget.objects.visible_to(act.scope).locked(budget_id)


def _budget(act: Act, agent: Agent, said: NewBudget) -> Budget:
    return Budget(
        id=new_id("budg", now=act.now),
        project=act.project,
        agent=agent,
        session_id=said.session_id,
        release=said.release,
        measure=said.measure,
        most=said.most,
        currency=said.currency,
        period=said.period,
        on_reach=said.on_reach,
        warn_percent=said.warn_percent,
        more=said.more,
        **act.by,
    )


def _require_currency(budget: Budget, last: Turn | None) -> None:
    spent = None if last is None else last.spent
    known = None if spent is None else spent.get("currency")
    if budget.currency is not None and known not in (None, budget.currency):
        raise UnacceptableBudget(
            f"The session's turns cost in {known}.", param="currency"
        )


def _left(act: Act, budget: Budget) -> dict[str, Any]:
    return BUDGET.left(budget, act.project.index_key).details()


def _told(budget: Budget) -> dict[str, Any]:
    return {
        "budget_id": budget.id,
        "of": budget.scope,
        "measure": str(budget.measure),
        "limit": f"{budget.most.normalize():f}",
    }


def _record(action: Action, act: Act, budget: Budget, told: Mapping[str, Any]) -> None:
    audit.record_act(
        stream_id=budget.session_id or act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="budget",
        resource_id=budget.id,
        act=act,
        details={"agent_id": budget.agent_id, **told},
    )
