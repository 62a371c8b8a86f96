"""What should hold in a session, or what was said of its versions by eye."""

from __future__ import annotations

import re

from django import forms

from apps.checks import LONGEST_TEXT, Check, CheckRefused, read_text
from apps.core.errors import InvalidRequest
from apps.timeline.bisect import Along, Place, Said, Trial
from apps.timeline.bisect import Asked as BisectAsked
from apps.timeline.bisect import Window as BisectWindow
from apps.timeline.bisect import read_cursor as read_bisect_cursor

LONGEST_CURSOR = 500
LARGEST_NUMBER = 10**18
# Halving takes 17 of a hundred thousand versions; the others were skipped.
MOST_TRIALS = 100
_TRIALS = re.compile(r"[0-9]{1,18}[gbs](?:\.[0-9]{1,18}[gbs])*", re.ASCII)
_SAID = {"g": Said.GOOD, "b": Said.BAD, "s": Said.SKIPPED}


class WindowForm(forms.Form):
    """The versions in question, with or without what a rollback set aside."""

    good = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_NUMBER)
    bad = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_NUMBER)
    every = forms.BooleanField(required=False)

    @property
    def along(self) -> Along:
        return Along.ALL if self.cleaned_data["every"] else Along.LIVE

    def require_all_but(self, *names: str) -> None:
        """Raises: InvalidRequest naming another parameter that is wrong."""
        others = [name for name in self.errors if name not in names]
        if others:
            message = f"{others[0]}: {self.errors[others[0]][0]}"
            raise InvalidRequest(message, param=others[0])


class BisectForm(WindowForm):
    """A check in one line, the versions in question, and where an answer ended."""

    check = forms.CharField(max_length=LONGEST_TEXT)
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
            self.require_all_but("check")
            return None
        given = self.cleaned_data
        return BisectAsked(
            check=given["check"],
            window=BisectWindow(
                first=given["good"], last=given["bad"], along=self.along
            ),
            start=given["after"],
        )


class EyeForm(WindowForm):
    """Between which versions to look by eye, and what was said so far: `5g.8b.6s`."""

    by = forms.ChoiceField(choices=[("eye", "by eye")])
    tried = forms.CharField(required=False, max_length=20 * MOST_TRIALS)

    def clean_tried(self) -> list[Trial]:
        text: str = self.cleaned_data["tried"]
        if text and not _TRIALS.fullmatch(text):
            raise forms.ValidationError("trials are written as in 5g.8b.6s.")
        found = text.split(".") if text else []
        if len(found) > MOST_TRIALS:
            raise forms.ValidationError(f"there are at most {MOST_TRIALS} trials.")
        return [Trial(int(one[:-1]), _SAID[one[-1]]) for one in found]

    def require_valid(self) -> None:
        """Raises: InvalidRequest naming what is wrong."""
        if not self.is_valid():
            self.require_all_but()


def written(trials: list[Trial]) -> str:
    """Write trials as `EyeForm` reads them."""
    return ".".join(f"{number}{said.value[0]}" for number, said in trials)
