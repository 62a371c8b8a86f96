"""The forms of experiments: which forks, which checks, and the name."""

from __future__ import annotations

from django import forms

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.console.forms.project import SESSION_ID
from apps.experiments.words import LONGEST_NAME, MOST_CHECKS, Status

KEY = 64


class PickForm(forms.Form):
    """The session of whose forks some are picked, and the version."""

    session = forms.RegexField(regex=rf"\A{SESSION_ID}\Z", required=False)
    version = forms.IntegerField(required=False, min_value=0, max_value=10**18)


class MakeForm(forms.Form):
    """A name, and checks one a line; the forks are ticked."""

    name = forms.CharField(
        max_length=LONGEST_NAME, error_messages={"required": "Give it a name."}
    )
    checks = forms.CharField(
        required=False, max_length=MOST_CHECKS * (LONGEST_CHECK + 2)
    )
    session = forms.RegexField(regex=rf"\A{SESSION_ID}\Z", required=False)
    key = forms.CharField(required=False, max_length=KEY)

    def clean_checks(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["checks"].splitlines())
        return [line for line in lines if line]


class RenameForm(forms.Form):
    """Another name."""

    name = forms.CharField(
        max_length=LONGEST_NAME, error_messages={"required": "Give it a name."}
    )
    key = forms.CharField(required=False, max_length=KEY)


class ExperimentsForm(forms.Form):
    """Which experiments are listed, and those before which."""

    show = forms.ChoiceField(required=False, choices=Status.choices)
    after = forms.RegexField(regex=r"\Aexpt_[0-9a-z]{26}\Z", required=False)
