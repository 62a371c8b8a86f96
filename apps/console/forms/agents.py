"""Query strings of the list of agents, and the form that stops one."""

from typing import Any

from django import forms

from apps.agents.models import AgentStatus
from apps.agents.operations import LONGEST_NAME, LONGEST_REASON, LONGEST_TAG
from apps.console.forms.sending import FilterForm, ShownForm
from apps.core.errors import DomainError
from apps.core.json import parse_object
from apps.data.operations.governing.floors import MAX_FLOOR_BYTES
from apps.memory.models import Mode


class AgentsForm(FilterForm):
    """Filter and place in the list of agents."""

    status = forms.ChoiceField(
        required=False, choices=[("", "any but deleted"), *AgentStatus.choices]
    )
    owner = forms.CharField(required=False, max_length=LONGEST_NAME)
    team = forms.CharField(required=False, max_length=LONGEST_NAME)
    tag = forms.CharField(required=False, max_length=LONGEST_TAG)
    after = forms.RegexField(
        regex=r"\Aagent_[0-9a-z]{26}\Z", required=False, widget=forms.HiddenInput
    )

    def asked(self) -> dict[str, str]:
        """Return what a valid query narrows the list by."""
        return {
            name: said
            for name in ("status", "owner", "team", "tag")
            if (said := self.cleaned_data[name])
        }


class FormationForm(forms.Form):
    """How an agent's turns form memories."""

    mode = forms.ChoiceField(choices=Mode.choices)


class FloorForm(ShownForm):
    """A project's policies, as a config says them."""

    policies = forms.CharField(
        label="Policies",
        help_text='As under "policies" in a config: {"block_secrets": true}, or {}.',
        max_length=MAX_FLOOR_BYTES,
        widget=forms.Textarea(
            attrs={"autocomplete": "off", "spellcheck": "false", "rows": 12}
        ),
    )

    def clean_policies(self) -> dict[str, Any]:
        try:
            return parse_object(self.cleaned_data["policies"].encode())
        except DomainError as refused:
            raise forms.ValidationError(refused.message) from None


class ReasonForm(forms.Form):
    """Why an agent is suspended or deleted."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Say why, for who finds it stopped."},
    )
