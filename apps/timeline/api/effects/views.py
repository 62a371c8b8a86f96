"""Effects of a session: begin, finish, list, read."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import Body, answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.effects.inputs import EffectInput, FinishInput
from apps.timeline.api.effects.shapes import begin_object, effect_object
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.queries.effects import effects, one_effect
from apps.timeline.words import EffectClass, EffectStatus

WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 423, 429, 503)


class EffectsView(TimelineView):
    """The effects of a session."""

    @extend_schema(
        operation_id="list_effects",
        parameters=[
            OpenApiParameter(
                "status",
                str,
                enum=EffectStatus.values,
                description="What they have come to.",
            ),
            OpenApiParameter(
                "class",
                str,
                enum=EffectClass.values,
                description="What can be done about them; without a class they are "
                "irreversible.",
            ),
            parameters.limit(20),
            parameters.text("starting_after", "The id of an effect."),
        ],
        responses={200: outputs.EffectList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List what the agent did outside, newest first."""
        limit = paging.limit_of(request)
        status = choice(request, "status", EffectStatus.values)
        effect_class = choice(request, "class", EffectClass.values)
        before = paging.cursor_of(request, "eff")
        self.version(session_id, None)
        found = effects(
            session_id,
            now=self.now,
            status=status,
            effect_class=effect_class,
            before=before,
            limit=limit,
        )
        shown = [effect_object(self.scope.project, one) for one in found]
        return Response(paging.page(shown, limit, lambda item: str(item["id"])))

    @extend_schema(
        operation_id="begin_effect",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=EffectInput,
        examples=examples.EFFECT,
        responses={
            200: outputs.EffectBegin,
            201: outputs.EffectBegin,
            202: outputs.EffectBegin,
            **WRITE_ERRORS,
        },
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Ask whether a call is to be made: once for each key.

        201 with `run: true`: make it, and finish it with this `attempt`. 200: it was
        done before. 202: it waits for an approval.
        """
        return answered(
            request, scope=self.scope, perform=lambda: self._begun(session_id)
        )

    def _begun(self, session_id: str) -> Body:
        effect = self.read(EffectInput).effect()
        begun = timeline.begin_effect(
            act=self.act, session_id=session_id, effect=effect
        )
        told = begin_object(self.scope.project, session_id, effect.key, begun)
        return status_of(begun), json.dumps(told)


class EffectView(TimelineView):
    """One effect."""

    @extend_schema(
        operation_id="read_effect", responses={200: outputs.Effect, **READ_ERRORS}
    )
    def get(self, request: Request, session_id: str, effect_id: str) -> Response:
        """Read what an effect has come to."""
        self.version(session_id, None)
        found = one_effect(session_id, effect_id, now=self.now)
        return Response(effect_object(self.scope.project, found))


class FinishView(TimelineView):
    """The end of an effect."""

    @extend_schema(
        operation_id="finish_effect",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=FinishInput,
        examples=examples.FINISH,
        responses={200: outputs.Effect, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str, effect_id: str) -> Response:
        """Say what came of the call; what is done never changes."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: self._finished(session_id, effect_id),
        )

    def _finished(self, session_id: str, effect_id: str) -> Body:
        given = self.read(FinishInput)
        found = timeline.finish_effect(
            act=self.act,
            session_id=session_id,
            effect_id=effect_id,
            attempt=given.validated_data["attempt"],
            finish=given.finish(),
        )
        return 200, json.dumps(effect_object(self.scope.project, found))


def status_of(begun: timeline.Begun) -> int:
    """Return with which status a begin is answered."""
    return 201 if begun.run else 200 if begun.effect else 202


def choice(request: Request, name: str, choices: list[str]) -> str | None:
    """Return a filter that takes one of these, None if it is not given.

    Raises: InvalidRequest.
    """
    given = paging.text_of(request, name)
    if given is not None and given not in choices:
        raise InvalidRequest(f"{name} takes {', '.join(choices)}.", param=name)
    return given
