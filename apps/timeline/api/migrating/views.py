"""`/v1/sessions/{id}/state/migrate`: the state becomes one of another schema."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.timeline import operations as timeline
from apps.timeline.api import outputs, parameters
from apps.timeline.api.migrating.inputs import MigrateInput
from apps.timeline.api.states import WRITE_ERRORS, StateWriteView


class MigrateView(StateWriteView):
    """Migrate the head's state."""

    @extend_schema(
        operation_id="migrate_state",
        parameters=parameters.STATE_WRITE,
        request=MigrateInput,
        responses={200: outputs.WrittenState, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Append the head's state under another schema of its agent, as a version.

        A step that cannot be done answers 409 `migration_failed` with the step and the
        place, a state that then does not pass the schema 409 `schema_unfit`; nothing is
        stored.
        """
        given = self.read(MigrateInput)
        receipt = timeline.migrate(
            session_id=session_id,
            to=given.validated_data["to"],
            source=given.validated_data.get("from"),
            step=given.step(),
            act=self.act,
            expected=self.expected(given.validated_data.get("expected_version")),
        )
        return self.state_answer(receipt)
