"""What a form says, unseen, of how it was sent: whether twice, and what it showed."""

from __future__ import annotations

from django import forms

LONGEST = 64


class OnceForm(forms.Form):
    """The key makes one act of a form that is sent twice."""

    key = forms.CharField(required=False, max_length=LONGEST, widget=forms.HiddenInput)


class ShownForm(forms.Form):
    """What was shown: what others have changed since is not changed back."""

    seen = forms.CharField(required=False, max_length=LONGEST, widget=forms.HiddenInput)
