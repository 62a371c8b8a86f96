"""The contract's key endpoints: list, make and revoke keys, for administrators' keys.

A new key's secret is in the answer that makes it and nowhere else. What is kept for a
repeated request holds it sealed with the caller's own secret, which we do not have:
only who asked can be told again, for as long as answers are kept.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts import operations as accounts
from apps.accounts import secrets
from apps.accounts.api.authentication import secret_of
from apps.accounts.models import ApiKey, KeyMark, Scope
from apps.accounts.operations.keys import LARGEST_RATE
from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json, paging
from apps.core.http.input.fields import TextField, WholeNumberField
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors

LONGEST_DAYS = 36_500
MOST = 100
KEY = OpenApiParameter("key_id", str, OpenApiParameter.PATH, description="Its `id`.")


class KeyInput(serializers.Serializer[Any]):
    """A new key: for all agents and for good, where nothing else is said."""

    name = TextField(required=True, allow_null=False, allow_blank=False, max_length=120)
    rate_limit = WholeNumberField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LARGEST_RATE,
        help_text="Requests a minute; without it the installation's limit.",
    )
    expires_days = WholeNumberField(
        required=False, allow_null=True, min_value=1, max_value=LONGEST_DAYS
    )
    owner_id = TextField(
        max_length=255,
        help_text="Taken for StateBase's sake, and not kept: `ignored` names it.",
    )
    scope = serializers.ChoiceField(
        required=False, choices=Scope.choices, default=Scope.WRITE
    )
    prefix = serializers.ChoiceField(
        required=False,
        choices=KeyMark.values,
        default=KeyMark.STATEBASE,
        help_text="What it begins with: a label; every key opens every address.",
    )
    agents = serializers.ListField(
        child=TextField(allow_null=False, allow_blank=False, max_length=255),
        required=False,
        allow_null=True,
        max_length=MOST,
        help_text="Your names of the agents that it may speak for.",
    )


class KeyOutput(serializers.Serializer[Any]):
    """A key, without its secret."""

    id = serializers.CharField()
    key_prefix = serializers.CharField()
    name = serializers.CharField()
    is_active = serializers.BooleanField(help_text="Neither revoked nor expired.")
    rate_limit = serializers.IntegerField(help_text="Requests a minute.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="To the minute."
    )
    expires_at = serializers.DateTimeField(allow_null=True)
    total_requests = serializers.IntegerField(
        allow_null=True, help_text="Always null: requests are not counted by key."
    )
    scope = serializers.ChoiceField(choices=Scope.choices)
    agents = serializers.ListField(child=serializers.CharField(), allow_null=True)


class NewKeyOutput(KeyOutput):
    """A key that was just made."""

    full_key = serializers.CharField(
        allow_null=True,
        help_text="The secret, this once; null for another key that repeats it.",
    )


class KeyView(AdministratorView):
    """What views of keys have in common."""

    refusal = "This key is limited to some agents; keys are made by those for all."


class KeyCollection(KeyView):
    """`/v1/dashboard/keys`"""

    @extend_schema(
        operation_id="list_keys",
        parameters=[
            OpenApiParameter("limit", int, description=f"1 to {MOST}."),
            OpenApiParameter(
                "starting_after", str, description="The `id` of the last one before."
            ),
        ],
        responses={200: KeyOutput(many=True)} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List keys, the newest first, those that were revoked among them.

        An array, as the contract has it: a full one may go on after its last `id`.
        """
        limit = paging.limit_of(request, MOST, MOST)
        after = paging.cursor_of(request, "key")
        mine = ApiKey.objects.in_project(self.caller.project.id)
        now = timezone.now()
        found = mine.for_keys_page(after_id=after)[:limit]
        return Response([shape(key, now) for key in found])

    @extend_schema(
        operation_id="create_key",
        parameters=[IDEMPOTENCY_KEY],
        request=KeyInput,
        responses={200: NewKeyOutput} | errors(400, 401, 403, 413, 422),
    )
    def post(self, request: Request) -> Response:
        """Make a key; `full_key` is its secret, shown this once."""
        said = dict(self.read(KeyInput).validated_data)
        if said.get("owner_id") is not None:
            self.name_ignored("owner_id")
        days = said.get("expires_days")
        own = secret_of(
            request.META.get("HTTP_X_API_KEY", ""),
            request.META.get("HTTP_AUTHORIZATION", ""),
        )

        def perform(act: Act) -> Body:
            key, secret = accounts.issue_key(
                name=said["name"],
                scope=Scope(said["scope"]),
                agents=said.get("agents"),
                terms=accounts.KeyTerms(
                    rate_limit=said.get("rate_limit"),
                    expires_at=days and act.now + timedelta(days=days),
                    mark=KeyMark(said["prefix"]),
                ),
                project=act.project,
                act=act,
            )
            sealed = secrets.seal(secret, under=own or "")
            return 200, json.dumps(shape(key, act.now) | {"full_key": sealed})

        response = self.perform(request, perform)
        told = orjson.loads(json.splice(response.data))
        told["full_key"] = secrets.unseal(told["full_key"], under=own or "")
        response.data = told
        return response


class KeyDetail(KeyView):
    """`/v1/dashboard/keys/{key_id}`"""

    @extend_schema(
        operation_id="revoke_key",
        parameters=[KEY, IDEMPOTENCY_KEY],
        responses={204: None} | errors(400, 401, 403, 404, 409, 422),
    )
    def delete(self, request: Request, key_id: str) -> Response:
        """Revoke a key: the next request with it is refused. It stays in the list."""

        def perform(act: Act) -> Body:
            accounts.revoke_key(key_id=key_id, project=act.project, act=act)
            return 204, b""

        response = self.perform(request, perform)
        response.data = None
        return response


def shape(key: ApiKey, now: datetime) -> dict[str, Any]:
    return {
        "id": key.id,
        "key_prefix": key.prefix,
        "name": key.name,
        "is_active": key.is_live(now),
        "rate_limit": key.rate_limit or settings.RATE_LIMIT_PER_MINUTE,
        "created_at": _moment(key.created_at),
        "last_used_at": _moment(key.last_used_at),
        "expires_at": _moment(key.expires_at),
        "total_requests": None,
        "scope": str(key.scope),
        "agents": key.agents,
    }


def _moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat().replace("+00:00", "Z")
