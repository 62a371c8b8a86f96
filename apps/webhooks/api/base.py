"""What the views of webhooks share."""

from collections.abc import Callable
from typing import Any

import orjson
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json
from apps.webhooks.models import Subscription
from apps.webhooks.services import signing

WEBHOOK = OpenApiParameter(
    "webhook_id", str, OpenApiParameter.PATH, description="The webhook's `id`."
)
DELIVERY = OpenApiParameter(
    "delivery_id", str, OpenApiParameter.PATH, description="The delivery's `id`."
)
LIMIT = OpenApiParameter("limit", int, description="1 to 100.")
AFTER = OpenApiParameter(
    "starting_after", str, description="The `last_id` of the page before."
)


class WebhookView(AdministratorView):
    """What the views of webhooks have in common."""

    refusal = "Webhooks tell of all agents; this key speaks for some of them."

    def perform_with_secret(
        self, request: Request, verb: Callable[[Act], Body]
    ) -> Response:
        """As `perform`, and put the secret into the answer only as it leaves.

        What is kept for a repeated request holds none.
        """
        response = self.perform(request, verb)
        told = orjson.loads(json.splice(response.data))
        response.data = told | {"secret": _secret_for(told)}
        return response

    @property
    def mine(self) -> Any:
        """The webhooks of the caller's project."""
        project = self.caller.project
        return Subscription.objects.of_project(project.id)


def _secret_for(told: dict[str, Any]) -> str | None:
    """Return the secret that this answer speaks of; None once there is another."""
    webhook = Subscription.objects.filter(
        id=told["id"], secret_prefix=told["secret_prefix"]
    ).first()
    return None if webhook is None else signing.secret_of(webhook)
