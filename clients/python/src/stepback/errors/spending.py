"""What turns use, budgets, and price lists."""

from __future__ import annotations

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class BudgetNotFound(NotFound):
    """There is no such budget."""

    code = "budget_not_found"


class BudgetReached(Refused):
    """A budget paused this session: agents' writes wait until it is resumed."""

    code = "budget_reached"


class TooManyBudgets(Refused):
    """A session or an agent has so many budgets at most."""

    code = "too_many_budgets"


class UnacceptableBudget(BadRequest):
    """This is no budget that can be held to; `param` says what of it."""

    code = "unacceptable_budget"


class UnacceptablePrices(BadRequest):
    """The list has a hole, or what is no price; `param` says where."""

    code = "unacceptable_prices"


class UnacceptableUsage(BadRequest):
    """This is not what a turn can have used; `param` says what of it."""

    code = "unacceptable_usage"


class UsageCurrency(BadRequest):
    """The session's turns cost in another currency."""

    code = "usage_currency"
