"""Forms of approvals: a vote, and a rule of an agent."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.approvals.errors import UnacceptableArguments
from apps.approvals.operations import NewRule, Said
from apps.approvals.words import Class, Expiry, Verdict, Who
from apps.console.forms.sending import OnceForm
from apps.core import json
from apps.core.errors import DomainError

MAX_COMMENT = 2_000
LONGEST_ARGUMENTS = 200_000
PERIODS = {
    "3600": "an hour",
    "86400": "a day",
    "604800": "a week",
    "2592000": "30 days",
    "7776000": "90 days",
}
CLASSES = [("", "any"), *((one.value, one.value) for one in Class)]


class VoteForm(forms.Form):
    """What a person says; `arguments` are there where they edited them."""

    verdict = forms.ChoiceField(choices=[("approve", ""), ("reject", ""), ("edit", "")])
    comment = forms.CharField(required=False, max_length=MAX_COMMENT)
    arguments = forms.CharField(
        required=False, max_length=LONGEST_ARGUMENTS, strip=False
    )

    def said(self) -> Said:
        """Return the vote.

        Raises: UnacceptableArguments for what is no object.
        """
        given = self.cleaned_data
        is_edited = given["verdict"] == "edit"
        verdict = Verdict.APPROVE if is_edited else Verdict(given["verdict"])
        return Said(
            verdict=verdict,
            comment=given["comment"] or None,
            arguments=_object(given["arguments"]) if is_edited else None,
        )


class RuleForm(OnceForm):
    """When an agent's requests are held to stricter terms."""

    tool = forms.CharField(
        required=False,
        max_length=200,
        help_text="Empty: any.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    effect_class = forms.ChoiceField(label="Class", required=False, choices=CLASSES)
    check = forms.CharField(
        label="Arguments as",
        required=False,
        max_length=4_000,
        help_text="A check, such as state.amount>500. Empty: any.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    votes = forms.ChoiceField(
        label="Decided by", choices=[("1", "one person"), ("2", "two people")]
    )
    who = forms.ChoiceField(
        label="Who are",
        choices=[("operator", "operators"), ("admin", "administrators")],
    )
    expires_in = forms.ChoiceField(
        label="Within", choices=list(PERIODS.items()), initial="86400"
    )
    on_expiry = forms.ChoiceField(
        label="If nobody decides",
        choices=[
            ("reject", "it is rejected"),
            ("escalate", "administrators have as long again"),
        ],
    )

    def said(self) -> NewRule:
        given = self.cleaned_data
        kind = given["effect_class"]
        return NewRule(
            tool=given["tool"] or None,
            effect_class=Class(kind) if kind else None,
            check=given["check"].strip() or None,
            votes=int(given["votes"]),
            who=Who(given["who"]),
            expires_in=int(given["expires_in"]),
            on_expiry=Expiry(given["on_expiry"]),
        )


def _object(text: str) -> dict[str, Any]:
    try:
        return json.parse_object(text.encode())
    except (DomainError, UnicodeEncodeError):
        raise UnacceptableArguments(
            "The arguments are a JSON object.", param="arguments"
        ) from None
