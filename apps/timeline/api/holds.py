"""Pause, resume and close a session."""

from __future__ import annotations

from collections.abc import Callable

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.inputs.holds import HoldInput
from apps.timeline.api.states import WRITE_ERRORS, StateWriteView
from apps.timeline.ledger.drafts import Receipt


class HoldView(StateWriteView):
    """One way to hold a session; each is a version of its own."""

    def changed(self, session_id: str, operation: Callable[..., Receipt]) -> Response:
        given = self.read(HoldInput)
        receipt = operation(
            session_id=session_id,
            step=given.step(),
            act=self.act,
            expected=self.expected(given.validated_data.get("expected_version")),
        )
        return self.state_answer(receipt)


class PauseView(HoldView):
    @extend_schema(
        operation_id="pause",
        parameters=parameters.WRITE,
        request=HoldInput,
        examples=examples.HOLD,
        responses={200: outputs.State, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Answer agents' writes with 423 until the session is resumed."""
        return self.changed(session_id, timeline.pause)


class ResumeView(HoldView):
    @extend_schema(
        operation_id="resume",
        parameters=parameters.WRITE,
        request=HoldInput,
        examples=examples.HOLD,
        responses={200: outputs.State, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Let agents write again."""
        return self.changed(session_id, timeline.resume)


class CloseView(HoldView):
    @extend_schema(
        operation_id="close",
        parameters=parameters.WRITE,
        request=HoldInput,
        examples=examples.HOLD,
        responses={200: outputs.State, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """End the session: it can still be read and forked."""
        return self.changed(session_id, timeline.close)
