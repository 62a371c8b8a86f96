"""The query of a comparison: two sides, or the search that picks one."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.console.forms.project import SESSION_ID, SessionsForm
from apps.console.forms.session.fields import whole_number
from apps.core.errors import InvalidRequest
from apps.diffs.text import shorten
from apps.timeline.search import LONGEST_TEXT

SIDES = ("left", "right")
NO_ID = "This is no session's id: pick one by a search."


def _session() -> forms.RegexField:
    return forms.RegexField(
        regex=rf"\A{SESSION_ID}\Z", required=False, error_messages={"invalid": NO_ID}
    )


class CompareForm(forms.Form):
    """Two sessions, each at a version or its head; the left of a fork is its origin.

    `pick` is the side to be picked, by the search `q`. `start` is how many differing
    values come before the first that is shown, `left_after` and `right_after` where the
    steps go on; with `shown` times, ids and noise are among what differs.
    """

    left = _session()
    right = _session()
    left_version = whole_number(required=False)
    right_version = whole_number(required=False)
    pick = forms.ChoiceField(required=False, choices=[(one, one) for one in SIDES])
    q = forms.CharField(required=False, max_length=LONGEST_TEXT, strip=False)
    after = forms.RegexField(
        regex=SessionsForm.base_fields["after"].regex.pattern,  # type: ignore[attr-defined]
        required=False,
        error_messages={"invalid": "This is no place in the list."},
    )
    shown = forms.ChoiceField(required=False, choices=[("all", "all")])
    start = whole_number(required=False)
    left_after = whole_number(required=False)
    right_after = whole_number(required=False)

    def misnamed(self) -> str | None:
        """Return the side whose session is named by what is no id, if one is."""
        return next((one for one in SIDES if one in self.errors), None)

    def given(self) -> dict[str, Any]:
        """Raises: InvalidRequest naming what is unknown, or means nothing."""
        unknown = [name for name in self.data if name not in self.fields]
        if unknown:
            name = shorten(unknown[0])
            raise InvalidRequest(f"{name}: there is no such parameter.", param=name)
        wrong = {name: one for name, one in self.errors.items() if name not in SIDES}
        if wrong:
            name, faults = next(iter(wrong.items()))
            raise InvalidRequest(f"{name}: {faults[0]}", param=name)
        return dict.fromkeys(SIDES, "") | self.cleaned_data
