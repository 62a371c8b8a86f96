"""What Prometheus is told of webhooks: what waits, and what was given up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count

from apps.core.monitoring.exposition import Family
from apps.webhooks.models import Delivery, Progress, Subscription

TOLD = (Progress.PENDING, Progress.FAILED)


def families(now: datetime) -> Iterator[Family]:
    """Yield the deliveries that wait or failed, and the webhooks by their state.

    Deliveries are those of the log: what failed is in it for thirty days.
    """
    deliveries = Family(
        "stepback_webhook_deliveries", "Deliveries in the log.", ("project", "status")
    )
    for slug, status, count in (
        Delivery.objects.filter(status__in=TOLD)
        .values_list("subscription__project__slug", "status")
        .annotate(count=Count("id"))
        .order_by("subscription__project__slug", "status")
    ):
        deliveries.add(count, slug, status)
    yield deliveries
    webhooks = Family("stepback_webhooks", "Webhooks.", ("project", "status"))
    for slug, status, count in (
        Subscription.objects.values_list("project__slug", "status")
        .annotate(count=Count("id"))
        .order_by("project__slug", "status")
    ):
        webhooks.add(count, slug, status)
    yield webhooks
