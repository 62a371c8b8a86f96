"""What the API of approvals answers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.approvals.words import Class, Expiry, Status, Verdict, Who
from apps.core.http.input.fields import ObjectField
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)


class WithClass(Output):
    """Add the field that Python has no name for."""

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "class": self.of_class()}

    def of_class(self) -> serializers.ChoiceField:
        return serializers.ChoiceField(choices=Class.choices)


@extend_schema_serializer(component_name="ApprovalVote")
class VoteOutput(Output):
    """A person's vote, or what time did."""

    verdict = serializers.ChoiceField(choices=Verdict.choices)
    by = text("Who voted; the system where time did it.")
    comment = maybe_text()
    late = serializers.BooleanField(
        help_text="Whether it came after the outcome, and changed nothing."
    )
    at = serializers.DateTimeField()


@extend_schema_serializer(component_name="ApprovalChange")
class ChangedFact(Output):
    """A fact that was not as remembered: both values, or that nobody knows."""

    key = text()
    status = serializers.ChoiceField(choices=("changed", "too_old", "not_given"))
    was = serializers.JSONField(help_text="As it was remembered.")
    now = serializers.JSONField(
        required=False, help_text="As it was found; left out where nobody knows."
    )


@extend_schema_serializer(component_name="ApprovalOutcome")
class OutcomeOutput(Output):
    """What came of it: go on with this."""

    approved = serializers.BooleanField()
    comment = maybe_text("Of whoever decided last.")
    arguments = ObjectField(
        required=True,
        allow_null=True,
        help_text="Those that are allowed, where it is approved: of the request, or as "
        "people edited them.",
    )
    edited = serializers.BooleanField(help_text="Whether people edited them.")
    version = maybe_number("The version `decide`.")
    decided_by = maybe_text()
    decided_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Approval")
class ApprovalOutput(WithClass):
    """What people are asked to allow, and what they said."""

    object = text()
    id = text()
    session_id = text()
    agent_id = text("Your name of the agent.")
    version = serializers.IntegerField(help_text="The version `wait`.")
    key = maybe_text()
    tool = text()
    arguments = ObjectField(required=True, allow_null=False)
    schema = ObjectField(required=True, allow_null=True)
    reason = maybe_text()
    depends_on = serializers.ListField(child=serializers.CharField())
    votes_needed = serializers.IntegerField()
    who = serializers.ChoiceField(choices=Who.choices)
    on_expiry = serializers.ChoiceField(choices=Expiry.choices)
    rule_id = maybe_text("The rule of the agent that it is held to.")
    replaces = maybe_text("The one in place of which it was asked again.")
    changes = ChangedFact(
        many=True, allow_null=True, help_text="What of its facts had failed a check."
    )
    status = serializers.ChoiceField(choices=Status.choices)
    escalated = serializers.BooleanField(
        help_text="Whether administrators alone decide by now."
    )
    requested_by = text()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(
        help_text="When it is rejected, or handed to administrators for as long again."
    )
    votes = VoteOutput(many=True)
    outcome = OutcomeOutput(allow_null=True)


@extend_schema_serializer(component_name="ApprovalList")
class ApprovalListOutput(ListEnvelope):
    """A page of approvals."""

    data = ApprovalOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="ApprovalRule")
class RuleOutput(WithClass):
    """When an agent's requests are held to these terms."""

    object = text()
    id = text()
    agent_id = text("Our id of the agent.")
    tool = maybe_text()
    check = maybe_text()
    votes = serializers.IntegerField()
    who = serializers.ChoiceField(choices=Who.choices)
    expires_in = serializers.IntegerField()
    on_expiry = serializers.ChoiceField(choices=Expiry.choices)
    created_at = serializers.DateTimeField()
    created_by = text()

    def of_class(self) -> serializers.ChoiceField:
        return serializers.ChoiceField(choices=Class.choices, allow_null=True)


@extend_schema_serializer(component_name="ApprovalRuleList")
class RuleListOutput(ListEnvelope):
    """All rules of an agent, in the order in which they are asked."""

    data = RuleOutput(many=True)  # type: ignore[assignment]
