"""What administrators say of masks: a new one, one that goes, a sample to try."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.accounts.errors import UnacceptableMask
from apps.accounts.masks import LONGEST_POINTER, Mask, Pattern, Style, mask_of
from apps.core import json
from apps.core.errors import DomainError

LONGEST_SAMPLE = 100_000
PLAIN = {"autocomplete": "off", "spellcheck": "false"}
PLACE = "place"
WHAT = {
    PLACE: "what stands at a place",
    Pattern.EMAIL: "e-mail addresses",
    Pattern.CARD: "card numbers",
    Pattern.IBAN: "account numbers (IBAN)",
    Pattern.WORDS: "these words",
}
STYLES = {
    Style.HIDE: "hidden",
    Style.LAST4: "its last four characters",
    Style.DIGEST: "a digest: equal values look alike",
}


class MaskForm(forms.Form):
    """A mask at a place, or of a pattern."""

    what = forms.ChoiceField(label="Masked is", choices=list(WHAT.items()))
    said = forms.CharField(
        label="Place, or words",
        required=False,
        strip=False,
        max_length=max(LONGEST_POINTER, 12_000),
        help_text="A place as /customer/**/card: * is one member, ** any depth. Words"
        " are separated by commas.",
        widget=forms.TextInput(attrs=PLAIN),
    )
    style = forms.ChoiceField(label="Shown instead", choices=list(STYLES.items()))

    def clean(self) -> dict[str, Any]:
        given = dict(self.cleaned_data)
        if {"what", "said", "style"} <= given.keys():
            try:
                given["mask"] = mask_of(_said(**given), "")
            except UnacceptableMask as refused:
                self.add_error("said", refused.message)
        return given

    @property
    def mask(self) -> Mask:
        found: Mask = self.cleaned_data["mask"]
        return found


class RemoveForm(forms.Form):
    """A mask as the page has it: another administrator may have moved it meanwhile."""

    mask = forms.CharField(max_length=50_000)

    def clean_mask(self) -> Mask:
        try:
            said = json.parse(self.cleaned_data["mask"].encode())
            return mask_of(said, "mask")
        except (DomainError, UnicodeEncodeError):
            raise forms.ValidationError("This is no mask.") from None


class SampleForm(forms.Form):
    """A state, or a text, to see what is left of it."""

    sample = forms.CharField(
        label="A state as JSON, or a text",
        max_length=LONGEST_SAMPLE,
        widget=forms.Textarea(attrs={"rows": 8, **PLAIN}),
    )


def _said(*, what: str, said: str, style: str) -> dict[str, Any]:
    if what == PLACE:
        return {"pointer": said, "style": style}
    words = [one.strip() for one in said.split(",") if one.strip()]
    if what != Pattern.WORDS and words:
        raise UnacceptableMask("A pattern of this kind takes no words.", param="said")
    return {"pattern": what, "words": words, "style": style}
