"""The forms of budgets: of an agent or a release of it, of a session, a new limit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from apps.console.forms.sending import OnceForm
from apps.guards.errors import UnacceptableBudget
from apps.guards.operations import NewBudget
from apps.guards.words import Measure, OnReach, Period
from apps.timeline.errors import UnacceptableUsage
from apps.timeline.hooks import money

QUIET = {"autocomplete": "off", "spellcheck": "false"}


class LimitForm(forms.Form):
    """How much may be used from now on."""

    limit = forms.CharField(max_length=30, widget=forms.TextInput(attrs=QUIET))

    def most(self) -> Decimal:
        """Raises: UnacceptableBudget for what is no amount."""
        said = self.cleaned_data["limit"] if self.is_valid() else ""
        return _amount("limit", said.strip())


class TermsForm(OnceForm):
    """What is counted, how much of it may be used, and what happens then."""

    measure = forms.ChoiceField(
        label="Counts",
        choices=[
            ("tokens", "tokens, of input and output"),
            ("cost", "cost, in one currency"),
            ("calls", "turns with a tool's call"),
            ("turns", "turns"),
            ("minutes", "minutes that sessions took up to their turns"),
        ],
    )
    limit = forms.CharField(
        max_length=30,
        help_text="At most so much, such as 100000 or 12.50.",
        widget=forms.TextInput(attrs=QUIET),
    )
    currency = forms.CharField(
        required=False,
        max_length=3,
        help_text="Of a cost, such as EUR.",
        widget=forms.TextInput(attrs=QUIET),
    )
    on_reach = forms.ChoiceField(
        label="When it is reached",
        choices=[
            ("pause", "pause what would use more"),
            ("warn", "warn"),
            ("ask", "pause, and ask for more"),
        ],
    )
    ask_for = forms.CharField(
        label="Ask for",
        required=False,
        max_length=30,
        help_text="How much more, where it asks.",
        widget=forms.TextInput(attrs=QUIET),
    )
    warn_percent = forms.IntegerField(
        label="Warn at (%)",
        required=False,
        min_value=1,
        max_value=99,
        initial=80,
        help_text="Once. Empty: never.",
    )

    def terms(self) -> dict[str, Any]:
        """Return what is said of a new budget, but for whose it is.

        Raises: UnacceptableBudget for what is no amount.
        """
        given = self.cleaned_data
        more = given["ask_for"].strip()
        return {
            "measure": Measure(given["measure"]),
            "most": _amount("limit", given["limit"].strip()),
            "currency": given["currency"].strip() or None,
            "on_reach": OnReach(given["on_reach"]),
            "more": _amount("ask_for", more) if more else None,
            "warn_percent": given["warn_percent"],
        }


class SessionBudgetForm(TermsForm):
    """How much one session may use."""

    def said(self, session_id: str) -> NewBudget:
        """Return the budget.

        Raises: UnacceptableBudget for what is no amount.
        """
        return NewBudget(session_id=session_id, **self.terms())


class BudgetForm(TermsForm):
    """How much the agent, or one release of it, may use."""

    release = forms.CharField(
        required=False,
        max_length=200,
        help_text="Empty: all of the agent.",
        widget=forms.TextInput(attrs=QUIET),
    )
    period = forms.ChoiceField(
        label="Since",
        choices=[
            ("total", "now, for good"),
            ("day", "each day, of UTC"),
            ("month", "each month, of UTC"),
        ],
    )
    field_order = ("release", "measure", "limit", "currency", "period")

    def said(self, agent_id: str) -> NewBudget:
        """Return the budget.

        Raises: UnacceptableBudget for what is no amount.
        """
        given = self.cleaned_data
        return NewBudget(
            agent=agent_id,
            release=given["release"] or None,
            period=Period(given["period"]),
            **self.terms(),
        )


def _amount(name: str, text: str) -> Decimal:
    try:
        return money(name, text)
    except UnacceptableUsage as refused:
        raise UnacceptableBudget(refused.message, param=name) from None
