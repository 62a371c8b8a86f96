"""The forms of guards: a rule is typed as the one line that it is shown as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from apps.core import json
from apps.guards.detecting import RuleRefused, line_of, read_line
from apps.guards.errors import UnacceptableGuard
from apps.guards.models import Guard
from apps.guards.operations import Change, NewGuard
from apps.guards.words import Kind, Mode

QUIET = {"autocomplete": "off", "spellcheck": "false"}
KINDS = [
    ("null_spree", "so many values turn null at once (2)"),
    ("check", "a check does not hold: state.total<=1500"),
    ("schema", "the state does not pass a JSON Schema"),
    ("unverified", "a field has a value and no …_verified: /destination /dates"),
    ("low_confidence", "a confidence is below (0.7)"),
    ("confirmation", "a confirmation has expired, or was tried more often than (3)"),
    ("permission_denied", "a permission was denied, or it is flagged for review"),
    ("loop", "so many outputs in a row are the same (5)"),
    ("context_overflow", "there are more turns than (30)"),
    ("failing_tools", "of the last 20 turns more calls failed than (3)"),
]
MODES = [
    ("observe", "observe: keep what it says"),
    ("flag", "flag: tell of it"),
    ("refuse", "refuse the write: nothing is stored"),
    ("hold", "hold: pause the session with it"),
    ("step_back", "step back to before it, 3 times an hour, then hold"),
    ("ask", "ask: pause, and ask people whether it may go on"),
]
LINE = (
    "One line: the check, the JSON Schema, the pointers, or the number in brackets. "
    "Empty: the number in brackets."
)


class GuardForm(forms.Form):
    """What an agent's writes are held to."""

    name = forms.CharField(max_length=100, widget=forms.TextInput(attrs=QUIET))
    kind = forms.ChoiceField(label="Does not pass where", choices=KINDS)
    line = forms.CharField(
        label="Rule",
        required=False,
        max_length=65_536,
        help_text=LINE,
        widget=forms.TextInput(attrs=QUIET),
    )

    def said(self, agent_id: str) -> NewGuard:
        """Return the guard.

        Raises: UnacceptableGuard for what is no rule.
        """
        given = self.cleaned_data
        kind = Kind(given["kind"])
        return NewGuard(
            agent=agent_id,
            name=given["name"],
            kind=kind,
            rule=_rule(kind, given["line"]),
        )


class ChangeForm(forms.Form):
    """What is to be otherwise: it shows what is."""

    name = forms.CharField(max_length=100, widget=forms.TextInput(attrs=QUIET))
    line = forms.CharField(
        label="Rule",
        required=False,
        max_length=65_536,
        help_text="Another rule is a new revision, which observes until it was tried.",
        widget=forms.TextInput(attrs=QUIET),
    )
    mode = forms.ChoiceField(
        label="What it does",
        choices=MODES,
        help_text="More than observing takes a finished trial of this very rule.",
    )
    # The guard as it was shown: what others changed since is not changed back.
    seen = forms.CharField(
        required=False, max_length=300, strip=False, widget=forms.HiddenInput
    )

    def __init__(self, guard: Guard, data: Mapping[str, Any] | None = None) -> None:
        self._kind = Kind(guard.kind)
        self._line = line_of(self._kind, json.parse_written(bytes(guard.rule)))
        self._mode = guard.mode
        shown = {"name": guard.name, "line": self._line, "mode": guard.mode}
        shown["seen"] = guard.as_shown
        super().__init__(data, initial=shown)

    def said(self) -> Change:
        """Return the change; a mode that is shown and not chosen anew is none.

        Raises: UnacceptableGuard for what is no rule.
        """
        given = self.cleaned_data
        is_same = given["line"].strip() == self._line
        chosen = None if given["mode"] == self._mode else Mode(given["mode"])
        return Change(
            name=given["name"],
            rule=None if is_same else _rule(self._kind, given["line"]),
            mode=chosen,
            seen=given["seen"] or None,
        )


def _rule(kind: Kind, line: str) -> dict[str, Any]:
    try:
        return read_line(kind, line)
    except RuleRefused as refused:
        raise UnacceptableGuard(refused.message, param="rule") from None
