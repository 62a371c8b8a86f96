"""Decide about memories, step them back, and import them, over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.memory import operations as memory
from apps.memory.api import outputs, shapes
from apps.memory.api.base import WRITE_ERRORS, MemoryView
from apps.memory.api.deciding_inputs import ImportInput, ResolveInput, RollbackInput
from apps.memory.operations.forgetting import Forgetting


class ResolveView(MemoryView):
    """`/v1/memories/resolve`"""

    @extend_schema(
        operation_id="resolve_memory",
        parameters=[IDEMPOTENCY_KEY],
        request=ResolveInput,
        responses={200: outputs.Resolved, **WRITE_ERRORS, **errors(423)},
    )
    def post(self, request: Request) -> Response:
        """Decide about a memory: a conflict, a proposal, or that it is its user's.

        To accept a proposal takes an administrator's key, or a person in the console.
        A proposed patch that is accepted is written to its session as a version.
        """
        said = self.read(ResolveInput)

        def verb() -> dict[str, Any]:
            kept = memory.resolve(
                act=self.act,
                memory_id=said.validated_data["memory_id"],
                resolution=said.resolution(),
                is_administrators=self.is_administrators,
            )
            return {"object": "list", "data": shapes.memory_objects(kept)}

        return self.perform(verb)


class RollbackView(MemoryView):
    """`/v1/memories/rollback`"""

    @extend_schema(
        operation_id="step_memories_back",
        parameters=[IDEMPOTENCY_KEY],
        request=RollbackInput,
        responses={200: outputs.SteppedBack, **WRITE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Have memories be as they were, or forget what one session taught.

        With `dry_run` it says what that would do.
        """
        said = self.read(RollbackInput)
        return self.perform(lambda: self._stepped_back(said))

    def _stepped_back(self, said: RollbackInput) -> dict[str, Any]:
        session_id = said.forgotten()
        if session_id is None:
            do = memory.preview if said.is_dry else memory.step_back
            done = Forgetting(
                steps=[do(act=self.act, wanted=said.wanted())], has_more=False
            )
        elif said.is_dry:
            done = memory.preview_forgetting(act=self.act, session_id=session_id)
        else:
            done = memory.forget_session(
                act=self.act, session_id=session_id, reasoning=said.reason
            )
        return shapes.stepped_back_object(
            done.steps,
            has_more=done.has_more,
            untraced=done.untraced,
            is_dry=said.is_dry,
        )


class ImportView(MemoryView):
    """`/v1/memories/import`"""

    @extend_schema(
        operation_id="import_memories",
        parameters=[IDEMPOTENCY_KEY],
        request=ImportInput,
        responses={200: outputs.Imported, **WRITE_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Import memories from an export of mem0; each once, the rest named."""
        said = self.read(ImportInput)

        def verb() -> dict[str, Any]:
            outcomes = memory.import_memories(act=self.act, items=said.items())
            return shapes.import_object(outcomes)

        return self.perform(verb)
