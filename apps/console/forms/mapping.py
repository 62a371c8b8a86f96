"""The form by which an administrator maps what an agent's states say."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from apps.agents.mapping import LONGEST_RULE, MOST_PATTERNS, MOST_RULES, Mapping
from apps.agents.waiting import DEFAULT
from apps.console.forms.sending import ShownForm
from apps.core.errors import InvalidRequest
from apps.diffs.facets import LONGEST_POINTER

USUAL, OWN = "usual", "own"
_END_OF_LINE = re.compile(r"\r\n|\r|\n")
EXACT = {"autocomplete": "off", "spellcheck": "false"}


def _lines(most: int, longest: int, **options: Any) -> forms.CharField:
    return forms.CharField(
        required=False,
        # Keys may begin and end with white space: what was typed is what is meant.
        strip=False,
        max_length=most * (longest + 2),
        widget=forms.Textarea(attrs={**EXACT, "rows": 4}),
        **options,
    )


def _place(**options: Any) -> forms.CharField:
    # As many as the verb takes and more: it says best what is wrong.
    return forms.CharField(
        required=False,
        strip=False,
        max_length=4 * LONGEST_POINTER,
        widget=forms.TextInput(attrs=EXACT),
        **options,
    )


class MappingForm(ShownForm):
    """Places in the state, one a line where there may be several."""

    title = _place(
        label="Title",
        help_text="What a session is about, as /objective. Empty: the usual objective, "
        "or what the customer said first. A title that the agent sets itself wins.",
    )
    user = _place(
        label="User",
        help_text="Whose a session is, as /user/id, where the agent has not said it.",
    )
    waiting_by = forms.ChoiceField(
        label="Waits for a person",
        choices=[(USUAL, "by the usual rules"), (OWN, "by the rules below")],
        initial=USUAL,
        help_text=f"The usual rules: {'; '.join(DEFAULT)}. An objective status "
        "that begins with WAITING_FOR always does.",
    )
    waiting = _lines(
        MOST_RULES,
        LONGEST_RULE,
        label="Rules, one a line",
        help_text="/review/needed = true is one value, /pending_action anything "
        "that is not empty. Without a line no state asks.",
    )
    noise = _lines(
        MOST_PATTERNS,
        LONGEST_POINTER,
        label="Noise, one place a line",
        help_text="Clocks and counters, as /seen_at or /items/*/age, where * is a key "
        "or index. Changes there are folded and counted, never left out.",
    )
    # The button that tries it, and stores nothing.
    look = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def mapping(self) -> Mapping | None:
        """Return what a valid form says; None with its error at the field."""
        said = self.cleaned_data
        found = Mapping(
            title=said["title"] or None,
            user=said["user"] or None,
            waiting=None if said["waiting_by"] == USUAL else _each(said["waiting"]),
            noise=_each(said["noise"]),
        )
        try:
            found.require()
        except InvalidRequest as refused:
            self.add_error(refused.param, refused.message)
            return None
        return found


def as_mapped(mapping: Mapping) -> dict[str, Any]:
    """Return a mapping as its form shows it."""
    is_usual = mapping.waiting is None
    return {
        "title": mapping.title or "",
        "user": mapping.user or "",
        "waiting_by": USUAL if is_usual else OWN,
        "waiting": "\n".join(DEFAULT if mapping.waiting is None else mapping.waiting),
        "noise": "\n".join(mapping.noise),
        "seen": mapping.as_shown,
    }


def unshown(mapping: Mapping) -> str | None:
    """Return the field that cannot show what is mapped: a key ends a line there."""
    places = {
        "title": [mapping.title or ""],
        "user": [mapping.user or ""],
        "waiting": mapping.waiting or (),
        "noise": mapping.noise,
    }
    for name, some in places.items():
        if any(_END_OF_LINE.search(one) for one in some):
            return name
    return None


def _each(text: str) -> list[str]:
    """Return the lines with whatever a key may hold, but for lines of white space.

    `splitlines` would also end one at U+2028 and the like, which keys may hold.
    """
    return [line for line in _END_OF_LINE.split(text) if line.strip()]
