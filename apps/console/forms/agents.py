"""Query strings of the list of agents, and the form that suspends one."""

from django import forms

from apps.agents.models import AgentStatus
from apps.agents.operations import LONGEST_REASON


class AgentsForm(forms.Form):
    """Filter and place in the list of agents."""

    status = forms.ChoiceField(
        required=False, choices=[("", "any"), *AgentStatus.choices]
    )
    after = forms.RegexField(
        regex=r"\Aagent_[0-9a-z]{26}\Z", required=False, widget=forms.HiddenInput
    )


class SuspendForm(forms.Form):
    """Why an agent is suspended."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Say why, for who finds it suspended."},
    )
