"""What stands in the query string of the console's lists, and what people type."""

from django import forms

from apps.accounts.models import Role, Scope
from apps.console.reading import STATUSES, Wanted

SESSION_ID = "sess_[0-9a-z]{26}"


class SessionsForm(forms.Form):
    """Filters and the place in the list of sessions."""

    agent = forms.CharField(required=False, max_length=255)
    user = forms.CharField(required=False, max_length=255)
    status = forms.ChoiceField(
        required=False,
        choices=[("", "any"), *((status, status) for status in STATUSES)],
        error_messages={"invalid_choice": "There is no such status."},
    )
    after = forms.RegexField(
        regex=rf"\A{SESSION_ID}\Z",
        required=False,
        widget=forms.HiddenInput,
        error_messages={"invalid": "This is no id of a session."},
    )

    def wanted(self) -> Wanted:
        """Return the filters of a valid form."""
        return Wanted(
            agent=self.cleaned_data["agent"],
            user=self.cleaned_data["user"],
            status=self.cleaned_data["status"],
        )


class VersionsForm(forms.Form):
    """The place in the list of versions: those before this number."""

    after = forms.IntegerField(required=False, min_value=0, max_value=10**18)


class InviteForm(forms.Form):
    """Somebody to let in, and what they may do."""

    username = forms.CharField(
        label="User name",
        max_length=64,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
            }
        ),
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role.choices)


class KeyForm(forms.Form):
    """A key to be made."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(choices=Scope.choices, initial=Scope.WRITE)
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


class KeysForm(forms.Form):
    """The place in the list of keys: those before this one."""

    after = forms.RegexField(regex=r"\Akey_[0-9a-z]{26}\Z", required=False)
