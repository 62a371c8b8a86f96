"""Query strings and forms of a session's effects."""

from django import forms

from apps.timeline.operations import MAX_COMPENSATING, MAX_SETTLING
from apps.timeline.words import EffectStatus


class EffectsForm(forms.Form):
    """Which effects are listed, and behind which the page begins."""

    status = forms.ChoiceField(
        required=False, choices=[("", "all"), *EffectStatus.choices]
    )
    after = forms.RegexField(regex=r"\Aeff_[0-9a-z]{26}\Z", required=False)


class SettleForm(forms.Form):
    """What became of an effect, and how one knows."""

    status = forms.ChoiceField(choices=[("done", "done"), ("failed", "failed")])
    reason = forms.CharField(
        max_length=MAX_SETTLING, error_messages={"required": "Say how you know."}
    )
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")


class CompensationForm(forms.Form):
    """What became of what is owed for an effect."""

    status = forms.CharField(max_length=9)
    reason = forms.CharField(required=False, max_length=MAX_COMPENSATING)
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")
