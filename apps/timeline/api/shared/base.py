"""What the views of one shared document have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.http import prefers_minimal
from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api.base import TimelineView
from apps.timeline.api.states import state_object
from apps.timeline.errors import SessionNotFound, SharedNotFound
from apps.timeline.ledger.documents.shared import SharedName, shared_scope
from apps.timeline.ledger.drafts import Expected, Receipt
from apps.timeline.versions import fetching, heads, reading
from apps.timeline.versions.reading import Unread, VersionRow

READ_ERRORS = errors(400, 401, 403, 404, 410, 429, 503)
WRITE_ERRORS = errors(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503)
NAME = OpenApiParameter(
    "name",
    str,
    OpenApiParameter.PATH,
    description="public/… or agent/<your name of the agent>/….",
)


class SharedView(TimelineView):
    """A view of one shared document, which every key of the project may read."""

    @property
    def name(self) -> SharedName:
        """Raises: SharedNotFound."""
        return SharedName.of(self.kwargs["name"])

    @cached_property
    def documents(self) -> Scope:
        return shared_scope(self.scope)

    def newest(self, number: int | None = None) -> VersionRow:
        """Return a version with its state; None is the newest.

        Raises: SharedNotFound, VersionNotFound.
        """
        session_id = self.name.id_in(self.scope)
        try:
            return heads.shown(self.documents, session_id, number, now=self.now)
        except SessionNotFound:
            raise SharedNotFound(param="name") from None

    def written(
        self, write: Callable[[Act, str], Receipt], *, makes: bool = True
    ) -> Response:
        """Answer a write with what it stored, now or before."""
        receipt = timeline.write_shared(
            act=self.act, name=self.name, write=write, makes=makes
        )
        version = receipt.made[-1] if receipt.made else self.newest(receipt.number)
        is_minimal = prefers_minimal(self.request)
        answer = self.answer(
            self.shown_object(version, is_minimal=is_minimal), receipt, version.number
        )
        if is_minimal:
            answer["Preference-Applied"] = "return=minimal"
        return answer

    def shown_object(
        self, version: VersionRow, *, is_minimal: bool = False
    ) -> dict[str, Any]:
        rollback = version.rollback
        if rollback is Unread.UNREAD:
            rollback = fetching.last_rollback(version)
        state = None if is_minimal else reading.state(version)
        return {
            "object": "shared",
            "name": self.name.text,
            **state_object(version, state, rollback),
        }

    def fenced(self, given: dict[str, Any]) -> Expected:
        """Return which head the caller saw, and under which fence it writes."""
        seen = self.expected(given.get("expected_version"))
        return Expected(
            number=seen.number,
            from_header=seen.from_header,
            fence=given.get("fence"),
        )
