"""Policies over REST: make, list, enable with a preview, disable; previews, removals.

A policy is never changed: make another, and enable it in place of the one before.
"""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core import paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.retention import operations as retention
from apps.retention.api.base import AFTER, LIMIT, RetentionView, named
from apps.retention.api.inputs import EnableInput, PolicyInput, PreviewInput
from apps.retention.api.outputs import (
    PolicyListOutput,
    PolicyOutput,
    PreviewListOutput,
    PreviewOutput,
    RemovalListOutput,
    RemovalOutput,
)
from apps.retention.models import Policy, Removal
from apps.retention.shapes import policy_object, preview_object, removal_object
from apps.timeline.api import parameters

POLICY = named("policy_id", "policy")
OF_POLICY = parameters.text("policy_id", "Those of one policy.")


class PolicyCollection(RetentionView):
    """`/v1/retention/policies`"""

    @extend_schema(
        operation_id="make_retention_policy",
        parameters=[IDEMPOTENCY_KEY],
        request=PolicyInput,
        responses={201: PolicyOutput} | errors(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Make a policy; nothing goes before it was previewed and enabled."""
        body = self.read(PolicyInput)

        def verb(act: Act) -> Policy:
            agent = body.validated_data.get("agent_id")
            return retention.make_policy(act=act, terms=body.terms(), agent=agent)

        return self.answer(request, verb, policy_object, status=201)

    @extend_schema(
        operation_id="list_retention_policies",
        parameters=[LIMIT, AFTER],
        responses={200: PolicyListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List policies, the newest first, those that are not enabled too."""
        found = Policy.objects.of_project(self.project_id)
        return self.page(request, found, policy_object, "rpol")


class PolicyDetail(RetentionView):
    """`/v1/retention/policies/{policy_id}`"""

    @extend_schema(
        operation_id="get_retention_policy",
        parameters=[POLICY],
        responses={200: PolicyOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, policy_id: str) -> Response:
        """Return a policy."""
        mine = Policy.objects.of_project(self.project_id)
        return Response(policy_object(mine.one(policy_id)))


class PolicyEnabling(RetentionView):
    """`/v1/retention/policies/{policy_id}/enable`"""

    @extend_schema(
        operation_id="enable_retention_policy",
        parameters=[POLICY, IDEMPOTENCY_KEY],
        request=EnableInput,
        responses={200: PolicyOutput}
        | errors(400, 401, 403, 404, 409, 413, 422, 429, 503),
    )
    def post(self, request: Request, policy_id: str) -> Response:
        """Have the hourly sweep run it, in place of the one before it."""
        preview_id = self.read(EnableInput).validated_data["preview_id"]

        def verb(act: Act) -> Policy:
            return retention.enable_policy(
                act=act, policy_id=policy_id, preview_id=preview_id
            )

        return self.answer(request, verb, policy_object)


class PolicyDisabling(RetentionView):
    """`/v1/retention/policies/{policy_id}/disable`"""

    @extend_schema(
        operation_id="disable_retention_policy",
        parameters=[POLICY, IDEMPOTENCY_KEY],
        request=None,
        responses={200: PolicyOutput} | errors(400, 401, 403, 404, 422, 429, 503),
    )
    def post(self, request: Request, policy_id: str) -> Response:
        """Have nothing go by it any more, from this answer on. Takes no body."""

        def verb(act: Act) -> Policy:
            return retention.disable_policy(act=act, policy_id=policy_id)

        return self.answer(request, verb, policy_object)


class PreviewCollection(RetentionView):
    """`/v1/retention/previews`"""

    @extend_schema(
        operation_id="ask_retention_preview",
        parameters=[IDEMPOTENCY_KEY],
        request=PreviewInput,
        responses={202: PreviewOutput} | errors(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Have it counted what a policy would take; read the preview to follow it."""
        policy_id = self.read(PreviewInput).validated_data["policy_id"]

        def verb(act: Act) -> Removal:
            return retention.ask_preview(act=act, policy_id=policy_id)

        return self.answer(request, verb, preview_object, status=202)

    @extend_schema(
        operation_id="list_retention_previews",
        parameters=[OF_POLICY, LIMIT, AFTER],
        responses={200: PreviewListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List previews, the newest first."""
        found = Removal.objects.of_project(self.project_id).previews()
        policy_id = paging.text_of(request, "policy_id")
        return self.page(request, found.of_policy(policy_id), preview_object, "prev")


class PreviewDetail(RetentionView):
    """`/v1/retention/previews/{preview_id}`"""

    @extend_schema(
        operation_id="get_retention_preview",
        parameters=[named("preview_id", "preview")],
        responses={200: PreviewOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, preview_id: str) -> Response:
        """Return a preview: `ready` once it is counted, and how far it looked."""
        mine = Removal.objects.of_project(self.project_id)
        return Response(preview_object(mine.one_preview(preview_id)))


class RemovalCollection(RetentionView):
    """`/v1/retention/removals`"""

    @extend_schema(
        operation_id="list_removals",
        parameters=[OF_POLICY, LIMIT, AFTER],
        responses={200: RemovalListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List what sweeps have taken, the newest first.

        A sweep that finds nothing to do leaves none; a policy says when it was last
        swept.
        """
        found = Removal.objects.of_project(self.project_id).removals()
        policy_id = paging.text_of(request, "policy_id")
        return self.page(request, found.of_policy(policy_id), removal_object, "rmvl")


class RemovalDetail(RetentionView):
    """`/v1/retention/removals/{removal_id}`"""

    @extend_schema(
        operation_id="get_removal",
        parameters=[named("removal_id", "removal")],
        responses={200: RemovalOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, removal_id: str) -> Response:
        """Return a removal: how far it is, what has gone, and what stayed."""
        mine = Removal.objects.of_project(self.project_id)
        return Response(removal_object(mine.one_removal(removal_id)))
