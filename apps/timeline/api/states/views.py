"""`/v1/sessions/{id}/state`: read, merge, replace; what each state write answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from drf_spectacular.utils import extend_schema
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Scope as KeyScope
from apps.core.http import prefers_minimal
from apps.core.http.bodies import JSONPatchParser, StrictJSONParser
from apps.core.http.input.patches import PATCH_SCHEMA
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters, shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.inputs import ReplaceInput, UpdateInput
from apps.timeline.api.masks.masked import masked
from apps.timeline.api.migrating.under import SCHEMA, Under
from apps.timeline.bodies import bundles
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import Rollback, Unread, VersionRow
from apps.timeline.words import Op

WRITE_ERRORS = errors(400, 401, 403, 404, 409, 412, 413, 415, 422, 423, 429, 503)
WRITTEN = dict.fromkeys((200, 201), outputs.StateWrite)
# Where answers of heads show states.
SHOWN_AT = ("/state", "/data")
READ_ERRORS = errors(400, 401, 403, 404, 410, 429, 503)


class Shown(Protocol):
    """What an answer tells of a version beside its state."""

    @property
    def session_id(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def trace_id(self) -> str: ...
    @property
    def hold(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def session_created_at(self) -> datetime: ...


def state_object(
    version: Shown, state: bytes | None, rollback: Rollback | None
) -> dict[str, Any]:
    """Return a state; `data` repeats it for clients up to 0.2.0.

    Who asked for as little as possible is told all but the state.
    """
    spliced = {} if state is None else dict.fromkeys(("state", "data"), Fragment(state))
    return {
        "session_id": version.session_id,
        "version": version.number,
        **spliced,
        "created_at": utc_text(version.session_created_at),
        "updated_at": utc_text(version.created_at),
        "trace_id": version.trace_id,
        "hold": version.hold,
        "last_rollback": rollback and shapes.last_rollback(rollback),
    }


def migrated_object(
    version: VersionRow, under: Under, rollback: Rollback | None
) -> dict[str, Any]:
    """Return the version's state as another schema has it."""
    return state_object(version, under.shown(version), rollback) | under.told(version)


def rollback_object(
    version: VersionRow,
    state: bytes | None,
    rollback: Rollback | None,
    *,
    verified: bool,
    effects_crossed: int | None,
    rolled: VersionRow,
) -> dict[str, Any]:
    """Return what a rollback did, for clients of either contract.

    `rolled` is it, where `version` has migrated it in the same batch.
    """
    return state_object(version, state, rollback) | {
        "success": True,
        "verified": verified,
        "effects_crossed": effects_crossed or 0,
        "new_version": version.number,
        "restored_from_version": rolled.restored_number,
        "rolled_back_from_version": rolled.parent_number,
        "reason": rolled.reasoning,
        "reason_code": rolled.reason_code,
    }


class StateWriteView(TimelineView):
    """A view that answers with the state that its write left."""

    def state_answer(self, receipt: Receipt) -> Response:
        """Answer a state write with what it stored, now or before."""
        is_minimal = prefers_minimal(self.request)
        if receipt.made:
            version = receipt.made[-1]
        elif is_minimal:  # its body is not to be read
            version = self.version(receipt.session_id, receipt.number)
        else:
            version = self.shown(receipt.session_id, receipt.number)
        rollback = version.rollback
        if rollback is Unread.UNREAD:
            rollback = fetching.last_rollback(version)
        state = None if is_minimal else reading.state(version)
        if receipt.verified is None:
            shown = state_object(version, state, rollback)
        else:
            rolled = version
            if version.op == Op.MIGRATE:
                rolled = self.version(receipt.session_id, version.number - 1)
            shown = rollback_object(
                version,
                state,
                rollback,
                rolled=rolled,
                verified=receipt.verified,
                effects_crossed=receipt.effects_crossed,
            )
        answer = self.answer(shown, receipt, version.number)
        if receipt.session_id != self.kwargs["session_id"]:
            self._tell_forked(answer, receipt.session_id)
        if is_minimal:
            answer["Preference-Applied"] = "return=minimal"
        return answer

    def _tell_forked(self, answer: Response, session_id: str) -> None:
        """Have the answer say that the write has become a fork, and of what."""
        fork = self.session(session_id)
        answer.status_code = 201
        answer.data |= {
            "forked_from": fork.origin_session_id,
            "forked_version": fork.origin_number,
        }


class StateView(StateWriteView):
    """The head's state, and the ways to write a new one."""

    parser_classes = (StrictJSONParser, JSONPatchParser)

    @extend_schema(
        operation_id="read_state",
        parameters=SCHEMA,
        responses={
            200: outputs.ShownState,
            304: None,
            **READ_ERRORS,
            **errors(409, 422),
        },
    )
    @masked(*SHOWN_AT, refused=("schema", "schema_from"))
    def get(self, request: Request, session_id: str) -> Response:
        """Read the state of the head; `ETag` names its version."""
        under = Under.of(request)
        head = self.shown(session_id, None)
        tag = f'"v{head.number}"'
        if under is not None:
            body = migrated_object(head, under, fetching.last_rollback(head))
            return Response(body, headers={"ETag": tag})
        # What a masked key has kept was drawn by masks that may be others by now.
        is_masked = self.caller.scope == KeyScope.MASKED
        if request.headers.get("If-None-Match") == tag and not is_masked:
            return Response(status=304, headers={"ETag": tag})
        body = state_object(head, reading.state(head), fetching.last_rollback(head))
        return Response(body, headers={"ETag": tag})

    @extend_schema(
        operation_id="update_state",
        parameters=[*parameters.STATE_WRITE, parameters.ON_CONFLICT],
        request={
            "application/json": UpdateInput,
            JSONPatchParser.media_type: PATCH_SCHEMA,
        },
        examples=examples.UPDATE,
        responses={**WRITTEN, **WRITE_ERRORS},
    )
    def patch(self, request: Request, session_id: str) -> Response:
        """Merge top-level keys into the state, as a new version."""
        given = self.read(UpdateInput)
        data = given.validated_data
        receipt = timeline.update(
            session_id=session_id,
            patch=data.get("state"),
            remove=data.get("remove") or (),
            operations=data.get("operations") or (),
            parts=bundles.named_parts(data),
            step=given.step(),
            act=self.act,
            expected=self.expected(data.get("expected_version")),
        )
        return self.state_answer(receipt)

    @extend_schema(
        operation_id="replace_state",
        parameters=[*parameters.STATE_WRITE, parameters.ON_CONFLICT],
        request={"application/json": ReplaceInput},
        examples=examples.REPLACE,
        responses={**WRITTEN, **WRITE_ERRORS},
    )
    def put(self, request: Request, session_id: str) -> Response:
        """Set the state as a whole, as a new version."""
        return self._replaced(session_id)

    @extend_schema(
        operation_id="replace_state_by_post",
        parameters=[*parameters.STATE_WRITE, parameters.ON_CONFLICT],
        request={"application/json": ReplaceInput},
        examples=examples.REPLACE,
        responses={**WRITTEN, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Set the state as a whole: the form that StateBase's guide documents."""
        return self._replaced(session_id)

    def _replaced(self, session_id: str) -> Response:
        given = self.read(ReplaceInput)
        data = given.validated_data
        receipt = timeline.replace(
            session_id=session_id,
            state=data["state"],
            parts=bundles.named_parts(data),
            step=given.step(),
            act=self.act,
            expected=self.expected(data.get("expected_version")),
        )
        return self.state_answer(receipt)
