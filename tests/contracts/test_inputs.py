"""What callers may send: clients send null for every field that they leave unset."""

import inspect
from typing import Any

import pytest
from rest_framework import serializers

from apps.agents.api.serializers import AgentInput, CreateAgentInput
from apps.timeline.api.inputs import holds, rollbacks, sessions, states, turns
from apps.timeline.api.migrating import inputs as migrating
from apps.timeline.api.summaries import inputs as summaries
from apps.webhooks.api.serializers import CreateWebhookInput, WebhookInput

INPUTS = [AgentInput, CreateAgentInput, WebhookInput, CreateWebhookInput] + [
    kind
    for module in (holds, migrating, rollbacks, sessions, states, summaries, turns)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, serializers.Serializer) and kind.__module__ == module.__name__
]
OPTIONAL = [
    pytest.param(kind, name, id=f"{kind.__name__}.{name}")
    for kind in INPUTS
    for name, field in kind().fields.items()
    if not field.required
]


@pytest.mark.parametrize(("kind", "name"), OPTIONAL)
def test_an_optional_field_accepts_null(kind: Any, name: str) -> None:
    given = kind(data={name: None})

    given.is_valid()

    said = [str(one) for one in given.errors.get(name, [])]
    assert "This field may not be null." not in said
