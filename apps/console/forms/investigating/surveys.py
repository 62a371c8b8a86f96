"""The forms of surveys: what should hold, and in which sessions."""

from __future__ import annotations

from django import forms

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.timeline.search import LONGEST_TEXT


class SurveyForm(forms.Form):
    """What is looked for, in the newest sessions that a search finds."""

    check = forms.CharField(
        max_length=LONGEST_CHECK, error_messages={"required": "Say what should hold."}
    )
    q = forms.CharField(required=False, max_length=LONGEST_TEXT)
    key = forms.CharField(required=False, max_length=64)


class SurveysForm(forms.Form):
    """The place in the list: those before this one."""

    after = forms.RegexField(regex=r"\Asurv_[0-9a-z]{26}\Z", required=False)
