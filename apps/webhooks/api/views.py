"""Webhooks over REST: create, list, change, test, delete; the log, and resending.

All of it is for keys of administrators, and for none that speaks for some agents
alone: a webhook tells of all of them.
"""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.administering import Body
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.webhooks import operations as webhooks
from apps.webhooks.api.base import (
    AFTER,
    LIMIT,
    WEBHOOK,
    WebhookView,
)
from apps.webhooks.api.serializers import (
    CreateWebhookInput,
    WebhookInput,
    WebhookListOutput,
    WebhookOutput,
    WebhookWithSecretOutput,
)
from apps.webhooks.models import Format
from apps.webhooks.shapes import webhook_object


class WebhookCollection(WebhookView):
    """`/v1/webhooks`"""

    @extend_schema(
        operation_id="create_webhook",
        parameters=[IDEMPOTENCY_KEY],
        request=CreateWebhookInput,
        responses={201: WebhookWithSecretOutput} | errors(400, 401, 403, 413, 422),
    )
    def post(self, request: Request) -> Response:
        """Make a webhook; the answer has its secret, which is shown this once."""
        said = self.read(CreateWebhookInput).validated_data

        def perform(act: Act) -> Body:
            made, _ = webhooks.create(
                url=said["url"],
                kinds=said["events"],
                description=said.get("description") or "",
                format=said.get("format") or Format.STEPBACK,
                act=act,
            )
            return 201, json.dumps(webhook_object(made))

        return self.perform_with_secret(request, perform)

    @extend_schema(
        operation_id="list_webhooks",
        parameters=[LIMIT, AFTER],
        responses={200: WebhookListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List webhooks, the newest first."""
        limit = paging.limit_of(request)
        found = self.mine.older_than(paging.cursor_of(request, "hook")).newest_first()
        rows = list(found[: limit + 1])
        return Response(paging.page(rows, limit, lambda one: one.id, webhook_object))


class WebhookDetail(WebhookView):
    """`/v1/webhooks/{webhook_id}`"""

    @extend_schema(
        operation_id="get_webhook",
        parameters=[WEBHOOK],
        responses={200: WebhookOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """Return a webhook, without its secret."""
        return Response(webhook_object(self.mine.one(webhook_id)))

    @extend_schema(
        operation_id="update_webhook",
        parameters=[WEBHOOK, IDEMPOTENCY_KEY],
        request=WebhookInput,
        responses={200: WebhookOutput} | errors(400, 401, 403, 404, 413, 422),
    )
    def patch(self, request: Request, webhook_id: str) -> Response:
        """Set what is said; `enabled` switches it on or off."""
        said = self.read(WebhookInput).validated_data

        def perform(act: Act) -> Body:
            return 200, json.dumps(webhook_object(change(act, webhook_id, said)))

        return self.perform(request, perform)

    @extend_schema(
        operation_id="delete_webhook",
        parameters=[WEBHOOK, IDEMPOTENCY_KEY],
        responses={204: None} | errors(400, 401, 403, 404, 422),
    )
    def delete(self, request: Request, webhook_id: str) -> Response:
        """Remove a webhook with its log; what waits is not sent."""

        def perform(act: Act) -> Body:
            webhooks.delete(webhook_id=webhook_id, act=act)
            return 204, b""

        return self.perform(request, perform)


class WebhookSecret(WebhookView):
    """`/v1/webhooks/{webhook_id}/secret`"""

    @extend_schema(
        operation_id="change_webhook_secret",
        parameters=[WEBHOOK, IDEMPOTENCY_KEY],
        request=None,
        responses={200: WebhookWithSecretOutput} | errors(400, 401, 403, 404, 422),
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Make another secret; the one before signs beside it for 24 hours more."""

        def perform(act: Act) -> Body:
            changed, _ = webhooks.change_secret(webhook_id=webhook_id, act=act)
            return 200, json.dumps(webhook_object(changed))

        return self.perform_with_secret(request, perform)


@transaction.atomic
def change(act: Act, webhook_id: str, said: dict[str, Any]) -> Any:
    """Do what a PATCH asks for: change, then switch.

    Raises: InvalidRequest where nothing is asked for, and what the verbs raise.
    """
    fields: dict[str, Any] = {
        name: said[name] for name in ("url", "description", "format") if name in said
    }
    if "events" in said:
        fields["kinds"] = said["events"]
    if not said:
        raise InvalidRequest("There is nothing to change.")
    webhook = None
    if fields:
        webhook = webhooks.update(webhook_id=webhook_id, **fields, act=act)
    if "enabled" in said:
        verb = webhooks.enable if said["enabled"] else webhooks.disable
        webhook = verb(webhook_id=webhook_id, act=act)
    return webhook
