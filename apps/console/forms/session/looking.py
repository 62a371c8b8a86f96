"""Query strings of a session's pages."""

from typing import Any

from django import forms

from apps.console.forms.session.fields import whole_number
from apps.console.pages.session import walking
from apps.core.errors import InvalidRequest, UnacceptableJson
from apps.core.json import segments
from apps.core.time.moments import moment
from apps.diffs.pointers import join
from apps.diffs.text import shorten
from apps.meaning.past.searching import PastPlace
from apps.timeline.operations import MAX_LABEL
from apps.timeline.queries import MessagePlace
from apps.timeline.search import LONGEST_TEXT
from apps.timeline.words import Op

TABS = ("changes", "state", "turns", "checkpoint", "proof")
MESSAGE_PLACE = r"\A[0-9]{1,18}\.[0-9]{1,9}\Z"
# Ways to name a part of a conversation, of which an address may have one.
PLACES = ("after", "before", "whole", "version")


class TimelineForm(forms.Form):
    """Which versions the timeline shows, and from where on downwards."""

    path = forms.CharField(
        label="Path touched", required=False, max_length=2_000, strip=False
    )
    op = forms.ChoiceField(
        label="Operation",
        required=False,
        choices=[("", "all"), *((op.value, op.value) for op in Op)],
        error_messages={"invalid_choice": "There is no such operation."},
    )
    actor = forms.CharField(required=False, max_length=255, strip=False)
    label = forms.CharField(required=False, max_length=MAX_LABEL, strip=False)
    after = whole_number(required=False)
    # The list that the session was opened from.
    list = forms.CharField(required=False, max_length=LONGEST_TEXT, strip=False)
    order = forms.ChoiceField(
        required=False,
        choices=[(order, order) for order in walking.ORDERS],
        error_messages={"invalid_choice": "There is no such order."},
    )

    def clean_path(self) -> str:
        """Take `order.id` for `/order/id`: people write both."""
        path: str = self.cleaned_data["path"]
        if path and not path.startswith("/"):
            path = join(path.replace(".", "/").split("/"))
        try:
            segments(path)
        except UnacceptableJson as fault:
            raise forms.ValidationError(fault.message) from None
        return path


class PaneForm(forms.Form):
    """What is shown of a version. An unknown tab or base is an error that says so."""

    tab = forms.ChoiceField(required=False, choices=[(tab, tab) for tab in TABS])
    against = forms.RegexField(
        regex=r"\A(?:previous|head|[0-9]{1,18})\Z", required=False
    )
    view = forms.ChoiceField(
        required=False, choices=[("inline", "inline"), ("side", "side by side")]
    )
    # How many changes come before the first that is shown.
    start = whole_number(required=False)
    find = forms.CharField(required=False, max_length=200)
    verify = forms.BooleanField(required=False)
    # Up to which version an earlier page verified.
    verified = whole_number(required=False)

    def given(self) -> dict[str, Any]:
        """Raises: InvalidRequest naming the first parameter that means nothing."""
        if not self.is_valid():
            name = next(iter(self.errors))
            raise InvalidRequest(f"{name}: this means nothing here.", param=name)
        return {
            **self.cleaned_data,
            "tab": self.cleaned_data["tab"] or "changes",
            "against": self.cleaned_data["against"] or "previous",
            "view": self.cleaned_data["view"] or "inline",
        }


class ConversationForm(forms.Form):
    """Which part of a conversation is shown, and what it is read from.

    A place is the number of a turn or version, and of a message in it: 12.0.
    """

    source = forms.ChoiceField(
        required=False, choices=[("turns", "turns"), ("messages", "messages")]
    )
    after = forms.RegexField(regex=MESSAGE_PLACE, required=False)
    before = forms.RegexField(regex=MESSAGE_PLACE, required=False)
    whole = forms.RegexField(regex=MESSAGE_PLACE, required=False)
    version = whole_number(required=False)

    def given(self) -> dict[str, Any]:
        """Return the source and the one place that is asked for, others as None.

        Raises: InvalidRequest naming what is unknown, means nothing, or is too much.
        """
        unknown = [name for name in self.data if name not in self.fields]
        if unknown:
            name = shorten(unknown[0])
            raise InvalidRequest(f"{name}: there is no such parameter.", param=name)
        if not self.is_valid():
            name = next(iter(self.errors))
            raise InvalidRequest(f"{name}: this means nothing here.", param=name)
        given = self.cleaned_data
        named = [one for one in PLACES if given[one] not in (None, "")]
        if len(named) > 1:
            raise InvalidRequest(
                f"{named[1]}: this cannot go with {named[0]}.", param=named[1]
            )
        places = {name: _message_place(given[name]) for name in PLACES[:3]}
        return {"source": given["source"], "version": given["version"], **places}


def _message_place(text: str) -> MessagePlace | None:
    if not text:
        return None
    number, _, index = text.partition(".")
    return MessagePlace(int(number), int(index))


class JumpForm(forms.Form):
    """A version's number, as 12 or v12, or a time."""

    go = forms.CharField(max_length=40)

    def clean_go(self) -> Any:
        given: str = self.cleaned_data["go"].strip()
        number = given.removeprefix("v")
        if number.isascii() and number.isdecimal() and len(number) <= 18:
            return int(number)
        try:
            return moment(given)
        except (ValueError, OverflowError):
            raise forms.ValidationError(
                "Give a version, as 12, or a time, as 2026-03-15 14:05 (UTC)."
            ) from None


class SinceForm(forms.Form):
    """The newest version that the page shows."""

    since = whole_number(required=False)


class MeaningForm(forms.Form):
    """A question, and behind which version older ones are looked at."""

    q = forms.CharField(required=False)
    after = forms.RegexField(
        regex=r"\Asess_[0-9a-z]{26}\.[0-9]{1,18}\Z", required=False
    )

    def place(self) -> PastPlace:
        """Return where the page begins; the newest without a place."""
        session_id, _, number = self.cleaned_data["after"].partition(".")
        if not session_id:
            return PastPlace()
        return PastPlace(session_id=session_id, number=int(number))
