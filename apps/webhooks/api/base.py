"""What the views of webhooks share."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import orjson
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Caller, Permission
from apps.agents.api.answers import answered
from apps.agents.scope import Scope
from apps.core import json, paging
from apps.core.errors import InvalidRequest, PermissionDenied, UnacceptableJson
from apps.core.http import ApiView
from apps.webhooks import signing
from apps.webhooks.models import Subscription

WEBHOOK_ID = re.compile(r"hook_[0-9a-z]{26}", re.ASCII)
DELIVERY_ID = re.compile(r"dlv_[0-9a-z]{26}", re.ASCII)
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
Body = tuple[int, bytes]


class WebhookView(ApiView):
    """What the views of webhooks have in common."""

    required_scope = Permission.ADMIN

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse keys that speak for some agents alone, whatever they ask for."""
        super().initial(request, *args, **kwargs)
        if caller_of(request).agents is not None:
            raise PermissionDenied(
                "Webhooks tell of all agents; this key speaks for some of them."
            )

    def act(self, request: Request, act: Callable[[dict[str, Any]], Body]) -> Response:
        """Answer what an operation returns, done once for one idempotency key."""
        caller, now = caller_of(request), timezone.now()
        about = {
            "project": caller.project,
            "actor": caller.actor,
            "now": now,
            "request_id": request._request.request_id,  # type: ignore[attr-defined]
        }
        scope = Scope(caller.project, caller.agents)
        return answered(request, scope=scope, now=now, act=partial(act, about))

    def act_with_secret(
        self, request: Request, act: Callable[[dict[str, Any]], Body]
    ) -> Response:
        """As `act`, and put the secret into the answer only as it leaves.

        What is kept for a repeated request holds none.
        """
        response = self.act(request, act)
        told = orjson.loads(json.splice(response.data))
        response.data = told | {"secret": _secret_for(told)}
        return response

    @property
    def mine(self) -> Any:
        """The webhooks of the caller's project."""
        project = caller_of(self.request).project
        return Subscription.objects.of_project(project.id)


def caller_of(request: Request) -> Caller:
    """Who came in by key; the permission has made sure that somebody did."""
    return cast(Caller, request.auth)


def read(request: Request, kind: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """Raises: UnacceptableJson for a body that is no object; DRF's ValidationError."""
    if not isinstance(request.data, dict):
        raise UnacceptableJson("The body must be a JSON object.", param="")
    said = kind(data=request.data)
    said.is_valid(raise_exception=True)
    return dict(said.validated_data)


def cursor_of(request: Request, shape: re.Pattern[str]) -> str | None:
    """Raises: InvalidRequest for what is no id of this list."""
    cursor = paging.text_of(request, "starting_after")
    if cursor is not None and not shape.fullmatch(cursor):
        raise InvalidRequest(
            "starting_after takes the last_id of a page.", param="starting_after"
        )
    return cursor


def _secret_for(told: dict[str, Any]) -> str | None:
    """Return the secret that this answer speaks of; None once there is another."""
    webhook = Subscription.objects.filter(
        id=told["id"], secret_prefix=told["secret_prefix"]
    ).first()
    return None if webhook is None else signing.secret_of(webhook)
