"""The forms of plans: what is to be done to the sessions that were picked."""

from typing import Any

from django import forms

from apps.console.forms.project import SessionsForm
from apps.plans.cases import OFFERED
from apps.plans.cases.targets import BEFORE, CHECK, LABEL, RELEASE
from apps.plans.operations import FASTEST
from apps.plans.operations.confirming import LONGEST_REASON
from apps.schemas.operations import MAX_VERSION
from apps.timeline.words import Outcome

KEY = 64
# What acts take beside whom they are for.
PARAMS = ("label", "outcome", "to_schema")
LONGEST_VALUE = 4_000
# By what a person says to which version each session goes back.
RULES = (
    (CHECK, "before the first version in which this does not hold"),
    (BEFORE, "the last version before this moment (UTC)"),
    (RELEASE, "the last version of this release"),
    (LABEL, "the last version with this label"),
)


class TargetForm(forms.Form):
    """The rule by which a rollback finds the version of each session."""

    rule = forms.ChoiceField(required=False, choices=RULES)
    value = forms.CharField(required=False, max_length=LONGEST_VALUE, strip=False)

    def target(self) -> dict[str, Any]:
        """Return the rule as plans take it; nothing where none is said."""
        rule = self.cleaned_data["rule"]
        return {"rule": rule, rule: self.cleaned_data["value"]} if rule else {}


class PickForm(TargetForm, SessionsForm):
    """An act, and whom it is for: the rows that are ticked, or the first of a search.

    What an act takes is checked where it is planned.
    """

    kind = forms.ChoiceField(
        choices=[(case.kind, case.title) for case in OFFERED],
        error_messages={"required": "Say what is to be done."},
    )
    first = forms.BooleanField(required=False)
    label = forms.CharField(required=False, strip=False)
    outcome = forms.ChoiceField(required=False, choices=Outcome.choices)
    to_schema = forms.CharField(required=False, max_length=MAX_VERSION)
    key = forms.CharField(required=False, max_length=KEY)

    def params(self) -> dict[str, Any]:
        """Return what the act takes, as far as a valid form says it."""
        given = {name: self.cleaned_data[name] for name in PARAMS}
        return given | self.target()


class IncidentPlanForm(TargetForm):
    """What is to be done to the sessions of an incident."""

    kind = forms.ChoiceField(choices=[("rollback", "Roll back"), ("hold", "Hold")])
    key = forms.CharField(required=False, max_length=KEY)


class ConfirmForm(forms.Form):
    """Why; the key makes one act of a form that is sent twice."""

    reason = forms.CharField(
        required=False,
        max_length=LONGEST_REASON,
        error_messages={"required": "Say why, for who finds them so."},
    )
    digest = forms.CharField(required=False, max_length=64)
    typed = forms.CharField(required=False, max_length=20)
    crosses = forms.BooleanField(required=False)
    pace = forms.IntegerField(required=False, min_value=1, max_value=FASTEST)
    key = forms.CharField(required=False, max_length=KEY)


class ChangePlanForm(forms.Form):
    """What is changed of a plan: one act, for picks the rows that are ticked."""

    change = forms.ChoiceField(
        choices=[
            (name, name)
            for name in (
                *("pick", "unpick", "pick_look", "unpick_look", "look"),
                *("paused", "running", "stopped", "pace"),
            )
        ]
    )
    pace = forms.IntegerField(required=False, min_value=1, max_value=FASTEST)
    key = forms.CharField(required=False, max_length=KEY)


class PlansForm(forms.Form):
    """The place in the list of plans: those before this one."""

    after = forms.RegexField(regex=r"\Aplan_[0-9a-z]{26}\Z", required=False)


class ItemsForm(forms.Form):
    """The place in a plan's list of sessions: how many are before it."""

    after = forms.IntegerField(required=False, min_value=0, max_value=50_000)
