"""What can be wrong with an alert rule."""

from apps.core.errors import DomainError


class RuleNotFound(DomainError):
    """There is no such alert rule."""

    code = "rule_not_found"
