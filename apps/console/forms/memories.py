"""Forms of the pages of memories."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.console.forms.sending import FilterForm
from apps.core.errors import InvalidRequest
from apps.core.time.moments import moment
from apps.memory.documents.contents import LONGEST_NAME
from apps.memory.documents.deciding import Decision
from apps.memory.documents.owners import Place
from apps.memory.models import MemoryScope
from apps.memory.operations.searching import LONGEST_QUERY
from apps.memory.operations.stepping import Wanted

SCOPES = [("", "anybody"), *((one.value, one.label.lower()) for one in MemoryScope)]
STATUSES = {
    "": "believed and proposed",
    "proposed": "proposed",
    "replaced": "replaced",
    "dropped": "dropped",
    "taken": "taken patches",
}
MAX_REASON = 2_000


def _text(label: str, longest: int, **attributes: str) -> forms.CharField:
    attrs = {"autocomplete": "off", "spellcheck": "false", **attributes}
    return forms.CharField(
        label=label,
        required=False,
        max_length=longest,
        widget=forms.TextInput(attrs=attrs),
    )


def _session(**options: Any) -> forms.RegexField:
    return forms.RegexField(r"^sess_[0-9a-z]{26}$", required=False, **options)


def _require_owner(form: forms.Form, given: dict[str, Any]) -> None:
    """Refuse an owner that no scope goes with: it would be passed over."""
    if given.get("owner") and not given.get("scope"):
        form.add_error("scope", "Whose: a session, a user or an agent?")
    if given.get("owner") and given.get("scope") == MemoryScope.PROJECT:
        form.add_error("owner", "The project is nobody in particular.")


class MemoriesForm(FilterForm):
    """Whose memories are listed, which, and what they say."""

    scope = forms.ChoiceField(label="Of", required=False, choices=SCOPES)
    owner = _text("Session, user or agent", LONGEST_NAME, autocapitalize="none")
    status = forms.ChoiceField(
        label="Status", required=False, choices=list(STATUSES.items())
    )
    words = _text("What they say or mean", LONGEST_QUERY)
    # As other pages and the API call it.
    q = forms.CharField(
        required=False, max_length=LONGEST_QUERY, widget=forms.HiddenInput
    )
    # The session that taught them.
    session = _session(widget=forms.HiddenInput)
    after = forms.CharField(
        required=False, max_length=LONGEST_NAME, widget=forms.HiddenInput
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if given.get("q"):
            if given.get("words") not in ("", given["q"]):
                self.add_error("q", "This and words say two things.")
            else:
                given["words"] = given["q"]
        for name in ("status", "session"):
            if given.get("words") and given.get(name):
                self.add_error(name, "A search finds what is believed, taught by all.")
        _require_owner(self, given)
        return given


class MemoryForm(forms.Form):
    """The place in the list of what was done to a memory."""

    before = forms.IntegerField(required=False, min_value=1, max_value=10**18)


class ReadsForm(forms.Form):
    """The place in the list of what a session read."""

    after = forms.RegexField(r"^read_[0-9a-z]{26}$", required=False)


class DecideForm(forms.Form):
    """What was decided about a memory, and about which other one."""

    decision = forms.ChoiceField(choices=[(one.value, one.value) for one in Decision])
    other = forms.CharField(required=False, max_length=64)
    # The versions of both that were shown.
    seen = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    other_seen = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    # Of a proposed patch: the head of its session that was shown.
    expected = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    reason = forms.CharField(required=False, max_length=MAX_REASON)
    key = forms.CharField(required=False, max_length=64)

    def versions(self) -> list[int | None]:
        """Return the versions that were shown, as far as the form says them."""
        return [self.cleaned_data["seen"], self.cleaned_data["other_seen"]]


class BackForm(FilterForm):
    """Whose memories are to be as they were and when, or what is to be forgotten."""

    scope = forms.ChoiceField(required=False, choices=SCOPES)
    owner = forms.CharField(required=False, max_length=LONGEST_NAME)
    to = forms.CharField(required=False, max_length=64)
    version = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    session = _session()
    # What forgetting was shown to do: a digest behind the document of each owner.
    seen = forms.RegexField(r"^(doc_[0-9a-z]+:[0-9a-f]* ?)*$", required=False)
    expected = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    reason = forms.CharField(required=False, max_length=MAX_REASON)
    key = forms.CharField(required=False, max_length=64)

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        _require_owner(self, given)
        for name in ("scope", "owner", "to", "version"):
            if given.get("session") and given.get(name) not in (None, ""):
                self.add_error(name, "What a session taught goes, whosever it is.")
        return given

    def clean_seen(self) -> dict[str, str] | None:
        """Return what was shown, by document; None where no page was."""
        if "seen" not in self.data:
            return None
        shown = self.cleaned_data["seen"].split()
        return dict(one.split(":") for one in shown)

    def wanted(self) -> Wanted:
        """Return what the memories are to be stepped back to.

        Raises: InvalidRequest.
        """
        given = self.cleaned_data
        return Wanted(
            place=place_of(given["scope"], given["owner"]),
            moment=_moment(given["to"]),
            version=given["version"],
            expected=given["expected"],
            reasoning=given["reason"].strip() or None,
        )


def place_of(scope: str, owner: str) -> Place:
    """Return whose memories a page names; of nobody they are the project's."""
    named = {f"{scope}_id": owner or None} if scope not in ("", "project") else {}
    return Place(scope=scope or MemoryScope.PROJECT.value, **named)


def _moment(text: str) -> Any:
    try:
        return moment(text) if text else None
    except (ValueError, OverflowError):
        raise InvalidRequest("to takes a time in ISO 8601.", param="to") from None
