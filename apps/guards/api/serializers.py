"""What the API of budgets and prices takes and answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.guards.errors import UnacceptableBudget
from apps.guards.words import Measure, OnReach, Period
from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text
from apps.timeline.errors import UnacceptableUsage
from apps.timeline.hooks import money


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})
class AmountField(serializers.Field[Any, Any, Any, Any]):
    """A whole number, or decimal text; never a float."""

    def to_internal_value(self, data: Any) -> Decimal:
        if type(data) is int and 0 <= data <= 2**53:
            return Decimal(data)
        try:
            return money(str(self.field_name), data)
        except UnacceptableUsage as refused:
            raise UnacceptableBudget(
                refused.message, param=str(self.field_name)
            ) from None

    def to_representation(self, value: Any) -> str:
        return f"{value.normalize():f}"


@extend_schema_field(
    {
        "type": "object",
        "description": "By model, what a million tokens cost, as decimal text.",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "input": {"type": "string"},
                "output": {"type": "string"},
                "cached": {"type": "string"},
            },
            "required": ["input", "output"],
        },
    }
)
class RatesField(ObjectField):
    """What models cost; the operation says what of it is no price."""


def chosen(choices: type[Any], help_text: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(
        choices=choices.choices, required=False, allow_null=True, help_text=help_text
    )


class TermsInput(InputSerializer):
    """What happens when it is reached, and from when on it warns."""

    on_reach = chosen(OnReach, "What happens when it is reached; `pause` if not said.")
    warn_percent = WholeNumberField(
        min_value=1, max_value=99, help_text="It warns once from this share on; 80."
    )
    ask_for = AmountField(
        required=False, allow_null=True, help_text="How much more `ask` asks for."
    )


@extend_schema_serializer(component_name="CreateBudget")
class BudgetInput(TermsInput):
    """How much a session, an agent or a release may use."""

    session_id = TextField(help_text="Of this session; else give `agent_id`.")
    agent_id = TextField(help_text="Your name of the agent, or our id.")
    release = TextField(help_text="Of this release of the agent alone.")
    measure = serializers.ChoiceField(
        choices=Measure.choices, help_text="What is counted."
    )
    limit = AmountField(help_text="How much may be used.")
    currency = TextField(help_text="Of a cost: three capital letters.")
    period = chosen(
        Period,
        "Since when an agent's or a release's counts; `total` if not said: since the "
        "hour in which it was made.",
    )


@extend_schema_serializer(component_name="ChangeBudget")
class BudgetChange(TermsInput):
    """What is to be otherwise; a null of `warn_percent` warns no more."""

    limit = AmountField(required=False, help_text="How much may be used from now on.")


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class NamesField(ListField):
    """Names of models."""

    def to_internal_value(self, data: Any) -> list[str]:
        found = super().to_internal_value(data)
        if not all(isinstance(one, str) for one in found):
            raise serializers.ValidationError("This must be a list of models.")
        return found


@extend_schema_serializer(component_name="CreatePriceList")
class PriceListInput(InputSerializer):
    """What models cost per million tokens, from a moment on."""

    valid_from = TextField(help_text="ISO 8601; now if not said.")
    currency = TextField(required=True, allow_null=False)
    models = RatesField(required=True, allow_null=False)
    drops = NamesField(help_text="Models of the list before that have no price here.")


class AmountOutput(serializers.CharField):
    """An amount, as decimal text."""


@extend_schema_serializer(component_name="Budget")
class BudgetOutput(Output):
    """A budget, and how much of it is used."""

    object = text()
    id = text()
    scope = text("session, agent or release")
    agent_id = text("Your name of the agent.")
    session_id = maybe_text()
    release = maybe_text()
    measure = serializers.ChoiceField(choices=Measure.choices)
    limit = AmountOutput()
    used = AmountOutput(help_text="Of turns that said so; the others are not known.")
    currency = maybe_text()
    period = serializers.ChoiceField(choices=Period.choices)
    since = serializers.DateTimeField(help_text="Since when it counts.")
    on_reach = serializers.ChoiceField(choices=OnReach.choices)
    warn_percent = serializers.IntegerField(allow_null=True)
    ask_for = serializers.CharField(allow_null=True)
    warned_at = serializers.DateTimeField(allow_null=True)
    reached_at = serializers.DateTimeField(allow_null=True)
    approval_id = maybe_text("By which people are asked for more.")
    created_by = text()
    created_at = serializers.DateTimeField()


class BudgetListOutput(ListEnvelope):
    """One page of budgets."""

    data = BudgetOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="PriceList")
class PriceListOutput(Output):
    """What models cost from a moment on."""

    object = text()
    id = text()
    valid_from = serializers.DateTimeField()
    currency = text()
    models = RatesField(required=True, allow_null=False)
    created_by = text()
    created_at = serializers.DateTimeField()


class PriceListListOutput(ListEnvelope):
    """One page of price lists."""

    data = PriceListOutput(many=True)  # type: ignore[assignment]
