"""Price lists over REST: a key reads them, administrators' keys make them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.api.answers import Body, act_of, answered
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.core.time.moments import moment
from apps.guards import operations as guards
from apps.guards.api.serializers import (
    PriceListInput,
    PriceListListOutput,
    PriceListOutput,
)
from apps.guards.api.shapes import price_list_object
from apps.guards.errors import UnacceptablePrices
from apps.guards.models import PriceList
from apps.timeline.api import parameters


class PriceListCollection(ApiView):
    """`/v1/prices`"""

    required_scope = {"POST": Permission.ADMIN}

    @extend_schema(
        operation_id="create_price_list",
        parameters=[IDEMPOTENCY_KEY],
        request=PriceListInput,
        responses={201: PriceListOutput}
        | errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Have turns that name their model and no cost be priced by this list."""
        act = act_of(request)

        def perform() -> Body:
            said = self.read(PriceListInput).validated_data
            made = guards.create_price_list(
                act=act,
                valid_from=_moment(said.get("valid_from")),
                currency_code=said["currency"],
                models=said["models"],
                drops=said.get("drops") or (),
            )
            return 201, json.dumps(price_list_object(made))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_price_lists",
        parameters=[parameters.limit(20)],
        responses={200: PriceListListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List price lists, the one that is valid from the latest moment first."""
        limit = paging.limit_of(request)
        found = PriceList.objects.of_project(act_of(request).project_id)
        return Response(
            paging.page(list(found[: limit + 1]), limit, _id_of, price_list_object)
        )


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise UnacceptablePrices(
            "valid_from takes a time in ISO 8601, as in 2026-01-31T12:00:00Z.",
            param="valid_from",
        ) from None


def _id_of(prices: Any) -> str:
    return str(prices.id)
