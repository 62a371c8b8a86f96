"""Forms of alert rules, for administrators."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django import forms

from apps.console.forms.metrics import WINDOWS, MomentField
from apps.diffs.text import visible
from apps.metrics.models import Metric, Rule
from apps.metrics.operations import DEFAULTS

METRICS = {
    Metric.ROLLBACK_RATE: "rollback rate",
    Metric.ROLLBACKS_PER_SESSION: "rollbacks per session",
}
HOURS = {"1": "1 h", "8": "8 h", "24": "24 h"}
LONGEST_SILENCE = timedelta(days=400)
PLAIN = {"autocomplete": "off"}


class AlertForm(forms.Form):
    """When somebody is to be told, and who besides the webhooks."""

    name = forms.CharField(max_length=120, widget=forms.TextInput(attrs=PLAIN))
    metric = forms.ChoiceField(
        choices=[(one.value, words) for one, words in METRICS.items()],
        initial=DEFAULTS["metric"],
    )
    threshold = forms.DecimalField(
        label="From … %",
        min_value=Decimal("0.0001"),
        max_value=10_000,
        max_digits=12,
        decimal_places=4,
        initial=5,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    window = forms.ChoiceField(
        label="In the", choices=list(WINDOWS.items()), initial=DEFAULTS["window"]
    )
    minimum_sample = forms.IntegerField(
        label="Of sessions, at least",
        min_value=1,
        max_value=1_000_000,
        initial=DEFAULTS["minimum_sample"],
    )
    for_minutes = forms.IntegerField(
        label="For minutes",
        min_value=0,
        max_value=100_000,
        initial=DEFAULTS["for_minutes"],
    )
    agent = forms.CharField(
        label="Agent, empty for all",
        required=False,
        max_length=255,
        strip=False,
        widget=forms.TextInput(attrs={**PLAIN, "spellcheck": "false"}),
    )
    email = forms.CharField(
        label="Mail to",
        required=False,
        max_length=254,
        widget=forms.EmailInput(attrs=PLAIN),
    )

    def fields_said(self) -> dict[str, Any]:
        """Return what a valid form says, as the verbs take it."""
        said = dict(self.cleaned_data)
        return said | {
            "threshold": float(said["threshold"] / 100),
            "agent": said["agent"] or None,
        }


def as_it_is(rule: Rule, agent: str | None) -> dict[str, Any]:
    """Return a rule as its form shows it; an agent whose name hides something by id."""
    names = ("name", "metric", "window", "minimum_sample", "for_minutes", "email")
    return {name: getattr(rule, name) for name in names} | {
        "threshold": f"{rule.threshold * 100:.10g}",
        "agent": rule.agent_id if agent and visible(agent) != agent else agent,
    }


class SilenceForm(forms.Form):
    """For how long nobody is told: some hours, until a moment, or no longer."""

    hours = forms.ChoiceField(required=False, choices=[("0", "end"), *HOURS.items()])
    until = MomentField(label="Until (UTC)", required=False, max_length=40)

    def __init__(self, data: Any = None, *, now: datetime) -> None:
        super().__init__(data)
        self.now = now

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        hours, until = said.get("hours"), said.get("until")
        if not self.errors and bool(hours) == bool(until):
            raise forms.ValidationError("Choose hours, or a moment until when.")
        if until and not self.now < until <= self.now + LONGEST_SILENCE:
            days = LONGEST_SILENCE.days
            self.add_error("until", f"A moment to come, within {days} days.")
        return said

    def end(self) -> datetime | None:
        """Return until when a valid form says; None ends it."""
        if self.cleaned_data["until"]:
            return self.cleaned_data["until"]  # type: ignore[no-any-return]
        hours = int(self.cleaned_data["hours"])
        return self.now + timedelta(hours=hours) if hours else None
