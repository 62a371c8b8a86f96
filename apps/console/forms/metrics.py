"""Query strings of the pages about metrics."""

from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.utils import timezone

from apps.console.pages.metrics import files
from apps.core.errors import InvalidRequest
from apps.core.time.moments import clock_text, moment
from apps.core.time.zones import zone_named
from apps.metrics import ranges
from apps.metrics.ranges import Range
from apps.metrics.rollback_list import RollbackFilter

WINDOWS = {
    "1h": "last hour",
    "24h": "last 24 hours",
    "7d": "last 7 days",
    "30d": "last 30 days",
}
LONGEST_VALUE = 200
# Beside the numbers of a time: those of the one before, unless they are not wanted.
COMPARE = [("", "the time before"), ("off", "nothing")]


class MomentField(forms.CharField):
    """A moment as people and links write it: ISO 8601, without a zone in this one."""

    def __init__(self, *, zone: tzinfo = UTC, **more: Any) -> None:
        super().__init__(**more)
        self.zone = zone

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            return moment(text, self.zone)
        except (ValueError, OverflowError):
            raise forms.ValidationError(
                "A date or a time, as in 2026-01-31 or 2026-01-31T12:00."
            ) from None


class ZoneField(forms.CharField):
    """The name of a time zone; without one it is UTC."""

    def clean(self, value: Any) -> tzinfo:
        zone = zone_named(super().clean(value) or "UTC")
        if zone is None:
            raise forms.ValidationError("There is no such time zone.")
        return zone


class RangeForm(forms.Form):
    """From when to when, and of which agent.

    `zone` is that of `from` and `to`: a link means the same to whoever follows it.
    """

    window = forms.ChoiceField(
        required=False, choices=[("", "a range"), *WINDOWS.items()]
    )
    zone = ZoneField(required=False, max_length=64)
    agent = forms.RegexField(regex=r"\Aagent_[0-9a-z]{26}\Z", required=False)
    compare = forms.ChoiceField(required=False, choices=COMPARE)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        zone = zone_named(data.get("zone", "")) or UTC
        # The one is a word of Python, which no class body takes as a name.
        for name in ("from", "to"):
            self.fields[name] = MomentField(zone=zone, required=False, max_length=40)
        self.order_fields(["window", "from", "to"])

    def range(self, now: datetime | None = None) -> Range:
        """Return what was asked for; without anything, the last day.

        Raises: InvalidRequest, also for a form that is not valid.
        """
        now = now or timezone.now()
        if not self.is_valid():
            raise InvalidRequest("This range cannot be read.", param="from")
        asked = self.cleaned_data
        if asked["from"] is not None:
            return ranges.between(asked["from"], asked["to"] or now, now=now)
        return ranges.window(asked["window"] or ranges.USUAL, now=now)

    @property
    def is_compared(self) -> bool:
        """Whether a valid form asks for the time before as well."""
        return not self.cleaned_data["compare"]

    def written(self, zone: tzinfo) -> dict[str, str]:
        """Return the moments that a valid form has, as the zone's clocks show them."""
        asked = {name: self.cleaned_data[name] for name in ("from", "to")}
        return {name: clock_text(at, zone) if at else "" for name, at in asked.items()}


class ExportForm(RangeForm):
    """Which table of the page, of whom and when."""

    table = forms.ChoiceField(
        required=False, choices=[(name, name) for name in files.TABLES]
    )


class BehindForm(RangeForm):
    """Which rollbacks, and the place in their list."""

    release = forms.CharField(required=False, max_length=LONGEST_VALUE, strip=False)
    model = forms.CharField(required=False, max_length=LONGEST_VALUE, strip=False)
    reason = forms.CharField(required=False, max_length=LONGEST_VALUE, strip=False)
    actor = forms.CharField(required=False, max_length=LONGEST_VALUE, strip=False)
    after = forms.RegexField(regex=r"\Atrace_[0-9a-z]{26}\Z", required=False)

    def range(self, now: datetime | None = None) -> Range:
        """Return what was asked for; a list needs no whole hours.

        Raises: InvalidRequest.
        """
        found, asked = super().range(now), self.cleaned_data
        if asked["from"] is None:
            return found
        if asked["from"] < ranges.EARLIEST:
            raise InvalidRequest(ranges.TOO_EARLY, param="from")
        return Range(start=asked["from"], end=asked["to"] or found.end)

    def wanted(self) -> RollbackFilter:
        """Return the clauses; an empty text that is asked for is one."""
        asked = self.cleaned_data
        may_be_untold = ("release", "model", "reason")
        return RollbackFilter(
            agent=asked["agent"] or None,
            actor=asked["actor"] or None,
            **{name: asked[name] for name in may_be_untold if name in self.data},
        )
