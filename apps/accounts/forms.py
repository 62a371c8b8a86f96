"""What people type to get in."""

from typing import Any

from django import forms


class SignInForm(forms.Form):
    """A user name and a password; whether they are right is for the backend."""

    username = forms.CharField(
        label="User name",
        max_length=64,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "username",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
    password = forms.CharField(
        label="Password",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


def _new_password(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class NewPasswordForm(forms.Form):
    """A new password, twice; whether it is good enough is for the operation."""

    password = _new_password("New password")
    again = _new_password("New password again")

    def clean_again(self) -> str:
        again: str = self.cleaned_data["again"]
        if again != self.cleaned_data.get("password", again):
            raise forms.ValidationError("The two passwords differ.")
        return again


class NewcomerForm(NewPasswordForm):
    """A name that is free and a password; whether they do is for the operation."""

    username = forms.CharField(
        label="Your user name",
        max_length=64,
        help_text="Letters, digits and . _ @ + -",
        widget=forms.TextInput(
            attrs={
                "autocomplete": "username",
                "autocapitalize": "none",
                "spellcheck": "false",
            }
        ),
    )
    field_order = ("username", "password", "again")


class CurrentPasswordForm(forms.Form):
    """The current password, if there is one, before an act that locks others out."""

    current = forms.CharField(
        label="Your password",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, data: Any = None, *, needs_current: bool) -> None:
        super().__init__(data)
        self.needs_current = needs_current
        if not needs_current:
            del self.fields["current"]


class CodeForm(forms.Form):
    """A code of an authenticator, or a recovery code."""

    code = forms.CharField(
        label="Code",
        max_length=64,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )


class ChangePasswordForm(NewPasswordForm):
    """As before, and the old password from whoever has one."""

    current = forms.CharField(
        label="Current password",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ("current", "password", "again")

    def __init__(self, data: Any = None, *, needs_current: bool) -> None:
        super().__init__(data)
        self.needs_current = needs_current
        if not needs_current:
            del self.fields["current"]
