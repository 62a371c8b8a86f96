"""What people type to get in."""

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
