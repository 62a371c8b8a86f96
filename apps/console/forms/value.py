"""Which value of a state is asked for."""

from typing import Any

from django import forms

from apps.console.forms.project import SESSION_ID
from apps.core.errors import InvalidRequest, UnacceptableJson
from apps.core.json import segments
from apps.timeline.blame import LONGEST_CURSOR, Cursor, read_cursor

LONGEST_POINTER = 4_000


class ValueForm(forms.Form):
    """A JSON pointer; the empty one, which is none of CharField's, is the state."""

    pointer = forms.CharField(
        required=False, max_length=LONGEST_POINTER, strip=False, empty_value=""
    )
    start = forms.IntegerField(required=False, min_value=0, max_value=10**9)
    raw = forms.BooleanField(required=False)
    # The version whose text stands beside this one's, of this session or `of` another.
    against = forms.IntegerField(required=False, min_value=0, max_value=10**18)
    of = forms.RegexField(regex=rf"\A{SESSION_ID}\Z", required=False)

    def clean_pointer(self) -> str:
        given: str = self.cleaned_data["pointer"]
        try:
            segments(given)
        except UnacceptableJson as fault:
            raise forms.ValidationError(fault.message) from None
        return given

    def clean_start(self) -> int:
        return self.cleaned_data["start"] or 0

    def given(self) -> dict[str, Any]:
        """Raises: InvalidRequest naming the first parameter that is wrong."""
        if not self.is_valid():
            name, messages = next(iter(self.errors.items()))
            raise InvalidRequest(f"{name}: {messages[0]}", param=name)
        return self.cleaned_data


class BlameForm(ValueForm):
    """A value, and where an earlier answer ended."""

    before = forms.CharField(required=False, max_length=LONGEST_CURSOR)

    def clean_before(self) -> Cursor | None:
        given: str = self.cleaned_data["before"]
        try:
            return read_cursor(given) if given else None
        except ValueError:
            raise forms.ValidationError("This is no place to go on from.") from None
