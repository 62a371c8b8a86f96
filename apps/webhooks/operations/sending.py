"""Sending at somebody's wish: a test, or a message once more."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.webhooks import feed, payloads
from apps.webhooks.errors import WebhookDisabled
from apps.webhooks.kinds import TEST
from apps.webhooks.models import Delivery, Lane, Message, Progress, Subscription
from apps.webhooks.operations.rows import locked, record


@transaction.atomic
def test(*, act: Act, webhook_id: str) -> Delivery:
    """Send a `webhook.test` on its way, past what waits; return its delivery.

    Raises: WebhookNotFound, WebhookDisabled.
    """
    place = feed.place()
    webhook = locked(act.project, webhook_id)
    _require_enabled(webhook)
    id = new_id("evt", now=act.now)
    data = {"object": "webhook", "id": webhook.id, "project": act.project.slug}
    Message.objects.create(
        id=id,
        project_id=act.project_id,
        # A lane of its own.
        stream_id=webhook.id,
        kind=TEST,
        body=payloads.written(id, TEST, act.now, data),
        created_at=act.now,
    )
    feed.put([feed.Draft(webhook.id, id, webhook.id)], feed=place, now=act.now)
    place.save(update_fields=["ordinal"])
    _try_again(webhook, webhook.id)
    details = {"message_id": id}
    record(Action.WEBHOOK_TESTED, webhook, act, details)
    return Delivery.objects.of_subscription(webhook.id).told().get(message_id=id)


@transaction.atomic
def resend(*, act: Act, webhook_id: str, delivery_id: str) -> Delivery:
    """Send a message once more, under the same id; one that still waits, at once.

    Raises: WebhookNotFound, DeliveryNotFound, WebhookDisabled.
    """
    place = feed.place()
    webhook = locked(act.project, webhook_id)
    log = Delivery.objects.of_subscription(webhook.id)
    delivery = log.select_for_update(no_key=True).one(delivery_id)
    _require_enabled(webhook)
    if delivery.status != Progress.PENDING:
        place.ordinal += 1
        place.save(update_fields=["ordinal"])
        delivery.ordinal, delivery.status = place.ordinal, Progress.PENDING
        delivery.first_failed_at = None
        delivery.save()
        feed.open_lanes([delivery])
    _try_again(webhook, delivery.stream_id)
    details = {"message_id": delivery.message_id}
    record(Action.WEBHOOK_RESENT, webhook, act, details)
    return log.told().get(id=delivery.id)


def _try_again(webhook: Subscription, stream_id: str) -> None:
    """Let the lane be tried at once; a lane in somebody's hands is left there."""
    if webhook.resting_until is not None:
        webhook.resting_until = None
        webhook.save(update_fields=["resting_until"])
    lane = Lane.objects.filter(subscription=webhook, stream_id=stream_id, claim=None)
    lane.update(due_at=webhook.created_at)


def _require_enabled(webhook: Subscription) -> None:
    if not webhook.is_enabled:
        raise WebhookDisabled
