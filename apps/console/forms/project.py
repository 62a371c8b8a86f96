"""Query strings of a project's lists, and the forms of its pages."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms

from apps.accounts.models import KeyMark, Role, Scope
from apps.audit.actions import RECORDED
from apps.console.forms.sending import OnceForm, ShownForm
from apps.console.pages.project import audit_entries, session_search
from apps.core.handling import Handling
from apps.core.outbound.addresses import LONGEST_URL
from apps.timeline.search import LONGEST_TEXT, PLACE_PATTERN
from apps.webhooks.kinds import KINDS
from apps.webhooks.models import Format, Progress
from apps.webhooks.operations import LONGEST_DESCRIPTION

SESSION_ID = "sess_[0-9a-z]{26}"
ACT_ID = "trace_[0-9a-z]{26}"
# In the order of the last change: among which acts, and after which session of those.
CHANGED_PLACE = rf"{ACT_ID}|(?:{ACT_ID})?\.[0-9]{{20}}-{SESSION_ID}"


class SessionsForm(forms.Form):
    """The search, the order and the place in the list of sessions."""

    q = forms.CharField(required=False, max_length=LONGEST_TEXT, strip=False)
    sort = forms.ChoiceField(required=False, choices=list(session_search.SORTS.items()))
    view = forms.RegexField(regex=r"\Aview_[0-9a-z]{26}\Z", required=False)
    after = forms.RegexField(
        regex=rf"\A(?:{PLACE_PATTERN}|{CHANGED_PLACE})\Z",
        required=False,
        error_messages={"invalid": "This is no place in the list."},
    )


class ViewForm(forms.Form):
    """A search to keep."""

    name = forms.CharField(max_length=120)
    q = forms.CharField(required=False, max_length=LONGEST_TEXT, strip=False)
    sort = forms.ChoiceField(required=False, choices=list(session_search.SORTS.items()))
    is_shared = forms.BooleanField(required=False)


class OpenItemsForm(forms.Form):
    """The place in the list of what is open: when, which version, which session."""

    after = forms.RegexField(
        regex=rf"\A(?:0|[1-9][0-9]{{0,17}})\.(?:0|[1-9][0-9]{{0,17}})\.{SESSION_ID}\Z",
        required=False,
        error_messages={"invalid": "This is no place in the list."},
    )


class VersionsForm(forms.Form):
    """The place in the list of versions: those before this number."""

    after = forms.IntegerField(required=False, min_value=0, max_value=10**18)


class InviteForm(forms.Form):
    """The role that accepting the invitation gives."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER)


class SecondFactorForm(forms.Form):
    """Whether the project asks for a second factor."""

    is_required = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])


class RollbackReasonForm(SecondFactorForm):
    """Whether a rollback in the project has to say why."""


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)


class UnmaskedForm(forms.Form):
    """Whether an operator reads what masks cover."""

    is_allowed = forms.ChoiceField(choices=[("on", "On"), ("off", "Off")])


class KeyForm(OnceForm):
    """A key to be made."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(choices=Scope.choices, initial=Scope.WRITE)
    begins_with = forms.ChoiceField(
        required=False,
        choices=KeyMark.choices,
        help_text="A label: every key works with every client.",
    )
    agents_named = forms.CharField(
        label="Agents, separated by commas",
        required=False,
        max_length=2_000,
        help_text="Empty: the key may speak for every agent.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    expires_days = forms.IntegerField(
        label="Expires after days",
        required=False,
        min_value=1,
        max_value=3_650,
        help_text="Empty: it works until it is revoked.",
    )

    def agents(self) -> list[str] | None:
        """Return the agents that a valid form names; None for all."""
        named = self.cleaned_data["agents_named"].split(",")
        return [name.strip() for name in named if name.strip()] or None


HANDLINGS = {
    Handling.STRICT: "are refused",
    Handling.LENIENT: "are ignored, and the answer names them",
}


class HandlingForm(forms.Form):
    """What becomes of unknown input of programs."""

    handling = forms.ChoiceField(
        label="Unknown fields and parameters",
        choices=[(one.value, said) for one, said in HANDLINGS.items()],
    )


class KeysForm(forms.Form):
    """The place in the list of keys: those before this one."""

    after = forms.RegexField(regex=r"\Akey_[0-9a-z]{26}\Z", required=False)


# In as few words as a field shows.
FORMATS = {Format.STEPBACK: "the whole message", Format.SLACK: "a line for Slack"}


class WebhookForm(OnceForm, ShownForm):
    """An address, and what it is to be told of."""

    url = forms.CharField(
        label="Address",
        max_length=LONGEST_URL,
        widget=forms.URLInput(
            attrs={"autocomplete": "off", "placeholder": "https://…"}
        ),
    )
    description = forms.CharField(
        required=False,
        max_length=LONGEST_DESCRIPTION,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    format = forms.ChoiceField(
        label="What is sent", choices=list(FORMATS.items()), required=False
    )
    events = forms.MultipleChoiceField(
        choices=[(kind, kind) for kind in KINDS],
        widget=forms.CheckboxSelectMultiple,
    )


class WebhooksForm(forms.Form):
    """The place in the list of webhooks: those before this one."""

    after = forms.RegexField(regex=r"\Ahook_[0-9a-z]{26}\Z", required=False)


class DeliveriesForm(forms.Form):
    """Filter and place in a webhook's log."""

    status = forms.ChoiceField(required=False, choices=[("", "any"), *Progress.choices])
    after = forms.RegexField(
        regex=r"\Adlv_[0-9a-z]{26}\Z", required=False, widget=forms.HiddenInput
    )


def _text(label: str, longest: int = 255) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=longest,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class AuditForm(forms.Form):
    """Filters and the place in the list of acts; days are in UTC."""

    show = forms.ChoiceField(
        required=False,
        choices=[("", "People's acts"), ("all", "Agents' acts too")],
    )
    action = forms.ChoiceField(
        required=False,
        choices=[("", "any"), *((one.value, one.value) for one in RECORDED)],
        error_messages={"invalid_choice": "There is no such action."},
    )
    q = _text("Reason or reasoning")
    actor = _text("Actor")
    resource = _text("Resource id")
    start = _day("From")
    end = _day("Until")
    after = forms.RegexField(
        regex=r"\A(?:trace_[0-9a-z]{26}|[1-9][0-9]{0,17})\Z",
        required=False,
        widget=forms.HiddenInput,
        error_messages={"invalid": "This is no place in the list."},
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        after = found.get("after")
        if after and after.startswith("trace_") != (found.get("show") == "all"):
            self.add_error("after", "This is a place in another list.")
        if found.get("q") and not re.search(r"\w", found["q"]):
            self.add_error("q", "Name a word of it, or its code.")
        return found

    def wanted(self) -> audit_entries.ActFilter:
        """Return the filters of a valid form."""
        data = self.cleaned_data
        last = data["end"]
        return audit_entries.ActFilter(
            everything=data["show"] == "all",
            action=data["action"] or None,
            actor=data["actor"] or None,
            resource=data["resource"] or None,
            words=data["q"] or None,
            start=_midnight(data["start"]),
            end=_midnight(last + timedelta(days=1)) if last else None,
        )


class VerifyForm(forms.Form):
    """How much of the record is verified already."""

    after = forms.IntegerField(required=False, min_value=0, max_value=10**18)


def _midnight(day: Any) -> datetime | None:
    return datetime.combine(day, time(), tzinfo=UTC) if day else None
