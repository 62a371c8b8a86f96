"""The forms of a watch and of a hand-over note."""

from django import forms

from apps.console.forms.sending import OnceForm
from apps.watching.operations import LONGEST_HANDOVER


class WatchForm(forms.Form):
    """Where mail goes about what is watched."""

    email = forms.EmailField(max_length=254)


class HandoverForm(OnceForm):
    """What the next shift has to know."""

    text = forms.CharField(max_length=LONGEST_HANDOVER)
