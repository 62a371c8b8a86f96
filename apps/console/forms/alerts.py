"""Forms of alert rules, for administrators; of who has one, for operators."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django import forms

from apps.console.forms.metrics import WINDOWS, MomentField
from apps.console.forms.sending import OnceForm, ShownForm
from apps.diffs.text import visible
from apps.metrics.alerting import DEFAULTS, minute_of, time_of
from apps.metrics.alerting.measures import METRICS, Unit, about
from apps.metrics.models import Each, Rule

HOURS = {"1": "1 h", "8": "8 h", "24": "24 h"}
LONGEST_SILENCE = timedelta(days=400)
PLAIN = {"autocomplete": "off"}
EACH = [
    ("", "all together, or one"),
    (Each.AGENT.value, "each agent"),
    (Each.RELEASE.value, "each release"),
]
UNITS = {Unit.SHARE: "%", Unit.SECONDS: "s", Unit.DEVIATIONS: "deviations"}


class TimeField(forms.CharField):
    """A time of day; nothing is none."""

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        minute = minute_of(text) if text else None
        if text and minute is None:
            raise forms.ValidationError("A time of day, as 22:00.")
        return minute


class AlertForm(OnceForm, ShownForm):
    """When somebody is to be told, and who besides the webhooks."""

    name = forms.CharField(max_length=120, widget=forms.TextInput(attrs=PLAIN))
    metric = forms.ChoiceField(
        choices=[
            (one.value, f"{about.title}, {UNITS[about.unit]}")
            for one, about in METRICS.items()
        ],
        initial=DEFAULTS["metric"],
    )
    threshold = forms.DecimalField(
        label="Fires from … on",
        min_value=Decimal("0.0001"),
        max_value=86_400,
        max_digits=12,
        decimal_places=4,
        initial=5,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    window = forms.ChoiceField(
        label="In the", choices=list(WINDOWS.items()), initial=DEFAULTS["window"]
    )
    minimum_sample = forms.IntegerField(
        label="Of sessions, calls or turns, at least",
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
    each = forms.ChoiceField(label="Of", required=False, choices=EACH)
    agent = forms.CharField(
        label="Agent, empty for all",
        required=False,
        max_length=255,
        strip=False,
        widget=forms.TextInput(attrs={**PLAIN, "spellcheck": "false"}),
    )
    release = forms.CharField(
        label="Release of the agent, empty for all",
        required=False,
        max_length=200,
        strip=False,
        widget=forms.TextInput(attrs={**PLAIN, "spellcheck": "false"}),
    )
    email = forms.CharField(
        label="Mail to",
        required=False,
        max_length=254,
        widget=forms.EmailInput(attrs=PLAIN),
    )
    quiet_from = TimeField(
        label="Quiet every day from",
        required=False,
        max_length=5,
        widget=forms.TextInput(attrs={**PLAIN, "placeholder": "22:00"}),
    )
    quiet_to = TimeField(
        label="to",
        required=False,
        max_length=5,
        widget=forms.TextInput(attrs={**PLAIN, "placeholder": "07:00"}),
    )
    quiet_zone = forms.CharField(
        label="by the clocks of",
        required=False,
        max_length=64,
        widget=forms.TextInput(attrs={**PLAIN, "placeholder": "UTC"}),
    )

    def fields_said(self) -> dict[str, Any]:
        """Return what a valid form says, as the verbs take it."""
        said = {**self.cleaned_data}
        said.pop("key")
        said.pop("seen")
        share = about(said["metric"]).unit is Unit.SHARE
        return said | {
            "threshold": float(said["threshold"] / 100 if share else said["threshold"]),
            "agent": said["agent"] or None,
            "release": said["release"] or None,
            "quiet_zone": said["quiet_zone"] or "UTC",
        }


def as_it_is(rule: Rule, agent: str | None) -> dict[str, Any]:
    """Return a rule as its form shows it; an agent whose name hides something by id."""
    names = (
        *("name", "metric", "window", "minimum_sample", "for_minutes", "email"),
        *("each", "release", "quiet_zone"),
    )
    factor = 100 if about(rule.metric).unit is Unit.SHARE else 1
    return {name: getattr(rule, name) for name in names} | {
        "threshold": f"{rule.threshold * factor:.10g}",
        "agent": rule.agent_id if agent and visible(agent) != agent else agent,
        "quiet_from": time_of(rule.quiet_from),
        "quiet_to": time_of(rule.quiet_to),
        "seen": rule.as_shown,
    }


class OwnerForm(forms.Form):
    """Who takes on what fires; nothing is whoever says so."""

    owner = forms.CharField(label="Owner", required=False, max_length=150)


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
