"""Handing a checkpoint to another agent, and adopting one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json
from apps.core.http.input.fields import (
    InputSerializer,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.inputs.sessions import AboutInput
from apps.timeline.api.outputs.common import Output, maybe_text, text
from apps.timeline.api.sessions import SessionStartView
from apps.timeline.api.states import WRITE_ERRORS
from apps.timeline.bodies import bundles


@extend_schema_serializer(component_name="HandOff")
class HandOffInput(InputSerializer):
    """Which version is handed off, and to whom."""

    version = WholeNumberField(
        min_value=-(2**31), help_text="The head if unset; -1 the one before."
    )
    to_agent = TextField(help_text="A label: whoever may read the session can adopt.")


class Handoff(Output):
    """A descriptor that only this server can have signed."""

    format = text()
    project_id = text()
    session_id = text()
    version = serializers.IntegerField()
    checkpoint_id = text()
    chain = text("The version's place in the proof, hex.")
    commitment = text("What the version holds, sealed: hex.")
    to_agent = maybe_text()
    issued_at = serializers.DateTimeField()
    signature = text()


@extend_schema_field(Handoff)
class HandoffField(ObjectField):
    """A descriptor as it was issued."""


@extend_schema_serializer(component_name="AdoptHandoff")
class AdoptInput(AboutInput):
    """The descriptor as it was issued, and what the new session is called."""

    handoff = HandoffField(required=True, allow_null=False)
    agent_id = TextField(allow_blank=False, help_text="Another agent for the session.")


class HandoffsView(TimelineView):
    """Descriptors of a session's versions."""

    @extend_schema(
        operation_id="hand_off",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=HandOffInput,
        examples=examples.HAND_OFF,
        responses={201: Handoff, **errors(400, 401, 403, 404, 413, 415, 422, 429, 503)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Return a signed descriptor of a version, for another agent to adopt."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._issued(session_id))),
        )

    def _issued(self, session_id: str) -> dict[str, Any]:
        given = self.read(HandOffInput).validated_data
        return timeline.hand_off(
            session_id=session_id,
            number=given.get("version"),
            to_agent=given.get("to_agent") or None,
            act=self.act,
        )


class AdoptionsView(SessionStartView):
    """Sessions begun from what was handed off."""

    @extend_schema(
        operation_id="adopt_handoff",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=AdoptInput,
        responses={201: outputs.StartedSession, **WRITE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Begin a session from a descriptor; one that does not verify is refused."""
        given = self.read(AdoptInput)
        data = given.validated_data
        receipt = timeline.adopt(
            handoff=data["handoff"],
            agent=data.get("agent_id"),
            about=self.about(given),
            parts=bundles.named_parts(data),
            step=given.step(),
            act=self.act,
        )
        return self.started(receipt)
