"""What was sent to a webhook: the log, a test, and sending once more."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
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
    DELIVERY,
    LIMIT,
    WEBHOOK,
    WebhookView,
)
from apps.webhooks.api.serializers import (
    DeliveryListOutput,
    DeliveryOutput,
)
from apps.webhooks.models import Delivery, Progress
from apps.webhooks.shapes import delivery_object


class WebhookTest(WebhookView):
    """`/v1/webhooks/{webhook_id}/test`"""

    @extend_schema(
        operation_id="test_webhook",
        parameters=[WEBHOOK, IDEMPOTENCY_KEY],
        request=None,
        responses={201: DeliveryOutput} | errors(400, 401, 403, 404, 409, 422),
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Send a `webhook.test` on its way; the log tells what came of it."""

        def perform(act: Act) -> Body:
            sent = webhooks.test(webhook_id=webhook_id, act=act)
            return 201, json.dumps(delivery_object(sent))

        return self.perform(request, perform)


class DeliveryCollection(WebhookView):
    """`/v1/webhooks/{webhook_id}/deliveries`"""

    @extend_schema(
        operation_id="list_webhook_deliveries",
        parameters=[
            WEBHOOK,
            OpenApiParameter(
                "status", str, enum=Progress.values, description="How far they are."
            ),
            LIMIT,
            AFTER,
        ],
        responses={200: DeliveryListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """List what was and is to be sent, the newest first."""
        limit = paging.limit_of(request)
        status = paging.text_of(request, "status")
        if status is not None and status not in Progress.values:
            raise InvalidRequest(
                f"status takes {', '.join(Progress.values)}.", param="status"
            )
        log = Delivery.objects.of_subscription(self.mine.one(webhook_id).id)
        found = log.with_status(status).older_than(paging.cursor_of(request, "dlv"))
        rows = list(found.told().newest_first()[: limit + 1])
        return Response(paging.page(rows, limit, lambda one: one.id, delivery_object))


class Resending(WebhookView):
    """`/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend`"""

    @extend_schema(
        operation_id="resend_webhook_delivery",
        parameters=[WEBHOOK, DELIVERY, IDEMPOTENCY_KEY],
        request=None,
        responses={200: DeliveryOutput} | errors(400, 401, 403, 404, 409, 422),
    )
    def post(self, request: Request, webhook_id: str, delivery_id: str) -> Response:
        """Send a message once more, under the same id."""

        def perform(act: Act) -> Body:
            sent = webhooks.resend(
                webhook_id=webhook_id, delivery_id=delivery_id, act=act
            )
            return 200, json.dumps(delivery_object(sent))

        return self.perform(request, perform)
