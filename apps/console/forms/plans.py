"""The forms of plans: what is to be done to the sessions that were picked."""

from typing import Any

from django import forms

from apps.console.forms.project import SessionsForm
from apps.plans.cases import OFFERED
from apps.plans.operations.confirming import LONGEST_REASON
from apps.schemas.operations import MAX_VERSION
from apps.timeline.words import Outcome

KEY = 64
# What acts take beside whom they are for.
PARAMS = ("label", "outcome", "to_schema")


class PickForm(SessionsForm):
    """An act, and whom it is for: the rows that are ticked, or the first of a search.

    What an act takes is checked where it is planned.
    """

    kind = forms.ChoiceField(
        choices=[(case.kind, case.title) for case in OFFERED],
        error_messages={"required": "Say what is to be done."},
    )
    first = forms.BooleanField(required=False)
    label = forms.CharField(required=False)
    outcome = forms.ChoiceField(required=False, choices=Outcome.choices)
    to_schema = forms.CharField(required=False, max_length=MAX_VERSION)
    key = forms.CharField(required=False, max_length=KEY)

    def params(self) -> dict[str, Any]:
        """Return what the act takes, as far as a valid form says it."""
        return {name: self.cleaned_data[name] for name in PARAMS}


class ConfirmForm(forms.Form):
    """Why; the key makes one act of a form that is sent twice."""

    reason = forms.CharField(
        required=False,
        max_length=LONGEST_REASON,
        error_messages={"required": "Say why, for who finds them held."},
    )
    key = forms.CharField(required=False, max_length=KEY)


class PlansForm(forms.Form):
    """The place in the list of plans: those before this one."""

    after = forms.RegexField(regex=r"\Aplan_[0-9a-z]{26}\Z", required=False)


class ItemsForm(forms.Form):
    """The place in a plan's list of sessions: how many are before it."""

    after = forms.IntegerField(required=False, min_value=0, max_value=10_000)
