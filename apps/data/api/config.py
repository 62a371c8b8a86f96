"""An agent's config over REST: read, set, its versions, roll back.

Paths and shapes are those of Anchor's clients.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import UnacceptableJson
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.data import operations as data
from apps.data.api import outputs, shapes
from apps.data.api.base import (
    AGENT,
    CURSOR,
    READ_ERRORS,
    WRITE_ERRORS,
    DataView,
)
from apps.data.api.inputs import ConfigInput, RollbackInput, version_number
from apps.data.errors import ConfigVersionNotFound

LIMIT = 20
MAXIMUM_LIMIT = 100
LAST = 2**53
VERSION = OpenApiParameter(
    "version", str, OpenApiParameter.PATH, description="Such as v3; v0 is no config."
)


class ConfigDetail(DataView):
    """`/v1/agents/{agent}/config`"""

    @extend_schema(
        operation_id="get_agent_config",
        parameters=[AGENT],
        responses={200: outputs.Config, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """Return the config that stands; v0 and empty where none was set."""
        found = data.read_config(act=self.act, reference=agent)
        return Response(shapes.config_object(found))

    @extend_schema(
        operation_id="set_agent_config",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=ConfigInput,
        responses={200: outputs.Config, **WRITE_ERRORS},
    )
    def put(self, request: Request, agent: str) -> Response:
        """Set the whole config as a new version; an equal one makes none."""
        if not request._request.body:
            # Nothing at all would be read as {}, and policies would be gone.
            raise UnacceptableJson("The body must be a JSON object.", param="")
        config = self.body_object()

        def verb() -> dict[str, Any]:
            found = data.configure(act=self.act, reference=agent, config=config)
            return shapes.config_object(found)

        return self.perform(verb)


class ConfigVersions(DataView):
    """`/v1/agents/{agent}/config/versions`"""

    @extend_schema(
        operation_id="list_agent_config_versions",
        parameters=[
            AGENT,
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}."),
            CURSOR,
        ],
        responses={200: outputs.ConfigVersionList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """List the versions of the config, the newest first."""
        limit = paging.limit_of(request, LIMIT, MAXIMUM_LIMIT)
        before = paging.integer_of(request, "cursor", minimum=1, maximum=LAST)
        found = data.list_configs(
            act=self.act, reference=agent, before=before, limit=limit + 1
        )
        return Response(shapes.config_list_object(found, limit=limit))


class ConfigVersionDetail(DataView):
    """`/v1/agents/{agent}/config/versions/{version}`"""

    @extend_schema(
        operation_id="get_agent_config_version",
        parameters=[AGENT, VERSION],
        responses={200: outputs.Config, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str, version: str) -> Response:
        """Return a version of the config."""
        ordinal = version_number(version)
        found = data.read_config(act=self.act, reference=agent, version=ordinal or 0)
        if ordinal is None:
            raise ConfigVersionNotFound(param="version")
        return Response(shapes.config_object(found))


class ConfigRollback(DataView):
    """`/v1/agents/{agent}/config/rollback`"""

    @extend_schema(
        operation_id="roll_back_agent_config",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=RollbackInput,
        responses={200: outputs.Config, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Make a new version that is as an earlier one was; data stays as it is."""
        said = self.read(RollbackInput)

        def verb() -> dict[str, Any]:
            found = data.roll_back_config(
                act=self.act,
                reference=agent,
                target=said.target(),
                reasoning=said.validated_data.get("reasoning"),
            )
            return shapes.config_object(found)

        return self.perform(verb)
