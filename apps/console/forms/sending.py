"""How a form was sent: whether twice, what it showed, whether with what it lacks."""

from __future__ import annotations

from typing import Any

from django import forms

LONGEST = 64
# What every form of Django sends besides.
CSRF_FIELD = "csrfmiddlewaretoken"


class FilterForm(forms.Form):
    """What narrows a list: a name that is none of its fields is never passed over."""

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in sorted(set(self.data) - set(self.fields) - {CSRF_FIELD}):
            self.add_error(None, f"There is no filter {name[:40]}.")
        return given


class OnceForm(forms.Form):
    """The key makes one act of a form that is sent twice."""

    key = forms.CharField(required=False, max_length=LONGEST, widget=forms.HiddenInput)


class ShownForm(forms.Form):
    """What was shown: what others have changed since is not changed back."""

    seen = forms.CharField(required=False, max_length=LONGEST, widget=forms.HiddenInput)
