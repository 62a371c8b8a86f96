"""What should hold in a session, and where an earlier answer ended."""

from __future__ import annotations

from django import forms

from apps.checks import LONGEST_TEXT, Check, CheckRefused, read_text
from apps.core.errors import InvalidRequest
from apps.timeline.queries import (
    Along,
    BisectAsked,
    BisectWindow,
    Place,
    read_bisect_cursor,
)

LONGEST_CURSOR = 500
LARGEST_NUMBER = 10**18


class BisectForm(forms.Form):
    """A check in one line, and the versions in question."""

    check = forms.CharField(max_length=LONGEST_TEXT)
    good = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_NUMBER)
    bad = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_NUMBER)
    every = forms.BooleanField(required=False)
    after = forms.CharField(required=False, max_length=LONGEST_CURSOR)

    def clean_check(self) -> Check:
        try:
            return read_text(self.cleaned_data["check"])
        except CheckRefused as refused:
            raise forms.ValidationError(refused.sentence) from None

    def clean_after(self) -> Place | None:
        given: str = self.cleaned_data["after"]
        try:
            return read_bisect_cursor(given) if given else None
        except ValueError:
            raise forms.ValidationError("This is no place to go on from.") from None

    def asked(self) -> BisectAsked | None:
        """Return what is asked, None where the check cannot be read: `errors` say why.

        Raises: InvalidRequest naming another parameter that is wrong.
        """
        if not self.is_valid():
            others = [name for name in self.errors if name != "check"]
            if others:
                message = f"{others[0]}: {self.errors[others[0]][0]}"
                raise InvalidRequest(message, param=others[0])
            return None
        given = self.cleaned_data
        along = Along.ALL if given["every"] else Along.LIVE
        return BisectAsked(
            check=given["check"],
            window=BisectWindow(first=given["good"], last=given["bad"], along=along),
            start=given["after"],
        )
