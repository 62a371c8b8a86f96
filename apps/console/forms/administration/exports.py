"""The forms of the page Exports: one a kind, each with the filters that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from apps.console.forms.sending import OnceForm
from apps.exports.asked import LONGEST, LONGEST_LABEL
from apps.exports.words import AuditFormat, Kind
from apps.timeline.words import Outcome

_TYPED = {"autocomplete": "off", "spellcheck": "false"}
ANY = ("", "any")
MASKED = "mail addresses, card and account numbers masked"
UNMASKED = "everything as it is; this is recorded"


def _text(label: str, *, longest: int = LONGEST, **more: Any) -> forms.CharField:
    more.setdefault("required", False)
    return forms.CharField(
        label=label,
        max_length=longest,
        strip=False,
        widget=forms.TextInput(attrs=_TYPED),
        **more,
    )


class ExportForm(OnceForm):
    """What every kind says: which it is, and whether texts are masked."""

    of: Kind
    kind = forms.CharField(required=False, widget=forms.HiddenInput)
    unmasked = forms.TypedChoiceField(
        label="With",
        required=False,
        choices=[("", MASKED), ("yes", UNMASKED)],
        coerce=bool,
        empty_value=None,
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        # Several stand on one page: each has ids of its own.
        more.setdefault("auto_id", f"{self.of.value}_%s")
        more.setdefault("initial", {"kind": self.of.value})
        super().__init__(*args, **more)
        # The filters first.
        self.order_fields([one for one in self.fields if one != "unmasked"])

    def asked(self) -> dict[str, Any]:
        """Return what a valid form asks for."""
        said = {k: v for k, v in self.cleaned_data.items() if k not in ("key", "kind")}
        return {name: one for name, one in said.items() if one not in (None, "")}


class TrajectoriesForm(ExportForm):
    """Which conversations are told."""

    of = Kind.TRAJECTORIES
    title = "Conversations"
    about = "A line a session in OpenAI's chat form, which models are trained with."
    agent = _text("Of the agent")
    release = _text("With the release")
    model = _text("With the model")
    label = _text("A live version is labelled", longest=LONGEST_LABEL)
    outcome = forms.ChoiceField(
        label="The newest review", required=False, choices=[ANY, *Outcome.choices]
    )
    rolled_back = forms.TypedChoiceField(
        label="Rolled back",
        required=False,
        choices=[ANY, ("yes", "yes"), ("no", "never")],
        coerce=lambda said: said == "yes",
        empty_value=None,
    )
    most_tokens = forms.IntegerField(
        label="Tokens reported, at most", required=False, min_value=0, max_value=2**53
    )
    most_cost = forms.FloatField(
        label="Cost reported, at most", required=False, min_value=0
    )


class SessionForm(ExportForm):
    """Which session is taken out."""

    of = Kind.SESSION
    title = "A session"
    about = "A zip file with versions, turns, files, and what proves it."
    session_id = _text("The session's id", required=True)


class PersonForm(ExportForm):
    """Whose data is taken out."""

    of = Kind.PERSON
    title = "A person"
    about = "A zip file with all that is kept of somebody."
    user_id = _text("The person, by your name", required=True)


class AuditForm(ExportForm):
    """Which records are taken out."""

    of = Kind.AUDIT
    title = "Records"
    about = "What was done, an event a line, with the links of its chain."
    agent = _text("Of the agent", help_text="Empty: of the project and all agents.")
    start = _text("From", help_text="A date or a time in ISO 8601, in UTC.")
    end = _text("Before")
    format = forms.ChoiceField(
        label="As",
        required=False,
        choices=[("", "JSON lines"), (AuditFormat.CSV.value, "CSV")],
    )


FORMS: Mapping[str, type[ExportForm]] = {
    one.of.value: one for one in (TrajectoriesForm, SessionForm, PersonForm, AuditForm)
}
