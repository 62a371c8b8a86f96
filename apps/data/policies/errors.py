"""What is refused when a config is written."""

from apps.core.errors import DomainError


class InvalidPolicy(DomainError):
    """The policies of this config cannot be kept."""

    code = "invalid_policy"
