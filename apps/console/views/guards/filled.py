"""The form of a budget of an agent."""

from __future__ import annotations

from decimal import Decimal

from django import forms

from apps.guards.errors import UnacceptableBudget
from apps.guards.operations import NewBudget
from apps.guards.words import Measure, OnReach, Period
from apps.timeline.errors import UnacceptableUsage
from apps.timeline.hooks import money

QUIET = {"autocomplete": "off", "spellcheck": "false"}


class BudgetForm(forms.Form):
    """How much the agent, or one release of it, may use."""

    release = forms.CharField(
        required=False,
        max_length=200,
        help_text="Empty: all of the agent.",
        widget=forms.TextInput(attrs=QUIET),
    )
    measure = forms.ChoiceField(
        label="Counts",
        choices=[
            ("tokens", "tokens, of input and output"),
            ("cost", "cost, in one currency"),
            ("calls", "turns with a tool's call"),
            ("turns", "turns"),
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
    period = forms.ChoiceField(
        label="Since",
        choices=[
            ("total", "now, for good"),
            ("day", "each day, of UTC"),
            ("month", "each month, of UTC"),
        ],
    )
    on_reach = forms.ChoiceField(
        label="When it is reached",
        choices=[
            ("pause", "pause its sessions"),
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

    def said(self, agent_id: str) -> NewBudget:
        """Return the budget.

        Raises: UnacceptableBudget for what is no amount.
        """
        given = self.cleaned_data
        more = given["ask_for"].strip()
        return NewBudget(
            agent=agent_id,
            release=given["release"] or None,
            measure=Measure(given["measure"]),
            most=_amount("limit", given["limit"].strip()),
            currency=given["currency"].strip() or None,
            period=Period(given["period"]),
            on_reach=OnReach(given["on_reach"]),
            more=_amount("ask_for", more) if more else None,
            warn_percent=given["warn_percent"],
        )


def _amount(name: str, text: str) -> Decimal:
    try:
        return money(name, text)
    except UnacceptableUsage as refused:
        raise UnacceptableBudget(refused.message, param=name) from None
