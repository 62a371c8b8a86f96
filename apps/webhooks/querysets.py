"""Questions about subscriptions and deliveries, always asked within one project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db import models

from apps.webhooks.errors import DeliveryNotFound, WebhookNotFound

if TYPE_CHECKING:
    from apps.webhooks.models import Delivery, Subscription


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def of_project(self, project_id: str) -> SubscriptionQuerySet:
        return self.filter(project_id=project_id)

    def of_projects(self, project_ids: Iterable[str]) -> SubscriptionQuerySet:
        return self.filter(project_id__in=list(project_ids))

    def enabled(self) -> SubscriptionQuerySet:
        return self.filter(status="enabled")

    def of_kind(self, kind: str) -> SubscriptionQuerySet:
        return self.filter(kinds__contains=[kind])

    def one(self, id: str) -> Subscription:
        """Raises: WebhookNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise WebhookNotFound
        return found

    def older_than(self, id: str | None) -> SubscriptionQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> SubscriptionQuerySet:
        return self.order_by("-id")


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """The log; ids sort by the time that a message was first to be sent."""

    def of_subscription(self, subscription_id: str) -> DeliveryQuerySet:
        return self.filter(subscription_id=subscription_id)

    def with_status(self, status: str | None) -> DeliveryQuerySet:
        return self.filter(status=status) if status else self.all()

    def told(self) -> DeliveryQuerySet:
        """With their messages, but not what those say."""
        return self.select_related("message").defer("message__body")

    def one(self, id: str) -> Delivery:
        """Raises: DeliveryNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise DeliveryNotFound
        return found

    def older_than(self, id: str | None) -> DeliveryQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> DeliveryQuerySet:
        return self.order_by("-id")
