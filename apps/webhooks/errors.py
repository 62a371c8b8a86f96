"""What can go wrong with webhooks."""

from apps.core.errors import DomainError, NotFound


class WebhookNotFound(NotFound):
    """There is no such webhook in this project."""

    code = "webhook_not_found"


class DeliveryNotFound(NotFound):
    """There is no such delivery of this webhook."""

    code = "delivery_not_found"


class WebhookChanged(DomainError):
    """Somebody has changed this webhook since you looked: look again."""

    code = "version_conflict"


class WebhookDisabled(DomainError):
    """This webhook is switched off: switch it on first."""

    code = "webhook_disabled"
