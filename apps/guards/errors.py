"""What can go wrong with budgets and prices."""

from apps.core.errors import DomainError, NotFound


class BudgetNotFound(NotFound):
    """There is no such budget."""

    code = "budget_not_found"


class UnacceptableBudget(DomainError):
    """This is no budget that can be held to."""

    code = "unacceptable_budget"


class TooManyBudgets(DomainError):
    """A session or an agent has so many budgets at most."""

    code = "too_many_budgets"


class UnacceptablePrices(DomainError):
    """This list of prices has a hole, or says something that is no price."""

    code = "unacceptable_prices"
