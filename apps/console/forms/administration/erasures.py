"""The forms of the pages of erasures: whose data, and a confirmation in words."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.console.forms.sending import OnceForm
from apps.erasures.operations import LONGEST_REASON
from apps.erasures.operations.previews import LONGEST_USER
from apps.erasures.words import Kind

KINDS = [
    (Kind.USER, "a person, by your name"),
    (Kind.SESSION, "one session, by its id"),
]
_TYPED = {"autocomplete": "off", "spellcheck": "false"}


class SubjectForm(OnceForm):
    """Whose data would go."""

    kind = forms.ChoiceField(label="Of", choices=KINDS)
    value = forms.CharField(
        label="Which",
        max_length=LONGEST_USER,
        strip=False,
        help_text="Nothing goes yet: first it is counted what would.",
        widget=forms.TextInput(attrs=_TYPED),
    )

    def subject(self) -> dict[str, str]:
        """Return what a valid form names, as a preview takes it."""
        name = "user_id" if self.cleaned_data["kind"] == Kind.USER else "session_id"
        return {name: self.cleaned_data["value"]}


class BeginForm(forms.Form):
    """Why it goes, and whose it is, typed once more."""

    reason = forms.CharField(
        label="Why",
        max_length=LONGEST_REASON,
        help_text="It stays with the erasure: name nobody in it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    confirmed = forms.CharField(
        label="To confirm, type whose data it is",
        max_length=LONGEST_USER,
        strip=False,
        widget=forms.TextInput(attrs=_TYPED),
    )

    def __init__(self, *args: Any, value: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self._value = value

    def clean_confirmed(self) -> str:
        said: str = self.cleaned_data["confirmed"]
        if said != self._value:
            raise forms.ValidationError("This is not whose data it is.")
        return said
