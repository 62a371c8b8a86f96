"""`/v1/sessions/{id}/rollback` and `/undo`: step back, and take that back."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.inputs import RollbackInput, UndoInput
from apps.timeline.api.states.views import WRITE_ERRORS, StateWriteView
from apps.timeline.queries.targets import at_turn


class RollbackView(StateWriteView):
    """Step back to an earlier version."""

    @extend_schema(
        operation_id="rollback",
        parameters=parameters.STATE_WRITE,
        request=RollbackInput,
        examples=examples.ROLLBACK,
        responses={200: outputs.Rollback, **WRITE_ERRORS, **errors(500)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version with the state of an earlier one; nothing is deleted."""
        given = self.read(RollbackInput)
        to, turn_id = given.to(), given.validated_data["turn_id"]
        if to is None:
            to = at_turn(self.scope, session_id, turn_id, now=self.now)
        receipt = timeline.rollback(
            session_id=session_id,
            to=to,
            step=given.step(),
            reason_code=given.validated_data.get("reason_code"),
            migrate_to=given.validated_data.get("migrate_to"),
            hold=bool(given.validated_data.get("hold")),
            crossing=given.crossing(),
            act=self.act,
            expected=self.expected(given.validated_data.get("expected_version")),
        )
        return self.state_answer(receipt)


@extend_schema_view(post=extend_schema(operation_id="rollback_state"))
class StateRollbackView(RollbackView):
    """The same at the address that StateBase's clients call."""


class UndoView(StateWriteView):
    """Take a rollback back."""

    @extend_schema(
        operation_id="undo_rollback",
        parameters=parameters.STATE_WRITE,
        request=UndoInput,
        examples=examples.UNDO,
        responses={200: outputs.Rollback, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version with the state from before a rollback.

        It counts as no rollback of its own; what was written since is set aside.
        """
        given = self.read(UndoInput)
        number = given.validated_data.get("version")
        expected = given.validated_data.get("expected_version")
        if number is None:
            # Another rollback may become the head: that one was not meant.
            number = self.version(session_id, None).number
            expected = number if expected is None else expected
        receipt = timeline.undo(
            session_id=session_id,
            number=number,
            step=given.step(),
            act=self.act,
            expected=self.expected(expected),
        )
        return self.state_answer(receipt)
