"""Experiments over REST: make, list, read, rename, close."""

from __future__ import annotations

from collections.abc import Callable

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import act_of, answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.experiments import operations as experiments
from apps.experiments.api import shapes
from apps.experiments.api.serializers import (
    ExperimentInput,
    ExperimentListOutput,
    ExperimentOutput,
    RenameInput,
)
from apps.experiments.models import Experiment
from apps.experiments.words import Status
from apps.timeline.api import parameters

WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 422, 429, 503)
EXPERIMENT = OpenApiParameter(
    "experiment_id", str, OpenApiParameter.PATH, description="The experiment's `id`."
)
AFTER = parameters.text("starting_after", "The `last_id` of the page before.")


class ExperimentView(ApiView):
    """What the views of experiments have in common."""

    def perform(
        self, request: Request, verb: Callable[[Act], Experiment], *, status: int = 200
    ) -> Response:
        """Answer with the experiment, done once for one idempotency key."""
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            return status, json.dumps(shapes.experiment_object(verb(act), act))

        return answered(request, scope=act.scope, perform=perform)


class ExperimentCollection(ExperimentView):
    """`/v1/experiments`"""

    @extend_schema(
        operation_id="make_experiment",
        parameters=[IDEMPOTENCY_KEY],
        request=ExperimentInput,
        responses={201: ExperimentOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request) -> Response:
        """Keep forks of one version together, with the checks that decide."""
        said = self.read(ExperimentInput).validated_data

        def verb(act: Act) -> Experiment:
            return experiments.make(
                act=act,
                name=said["name"],
                session_ids=said["sessions"],
                checks=said.get("checks", []),
            )

        return self.perform(request, verb, status=201)

    @extend_schema(
        operation_id="list_experiments",
        parameters=[
            parameters.limit(20),
            AFTER,
            OpenApiParameter(
                "status", str, enum=Status.values, description="How they stand."
            ),
        ],
        responses={200: ExperimentListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List experiments, the newest first."""
        act, limit = act_of(request), paging.limit_of(request)
        after = paging.cursor_of(request, "expt")
        status = paging.text_of(request, "status")
        if status is not None and status not in Status.values:
            raise InvalidRequest(
                f"status takes {', '.join(Status.values)}.", param="status"
            )
        found = Experiment.objects.seen_by(act.scope).with_status(status)
        rows = list(found.older_than(after).newest_first()[: limit + 1])
        return Response(
            paging.page(rows, limit, lambda one: str(one.id), shapes.listed_experiment)
        )


class ExperimentDetail(ExperimentView):
    """`/v1/experiments/{experiment_id}`"""

    @extend_schema(
        operation_id="get_experiment",
        parameters=[EXPERIMENT],
        responses={200: ExperimentOutput} | errors(401, 403, 404, 503),
    )
    def get(self, request: Request, experiment_id: str) -> Response:
        """Return the forks of an experiment side by side, as they are now."""
        act = act_of(request)
        found = Experiment.objects.seen_by(act.scope).one(experiment_id)
        return Response(shapes.experiment_object(found, act))

    @extend_schema(
        operation_id="rename_experiment",
        parameters=[EXPERIMENT, IDEMPOTENCY_KEY],
        request=RenameInput,
        responses={200: ExperimentOutput} | WRITE_ERRORS,
    )
    def patch(self, request: Request, experiment_id: str) -> Response:
        """Give an experiment another name, while it is open."""
        name = self.read(RenameInput).validated_data["name"]

        def verb(act: Act) -> Experiment:
            return experiments.rename(act=act, experiment_id=experiment_id, name=name)

        return self.perform(request, verb)


class ExperimentClose(ExperimentView):
    """`/v1/experiments/{experiment_id}/close`"""

    @extend_schema(
        operation_id="close_experiment",
        parameters=[EXPERIMENT, IDEMPOTENCY_KEY],
        request=None,
        responses={200: ExperimentOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request, experiment_id: str) -> Response:
        """Close an experiment: it stays to be read."""

        def verb(act: Act) -> Experiment:
            return experiments.close(act=act, experiment_id=experiment_id)

        return self.perform(request, verb)
