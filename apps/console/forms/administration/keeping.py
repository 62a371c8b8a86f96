"""The forms of the page Keeping: policies of retention and legal holds."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.console.forms.sending import OnceForm
from apps.retention.operations.legal_holds import LONGEST_REASON, LONGEST_VALUE
from apps.retention.terms import HEADERS_STAY_DAYS, LONGEST_DAYS, MOST_KEPT, Terms
from apps.retention.words import HoldKind

LONGEST_NAME = 255
KINDS = [
    (HoldKind.SESSION, "a session, by its id"),
    (HoldKind.USER, "a person's sessions, by your name"),
    (HoldKind.AGENT, "an agent's sessions, by your name"),
    (HoldKind.PROJECT, "all of the project"),
]


def _days(label: str, help_text: str, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        required=False,
        min_value=least,
        max_value=LONGEST_DAYS,
        help_text=help_text,
    )


def _reason() -> forms.CharField:
    return forms.CharField(
        label="Why",
        max_length=LONGEST_REASON,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class PolicyForm(OnceForm):
    """After how many days what goes; what is left empty never goes."""

    agent_id = forms.CharField(
        label="Agent",
        required=False,
        max_length=LONGEST_NAME,
        help_text="Its sessions alone, in place of the project's policy.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    thin_days = _days("Thin after days", "Change rows and words of older versions.")
    archive_days = _days(
        "Archive after days", "Their bodies move to the store; nothing is lost."
    )
    empty_days = _days("Empty after days", "Their contents; headers and proof stay.")
    prune_days = _days(
        "Prune after days", "Their headers too; a tombstone stays.", HEADERS_STAY_DAYS
    )
    remove_days = _days(
        "Remove after days",
        "Sessions that nobody wrote to for so long.",
        HEADERS_STAY_DAYS,
    )
    ended_days = _days(
        "Remove what ended after days",
        "Sessions that were deleted or expired.",
        HEADERS_STAY_DAYS,
    )
    keep_last = forms.IntegerField(
        label="Keep the newest", min_value=1, max_value=MOST_KEPT, initial=1
    )

    def terms(self) -> Terms:
        """Return what a valid form says."""
        said: dict[str, Any] = {**self.cleaned_data}
        return Terms(
            **{
                name: n
                for name, n in said.items()
                if n is not None and name not in ("agent_id", "key")
            }
        )


class EnableForm(forms.Form):
    """The preview that was looked at."""

    preview_id = forms.RegexField(regex=r"\Aprev_[0-9a-z]{26}\Z")


class HoldForm(OnceForm):
    """What must stay, and why."""

    kind = forms.ChoiceField(label="What must stay", choices=KINDS)
    value = forms.CharField(
        label="Which",
        required=False,
        max_length=LONGEST_VALUE,
        help_text="Nothing for all of the project.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    reason = _reason()
    until = forms.DateTimeField(
        label="Until",
        required=False,
        help_text="In UTC; it ends then by itself.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )


class EndForm(forms.Form):
    """Why a legal hold is over."""

    reason = _reason()
