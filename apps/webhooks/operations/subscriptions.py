"""Making, changing, switching and deleting webhooks.

A secret leaves an operation once, as the second value it returns. Records name the
host that is told, not the address: that may hold a secret of the receiver's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.outbound import addresses
from apps.webhooks import feed
from apps.webhooks.errors import WebhookChanged
from apps.webhooks.kinds import KINDS
from apps.webhooks.models import Delivery, Format, Lane, Progress, Status, Subscription
from apps.webhooks.operations.rows import locked, record
from apps.webhooks.services import pagerduty, signing

LONGEST_DESCRIPTION = 255
MOST = 100
OLD_SECRET_COUNTS = timedelta(hours=24)


@transaction.atomic
def create(
    *,
    act: Act,
    url: str,
    kinds: Sequence[str],
    description: str = "",
    format: str = Format.STEPBACK,
) -> tuple[Subscription, str]:
    """Return a new webhook and its secret, which nobody is shown again.

    Raises: InvalidRequest for an unfit address, kind, description or format, or for
    too many.
    """
    feed.place()
    if Subscription.objects.of_project(act.project_id).count() >= MOST:
        raise InvalidRequest(f"A project has at most {MOST} webhooks.")
    _check_form(url, kinds, format)
    id, salt = new_id("hook", now=act.now), signing.new_salt()
    secret = signing.secret_from(id, salt)
    made = Subscription.objects.create(
        id=id,
        project=act.project,
        url=_valid_url(url),
        description=_valid_description(description),
        format=_valid_format(format),
        kinds=_valid_kinds(kinds),
        salt=salt,
        secret_prefix=secret[: signing.VISIBLE],
        created_at=act.now,
        created_by=act.actor.label,
        since=act.now,
    )
    record(Action.WEBHOOK_CREATED, made, act, _told(made))
    return made, secret


@transaction.atomic
def update(
    *,
    act: Act,
    webhook_id: str,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    description: str | None = None,
    format: str | None = None,
    seen: str | None = None,
) -> Subscription:
    """Set what is said; what waits goes to the new address.

    `seen` is the webhook as it was shown (`as_shown`): what others have changed since
    is not changed back.

    Raises: WebhookNotFound, WebhookChanged, InvalidRequest.
    """
    webhook = locked(act.project, webhook_id)
    was = webhook.as_shown
    if url is not None:
        webhook.url = _valid_url(url)
        # Another receiver: what the one before did is not its fault.
        _forgive(webhook)
    if kinds is not None:
        webhook.kinds = _valid_kinds(kinds)
    if description is not None:
        webhook.description = _valid_description(description)
    if format is not None:
        webhook.format = _valid_format(format)
    _check_form(webhook.url, webhook.kinds, webhook.format)
    # Sent twice, the second changes nothing.
    if was != webhook.as_shown and seen not in (None, was):
        raise WebhookChanged
    webhook.save()
    record(Action.WEBHOOK_UPDATED, webhook, act, _told(webhook))
    return webhook


@transaction.atomic
def enable(*, act: Act, webhook_id: str) -> Subscription:
    """Tell it again: what waits first, then what happens from now on.

    Raises: WebhookNotFound.
    """
    webhook = locked(act.project, webhook_id)
    if webhook.is_enabled:
        return webhook
    webhook.status, webhook.since = Status.ENABLED, act.now
    _forgive(webhook)
    webhook.save()
    waiting = Delivery.objects.of_subscription(webhook.id).filter(
        status=Progress.PENDING
    )
    waiting.update(first_failed_at=None)
    Lane.objects.filter(subscription=webhook, claim=None).update(due_at=act.now)
    record(Action.WEBHOOK_ENABLED, webhook, act, {})
    return webhook


@transaction.atomic
def disable(*, act: Act, webhook_id: str) -> Subscription:
    """Tell it nothing any more, until it is enabled; what waits goes on waiting.

    Raises: WebhookNotFound.
    """
    webhook = locked(act.project, webhook_id)
    if webhook.status != Status.DISABLED:
        webhook.status = Status.DISABLED
        webhook.save(update_fields=["status"])
        record(Action.WEBHOOK_DISABLED, webhook, act, {})
    return webhook


@transaction.atomic
def change_secret(*, act: Act, webhook_id: str) -> tuple[Subscription, str]:
    """Return another secret; the one before signs beside it for 24 hours more.

    Raises: WebhookNotFound.
    """
    webhook = locked(act.project, webhook_id)
    webhook.old_salt, webhook.old_secret_until = (
        webhook.salt,
        act.now + OLD_SECRET_COUNTS,
    )
    webhook.salt = signing.new_salt()
    secret = signing.secret_from(webhook.id, webhook.salt)
    webhook.secret_prefix = secret[: signing.VISIBLE]
    webhook.save()
    details = {"prefix": webhook.secret_prefix}
    record(Action.WEBHOOK_SECRET_CHANGED, webhook, act, details)
    return webhook, secret


@transaction.atomic
def delete(*, act: Act, webhook_id: str) -> None:
    """Remove a webhook with its log; what waits is not sent.

    Raises: WebhookNotFound.
    """
    webhook = locked(act.project, webhook_id)
    details = _told(webhook)
    Lane.objects.filter(subscription=webhook).delete()
    Delivery.objects.of_subscription(webhook.id).delete()
    webhook.delete()
    webhook.id = webhook_id
    record(Action.WEBHOOK_DELETED, webhook, act, details, is_removed=True)


def _forgive(webhook: Subscription) -> None:
    webhook.failures, webhook.resting_until = 0, None
    webhook.failing_since = webhook.failed_at = None


def _valid_url(url: str) -> str:
    text = url.strip()
    try:
        addresses.target_of(text, into_the_house=settings.WEBHOOKS_PRIVATE)
    except addresses.Refused as refused:
        raise InvalidRequest(str(refused), param="url") from None
    return text


def _valid_kinds(kinds: Sequence[str]) -> list[str]:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InvalidRequest(
            f"events takes some of: {', '.join(KINDS)}.", param="events"
        )
    return [kind for kind in KINDS if kind in kinds]


def _valid_format(format: str) -> Format:
    if format not in Format.values:
        raise InvalidRequest(
            f"format takes {' or '.join(Format.values)}.", param="format"
        )
    return Format(format)


def _check_form(url: str, kinds: Sequence[str], format: str) -> None:
    """Refuse what PagerDuty cannot be told, and an address without its key."""
    if format != Format.PAGERDUTY:
        return
    if pagerduty.routing_key(url) is None:
        raise InvalidRequest(
            "The address of PagerDuty ends in ?routing_key= and the integration's key "
            "of 32 letters and digits.",
            param="url",
        )
    if set(kinds) - pagerduty.KINDS:
        listed = ", ".join(kind for kind in KINDS if kind in pagerduty.KINDS)
        raise InvalidRequest(f"PagerDuty is told of {listed}.", param="events")


def _valid_description(text: str) -> str:
    if len(text) > LONGEST_DESCRIPTION or not text.isprintable():
        raise InvalidRequest(
            f"A description has at most {LONGEST_DESCRIPTION} printable characters.",
            param="description",
        )
    return text.strip()


def _told(webhook: Subscription) -> dict[str, Any]:
    target = addresses.target_of(webhook.url, into_the_house=True)
    told = {"host": target.authority, "events": webhook.kinds}
    return told | {"format": webhook.format}
