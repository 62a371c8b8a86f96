"""What can go wrong with budgets, prices and guards."""

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


class GuardNotFound(NotFound):
    """There is no such guard."""

    code = "guard_not_found"


class TrialNotFound(NotFound):
    """There is no such trial of this guard."""

    code = "trial_not_found"


class UnacceptableGuard(DomainError):
    """This is no guard that can be asked."""

    code = "unacceptable_guard"


class TooManyGuards(DomainError):
    """An agent has so many guards at most."""

    code = "too_many_guards"


class GuardExists(DomainError):
    """The agent has a guard of this name."""

    code = "guard_exists"


class GuardChanged(DomainError):
    """Somebody has changed this guard since you looked: look again."""

    code = "version_conflict"


class GuardUntried(DomainError):
    """A guard that does more than observe was tried first, as it is now."""

    code = "guard_untried"


class GuardRefused(DomainError):
    """A guard of this agent refuses what would be written: nothing is stored."""

    code = "guard_refused"
