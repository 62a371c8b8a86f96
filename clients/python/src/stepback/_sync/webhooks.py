# Written by make_sync.py from _async/webhooks.py: do not edit.
"""Webhooks: where events are sent, and what came of it. For keys of administrators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable


class Webhooks(Resource):
    """Subscriptions, and the log of each."""

    def create(
        self,
        url: str,
        events: Sequence[str],
        *,
        description: str | None = None,
        format: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.WebhookWithSecret:
        """Make a webhook. Its `secret` is shown this once.

        `format` is how it is told: as JSON unless another is named, such as `slack`.
        """
        about = given(description=description, format=format)
        body = {"url": url, "events": list(events), **about}
        read = answers.WebhookWithSecret.of
        return self._send("POST", ("webhooks",), body, read, idempotency_key)

    def get(self, webhook_id: str) -> answers.Webhook:
        """Read a webhook, without its secret."""
        return self._ask(answers.Webhook.of, ("webhooks", webhook_id))

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Webhook]:
        """List webhooks, newest first."""
        return self._ask(
            page_of(answers.Webhook.of),
            ("webhooks",),
            limit=limit,
            starting_after=starting_after,
        )

    def update(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        description: str | None = None,
        format: str | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Webhook:
        """Set what is said; `enabled` switches it on or off."""
        body = given(
            url=url,
            events=None if events is None else [*events],
            description=description,
            format=format,
            enabled=enabled,
        )
        segments, read = ("webhooks", webhook_id), answers.Webhook.of
        return self._send("PATCH", segments, body, read, idempotency_key)

    def change_secret(
        self, webhook_id: str, **once: Unpack[Repeatable]
    ) -> answers.WebhookWithSecret:
        """Make another secret; the one before signs beside it for a day more."""
        segments, read = (
            ("webhooks", webhook_id, "secret"),
            answers.WebhookWithSecret.of,
        )
        key = calls.key_in(once)
        return self._send("POST", segments, None, read, key)

    def test(
        self, webhook_id: str, **once: Unpack[Repeatable]
    ) -> answers.WebhookDelivery:
        """Send a `webhook.test` on its way; the log tells what came of it."""
        segments, read = ("webhooks", webhook_id, "test"), answers.WebhookDelivery.of
        key = calls.key_in(once)
        return self._send("POST", segments, None, read, key)

    def deliveries(
        self,
        webhook_id: str,
        *,
        status: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.WebhookDelivery]:
        """List what was and is to be sent, newest first."""
        return self._ask(
            page_of(answers.WebhookDelivery.of),
            ("webhooks", webhook_id, "deliveries"),
            status=status,
            limit=limit,
            starting_after=starting_after,
        )

    def resend(
        self, webhook_id: str, delivery_id: str, **once: Unpack[Repeatable]
    ) -> answers.WebhookDelivery:
        """Send a message once more, under the same id."""
        segments = ("webhooks", webhook_id, "deliveries", delivery_id, "resend")
        read, key = answers.WebhookDelivery.of, calls.key_in(once)
        return self._send("POST", segments, None, read, key)

    def delete(self, webhook_id: str, **once: Unpack[Repeatable]) -> None:
        """Remove a webhook with its log; what waits is not sent."""
        self._remove(("webhooks", webhook_id), calls.key_in(once))
