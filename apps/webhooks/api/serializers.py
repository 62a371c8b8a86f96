"""What the API of webhooks takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import TextField
from apps.core.outbound import addresses
from apps.webhooks.kinds import KINDS
from apps.webhooks.models import Format, Progress, Status
from apps.webhooks.operations import LONGEST_DESCRIPTION

Input = serializers.Serializer[Any]
EVENTS = "Some of: " + ", ".join(KINDS) + "."
FORMAT = "`stepback`: the whole message; `slack`: a sentence, as Slack takes it."


@extend_schema_serializer(component_name="UpdateWebhook")
class WebhookInput(Input):
    """What may be changed about a webhook; null means not said."""

    url = TextField(
        required=False,
        allow_null=True,
        max_length=addresses.LONGEST_URL,
        help_text="https, to a public address; the port 443, or 1024 and above.",
    )
    events = serializers.ListField(
        child=TextField(max_length=64, allow_null=False),
        required=False,
        allow_null=True,
        max_length=len(KINDS),
        help_text=EVENTS,
    )
    description = TextField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
    )
    format = serializers.ChoiceField(
        choices=Format.choices,
        required=False,
        allow_null=True,
        help_text=FORMAT,
    )
    enabled = serializers.BooleanField(
        required=False, allow_null=True, help_text="Switches it on or off."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in attrs.items() if value is not None}


@extend_schema_serializer(component_name="CreateWebhook")
class CreateWebhookInput(Input):
    """A new webhook: where to send, and what."""

    url = TextField(
        required=True,
        max_length=addresses.LONGEST_URL,
        allow_null=False,
        help_text="https, to a public address; the port 443, or 1024 and above.",
    )
    events = serializers.ListField(
        child=TextField(max_length=64, allow_null=False),
        max_length=len(KINDS),
        help_text=EVENTS,
    )
    description = TextField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
    )
    format = serializers.ChoiceField(
        choices=Format.choices,
        required=False,
        allow_null=True,
        help_text=FORMAT,
    )


@extend_schema_serializer(component_name="Webhook")
class WebhookOutput(serializers.Serializer[Any]):
    """A webhook, without its secret."""

    object = serializers.CharField()
    id = serializers.CharField()
    url = serializers.CharField()
    description = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    format = serializers.ChoiceField(choices=Format.choices, help_text=FORMAT)
    status = serializers.ChoiceField(choices=Status.choices)
    secret_prefix = serializers.CharField(help_text="How the secret begins.")
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    last_delivered_at = serializers.DateTimeField(allow_null=True)
    failing_since = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="WebhookWithSecret")
class WebhookWithSecretOutput(WebhookOutput):
    """A webhook whose secret was just made: it is shown this once."""

    secret = serializers.CharField(
        allow_null=True,
        help_text="What signs; shown this once. Null in a repeated answer, where there "
        "is another one by now.",
    )


@extend_schema_serializer(component_name="WebhookList")
class WebhookListOutput(serializers.Serializer[Any]):
    """A page of webhooks, the newest first."""

    object = serializers.CharField()
    data = WebhookOutput(many=True)  # type: ignore[assignment]
    has_more = serializers.BooleanField()
    first_id = serializers.CharField(allow_null=True)
    last_id = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="WebhookDelivery")
class DeliveryOutput(serializers.Serializer[Any]):
    """One message on its way to a webhook."""

    object = serializers.CharField()
    id = serializers.CharField()
    webhook_id = serializers.CharField()
    event_id = serializers.CharField(help_text="The `id` of what is sent.")
    type = serializers.CharField()
    resource_id = serializers.CharField(help_text="The session that it speaks of.")
    version = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(choices=Progress.choices)
    attempts = serializers.IntegerField()
    status_code = serializers.IntegerField(
        allow_null=True, help_text="Of the last attempt's answer."
    )
    error = serializers.CharField(
        allow_null=True, help_text="Why the last attempt got none that counts."
    )
    duration_ms = serializers.IntegerField(allow_null=True)
    attempted_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


@extend_schema_serializer(component_name="WebhookDeliveryList")
class DeliveryListOutput(serializers.Serializer[Any]):
    """A page of a webhook's log, the newest first."""

    object = serializers.CharField()
    data = DeliveryOutput(many=True)  # type: ignore[assignment]
    has_more = serializers.BooleanField()
    first_id = serializers.CharField(allow_null=True)
    last_id = serializers.CharField(allow_null=True)
