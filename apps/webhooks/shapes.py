"""What is told of webhooks and deliveries outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.webhooks.models import Delivery, Subscription


def webhook_object(webhook: Subscription, secret: str | None = None) -> dict[str, Any]:
    """Return a webhook; its secret only where it was just made."""
    told = {
        "object": "webhook",
        "id": webhook.id,
        "url": webhook.url,
        "description": webhook.description,
        "events": webhook.kinds,
        "format": webhook.format,
        "status": webhook.status,
        "secret_prefix": webhook.secret_prefix,
        "created_at": utc_text(webhook.created_at),
        "created_by": webhook.created_by,
        "last_delivered_at": utc_text(webhook.last_delivered_at),
        "failing_since": utc_text(webhook.failing_since),
    }
    return told if secret is None else told | {"secret": secret}


def delivery_object(delivery: Delivery) -> dict[str, Any]:
    """Return one line of the log."""
    message = delivery.message
    return {
        "object": "webhook_delivery",
        "id": delivery.id,
        "webhook_id": delivery.subscription_id,
        "event_id": message.id,
        "type": message.kind,
        "resource_id": message.stream_id,
        "version": message.number,
        "status": delivery.status,
        "attempts": delivery.attempts,
        "status_code": delivery.status_code,
        "error": delivery.error or None,
        "duration_ms": delivery.duration_ms,
        "attempted_at": utc_text(delivery.attempted_at),
        "created_at": utc_text(delivery.created_at),
    }
