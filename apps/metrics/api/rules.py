"""Alert rules over REST, for keys of administrators that speak for every agent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.core.time.moments import utc_text
from apps.metrics import operations as metrics
from apps.metrics import ranges
from apps.metrics.alerting import CLOCK, minute_of, time_of
from apps.metrics.models import Each, Metric, Rule
from apps.metrics.querysets import RuleQuerySet
from apps.timeline.api import parameters
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text

RULE = OpenApiParameter(
    "rule_id", str, OpenApiParameter.PATH, description="The rule's `id`."
)

# When it keeps quiet: told as people write it, kept as minutes after midnight.
TIMES = {"quiet_from", "quiet_to"}
TIME: dict[str, Any] = {
    "required": False,
    "allow_null": True,
    "help_text": "As 22:00.",
    "error_messages": {"invalid": "A time of day, as 22:00."},
}


class RuleOutput(Output):
    """When somebody is to be told, and where things stand."""

    object = text()
    id = text()
    name = text()
    agent_id = maybe_text("Your name of the agent; null is the whole project.")
    release = maybe_text("A release of that agent; null is all of them.")
    each = text("agent or release: it stands for a rule of each; else empty.")
    parent_id = maybe_text("The rule for each that it follows.")
    metric = text()
    window = text()
    threshold = serializers.FloatField(
        help_text="0.05 for 5 %; seconds of latency and lag; else deviations."
    )
    minimum_sample = serializers.IntegerField()
    for_minutes = serializers.IntegerField()
    email = text()
    is_active = serializers.BooleanField()
    silenced_until = serializers.DateTimeField(allow_null=True)
    quiet_from = maybe_text("Every day from this time on nobody is told.")
    quiet_to = maybe_text("Until this one.")
    quiet_zone = text("Of this time zone.")
    owner = text("Who has taken it on while it fires; else empty.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    state = text("ok, pending, firing or resolved")
    since = serializers.DateTimeField(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    sample = serializers.IntegerField()
    evaluated_at = serializers.DateTimeField(allow_null=True)


class RuleList(ListEnvelope):
    data = RuleOutput(many=True)  # type: ignore[assignment]


class RuleChange(serializers.Serializer[Any]):
    """What is to be another way."""

    name = serializers.CharField(required=False, max_length=120)
    agent_id = serializers.CharField(required=False, allow_null=True, max_length=255)
    metric = serializers.ChoiceField(required=False, choices=Metric.values)
    window = serializers.ChoiceField(required=False, choices=list(ranges.WINDOWS))
    threshold = serializers.FloatField(required=False)
    minimum_sample = serializers.IntegerField(
        required=False, min_value=1, max_value=1_000_000
    )
    for_minutes = serializers.IntegerField(
        required=False, min_value=0, max_value=100_000
    )
    email = serializers.CharField(required=False, allow_blank=True, max_length=254)
    is_active = serializers.BooleanField(required=False)
    silenced_until = serializers.DateTimeField(required=False, allow_null=True)
    release = serializers.CharField(required=False, allow_null=True, max_length=200)
    each = serializers.ChoiceField(
        required=False, choices=Each.choices, allow_blank=True
    )
    quiet_from = serializers.RegexField(CLOCK, **TIME)
    quiet_to = serializers.RegexField(CLOCK, **TIME)
    quiet_zone = serializers.CharField(required=False, max_length=64)


class RuleInput(RuleChange):
    """A rule; what is not said is as in the guide's rules."""

    name = serializers.CharField(max_length=120)
    threshold = serializers.FloatField()


class RuleOwner(serializers.Serializer[Any]):
    """Who takes on what fires."""

    owner = serializers.CharField(
        required=False, max_length=150, help_text="The name of a member."
    )


class RuleView(AdministratorView):
    """Administrators' keys alone; rules look at agents that a limited key may not."""

    refusal = "This key is limited to some agents; alert rules are of all."

    def act_on(
        self, request: Request, verb: Callable[..., Rule | None], *, status: int = 200
    ) -> Response:
        """Answer the rule that a verb returns."""

        def perform(act: Act) -> Body:
            rule = verb(act=act)
            if rule is None:
                return status, b""
            return status, json.dumps(shape(rule, _names([rule])))

        return self.perform(request, perform)

    def mine(self) -> RuleQuerySet:
        return Rule.objects.of_project(self.caller.project.id)


class RuleCollection(RuleView):
    """`/v1/alerts`"""

    @extend_schema(
        operation_id="list_alert_rules",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
        ],
        responses={200: RuleList, **errors(400, 401, 403)},
    )
    def get(self, request: Request) -> Response:
        """List alert rules and where they stand, the oldest first."""
        limit = paging.limit_of(request)
        found = self.mine().order_by("id")
        after = paging.cursor_of(request, "rule")
        if after is not None:
            found = found.filter(id__gt=after)
        rules = list(found[: limit + 1])
        names = _names(rules)
        page = paging.page(
            rules, limit, lambda one: str(one.id), lambda one: shape(one, names)
        )
        return Response(page)

    @extend_schema(
        operation_id="create_alert_rule",
        parameters=[IDEMPOTENCY_KEY],
        request=RuleInput,
        responses={201: RuleOutput, **errors(400, 401, 403, 404, 413, 422)},
    )
    def post(self, request: Request) -> Response:
        """Make an alert rule."""
        fields = _fields(self.read(RuleInput))
        verb = partial(metrics.make_rule, fields=fields)
        return self.act_on(request, verb, status=201)


class RuleDetail(RuleView):
    """`/v1/alerts/{rule_id}`"""

    @extend_schema(
        operation_id="get_alert_rule",
        parameters=[RULE],
        responses={200: RuleOutput, **errors(401, 403, 404)},
    )
    def get(self, request: Request, rule_id: str) -> Response:
        """Return an alert rule and where it stands."""
        rule = self.mine().one(rule_id)
        return Response(shape(rule, _names([rule])))

    @extend_schema(
        operation_id="change_alert_rule",
        parameters=[RULE, IDEMPOTENCY_KEY],
        request=RuleChange,
        responses={200: RuleOutput, **errors(400, 401, 403, 404, 413, 422)},
    )
    def patch(self, request: Request, rule_id: str) -> Response:
        """Set what is said; `silenced_until` keeps it quiet until then."""
        fields = _fields(self.read(RuleChange))
        verb = partial(metrics.change_rule, rule_id=rule_id, fields=fields)
        return self.act_on(request, verb)

    @extend_schema(
        operation_id="delete_alert_rule",
        parameters=[RULE, IDEMPOTENCY_KEY],
        responses={204: None, **errors(400, 401, 403, 404, 422)},
    )
    def delete(self, request: Request, rule_id: str) -> Response:
        """Remove an alert rule."""
        verb = partial(metrics.remove_rule, rule_id=rule_id)
        return self.act_on(request, verb, status=204)


class RuleTest(RuleView):
    """`/v1/alerts/{rule_id}/test`"""

    @extend_schema(
        operation_id="test_alert_rule",
        parameters=[RULE, IDEMPOTENCY_KEY],
        request=None,
        responses={200: RuleOutput, **errors(400, 401, 403, 404, 422)},
    )
    def post(self, request: Request, rule_id: str) -> Response:
        """Tell webhooks and the rule's address that this is a test. Takes no body."""
        return self.act_on(
            request, lambda act: metrics.try_rule(rule_id=rule_id, act=act).rule
        )


class RuleAcknowledge(RuleView):
    """`/v1/alerts/{rule_id}/acknowledge`"""

    @extend_schema(
        operation_id="acknowledge_alert",
        parameters=[RULE, IDEMPOTENCY_KEY],
        request=RuleOwner,
        responses={200: RuleOutput, **errors(400, 401, 403, 404, 409, 413, 422)},
    )
    def post(self, request: Request, rule_id: str) -> Response:
        """Say who has what fires: a member, or else the key itself."""
        owner = self.read(RuleOwner).validated_data.get("owner")
        verb = partial(metrics.acknowledge_rule, rule_id=rule_id, owner=owner)
        return self.act_on(request, verb)


def shape(rule: Rule, names: dict[str, str]) -> dict[str, Any]:
    return {
        "object": "alert.rule",
        "id": rule.id,
        "name": rule.name,
        "agent_id": names.get(rule.agent_id) if rule.agent_id else None,
        "release": rule.release,
        "each": rule.each,
        "parent_id": rule.parent_id,
        "metric": rule.metric,
        "window": rule.window,
        "threshold": rule.threshold,
        "minimum_sample": rule.minimum_sample,
        "for_minutes": rule.for_minutes,
        "email": rule.email,
        "is_active": rule.is_active,
        "silenced_until": utc_text(rule.silenced_until),
        "quiet_from": time_of(rule.quiet_from) or None,
        "quiet_to": time_of(rule.quiet_to) or None,
        "quiet_zone": rule.quiet_zone,
        "owner": rule.owner,
        "acknowledged_at": utc_text(rule.acknowledged_at),
        "state": rule.state,
        "since": utc_text(rule.since),
        "value": rule.value,
        "sample": rule.sample,
        "evaluated_at": utc_text(rule.evaluated_at),
    }


def _fields(said: serializers.Serializer[Any]) -> dict[str, Any]:
    fields = dict(said.validated_data)
    if "agent_id" in fields:
        fields["agent"] = fields.pop("agent_id")
    for name in TIMES & fields.keys():
        fields[name] = minute_of(fields[name] or "")
    return fields


def _names(rules: list[Rule]) -> dict[str, str]:
    ids = [rule.agent_id for rule in rules if rule.agent_id]
    found = Agent.objects.filter(id__in=ids) if ids else Agent.objects.none()
    return dict(found.values_list("id", "external_id"))
