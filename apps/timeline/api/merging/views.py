"""Promote, revert, reapply, restore: what each would do, and to do it."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.errors import DomainError, InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.merging import inputs
from apps.timeline.api.merging.outputs import MergePreview
from apps.timeline.api.merging.shapes import conflict_list, preview_object
from apps.timeline.api.states import WRITE_ERRORS, StateWriteView
from apps.timeline.errors import (
    ChoiceRefused,
    MergeConflict,
    VersionConflict,
    VersionMismatch,
)
from apps.timeline.queries.merging import MergeRequest, kept_choices, preview_merge

PREVIEWED = {
    200: MergePreview,
    **errors(400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
}
MERGED = {200: outputs.WrittenState, **WRITE_ERRORS, **errors(500)}
RANGE = [
    OpenApiParameter(
        "first_version", int, required=True, description="The first that is meant."
    ),
    OpenApiParameter(
        "last_version", int, required=True, description="The last that is meant."
    ),
]


class _PreviewView(TimelineView):
    def previewed(self, session_id: str, asked: MergeRequest) -> Response:
        found = preview_merge(self.scope, session_id, asked, now=self.now)
        return Response(preview_object(found))


class _MergeView(StateWriteView):
    takes: ClassVar[type[inputs.MergeInput]]

    def merged(self, session_id: str) -> Response:
        """Merge what the body asks for, and answer with the state it made."""
        given = self.read(self.takes)
        asked, choices = given.request(), given.chosen()
        expected = self.expected(given.validated_data.get("expected_version"))
        if expected.number is None:
            message = "Name the head that the preview showed."
            raise InvalidRequest(message, param="expected_version")
        try:
            receipt = timeline.merge(
                act=self.act,
                session_id=session_id,
                request=asked,
                choices=choices,
                step=given.step(),
                expected=expected,
            )
        except (MergeConflict, ChoiceRefused) as refused:
            kept = kept_choices(refused.conflicts, choices)
            shown = conflict_list(refused.conflicts, kept)
            refused.details |= {"conflicts": shown, "conflict_count": len(shown)}
            raise
        except (VersionConflict, VersionMismatch) as moved:
            moved.details |= {"preview": self._preview(session_id, given, asked)}
            raise
        return self.state_answer(receipt)

    def _preview(
        self, session_id: str, given: inputs.MergeInput, asked: MergeRequest
    ) -> dict[str, object] | None:
        """Return the preview of the head as it is now; None where that is refused."""
        try:
            found = preview_merge(
                self.scope, session_id, asked, now=self.now, choices=given.chosen()
            )
        except DomainError:
            return None
        return preview_object(found)


class PromotePreviewView(_PreviewView):
    """A promotion, before it is done."""

    @extend_schema(
        operation_id="preview_promote",
        parameters=[
            OpenApiParameter("fork", str, required=True, description="A session id."),
            OpenApiParameter(
                "fork_version", int, description="The fork's head if unset."
            ),
        ],
        responses=PREVIEWED,
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell what a fork would bring into the session, and what clashes.

        What counts is what the fork changed since it began or, if it was promoted
        before, since then.
        """
        return self.previewed(session_id, inputs.promotion_in_query(request))


class PromoteView(_MergeView):
    """Bring a fork's changes into its origin."""

    takes = inputs.PromoteInput

    @extend_schema(
        operation_id="promote",
        parameters=parameters.STATE_WRITE,
        request=inputs.PromoteInput,
        examples=examples.PROMOTE,
        responses=MERGED,
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version with what a fork changed merged into the head.

        A conflict without a choice answers 409 `merge_conflict` with all of them.
        """
        return self.merged(session_id)


class RevertPreviewView(_PreviewView):
    """A revert, before it is done."""

    @extend_schema(operation_id="preview_revert", parameters=RANGE, responses=PREVIEWED)
    def get(self, request: Request, session_id: str) -> Response:
        """Tell what taking versions back would do, with all that came later kept."""
        return self.previewed(session_id, inputs.revert_in_query(request))


class RevertView(_MergeView):
    """Take versions back, and keep what came later."""

    takes = inputs.RevertInput

    @extend_schema(
        operation_id="revert",
        parameters=parameters.STATE_WRITE,
        request=inputs.RevertInput,
        examples=examples.REVERT,
        responses=MERGED,
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version without what these versions changed; nothing is deleted."""
        return self.merged(session_id)


class ReapplyPreviewView(_PreviewView):
    """Applying versions again, before it is done."""

    @extend_schema(
        operation_id="preview_reapply", parameters=RANGE, responses=PREVIEWED
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell what applying versions once more would do, as after a rollback."""
        return self.previewed(session_id, inputs.reapply_in_query(request))


class ReapplyView(_MergeView):
    """Apply versions once more, as after a rollback."""

    takes = inputs.ReapplyInput

    @extend_schema(
        operation_id="reapply",
        parameters=parameters.STATE_WRITE,
        request=inputs.ReapplyInput,
        examples=examples.REVERT,
        responses=MERGED,
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version with what these versions changed merged into the head."""
        return self.merged(session_id)


class RestorePreviewView(_PreviewView):
    """Restoring places, before it is done."""

    @extend_schema(
        operation_id="preview_restore",
        parameters=[
            OpenApiParameter(
                "version", int, required=True, description="As which version had them."
            ),
            OpenApiParameter(
                "pointers",
                str,
                required=True,
                description='A JSON list of pointers: ["/a","/b/c"].',
            ),
        ],
        responses=PREVIEWED,
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell what setting places back to an earlier version would change."""
        return self.previewed(session_id, inputs.restore_in_query(request))


class RestoreView(_MergeView):
    """Set places of the state back."""

    takes = inputs.RestoreInput

    @extend_schema(
        operation_id="restore",
        parameters=parameters.STATE_WRITE,
        request=inputs.RestoreInput,
        examples=examples.RESTORE,
        responses=MERGED,
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append a version with these places as an earlier version has them.

        What stands nowhere there is removed. A place in a list needs items that have
        an identity key; a list without one is restored as a whole.
        """
        return self.merged(session_id)
