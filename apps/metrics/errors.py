"""What can be wrong with an alert rule."""

from apps.core.errors import DomainError, NotFound


class RuleNotFound(DomainError):
    """There is no such alert rule."""

    code = "rule_not_found"


class RuleChanged(DomainError):
    """Somebody has changed this alert rule since you looked: look again."""

    code = "version_conflict"


class RuleNotFiring(DomainError):
    """Nobody need have it: this alert rule does not fire."""

    code = "rule_not_firing"


class NotChosen(NotFound):
    """You do not have the weekly summary by mail."""
