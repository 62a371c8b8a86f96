"""Surveys over REST: ask for one, read what was found."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import act_of, answered
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.surveys import operations as surveys
from apps.surveys.api import shapes
from apps.surveys.api.serializers import SurveyInput, SurveyListOutput, SurveyOutput
from apps.surveys.models import Survey
from apps.timeline.api import parameters

SURVEY = OpenApiParameter(
    "survey_id", str, OpenApiParameter.PATH, description="The survey's `id`."
)
AFTER = parameters.text("starting_after", "The `last_id` of the page before.")


class SurveyCollection(ApiView):
    """`/v1/surveys`"""

    @extend_schema(
        operation_id="ask_survey",
        parameters=[IDEMPOTENCY_KEY],
        request=SurveyInput,
        responses={201: SurveyOutput} | errors(400, 401, 403, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Have a check looked for in many sessions, by the worker.

        It tells in which share of them it broke, by release and by model.
        """
        said = self.read(SurveyInput).validated_data
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            made = surveys.ask(act=act, check=said["check"], query=said.get("search"))
            return 201, json.dumps(shapes.survey_object(made, act))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_surveys",
        parameters=[parameters.limit(20), AFTER],
        responses={200: SurveyListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List surveys, the newest first."""
        act, limit = act_of(request), paging.limit_of(request)
        after = paging.cursor_of(request, "surv")
        found = Survey.objects.seen_by(act).older_than(after).newest_first()
        rows = list(found[: limit + 1])
        page = paging.page(rows, limit, lambda one: str(one.id), shapes.listed_survey)
        return Response(page)


class SurveyDetail(ApiView):
    """`/v1/surveys/{survey_id}`"""

    @extend_schema(
        operation_id="get_survey",
        parameters=[SURVEY],
        responses={200: SurveyOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, survey_id: str) -> Response:
        """Return in which share of its sessions a check broke, by release and model."""
        act = act_of(request)
        found = Survey.objects.seen_by(act).one(survey_id)
        return Response(shapes.survey_object(found, act))
