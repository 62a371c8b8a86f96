"""What stands in the query string of the console's lists."""

from django import forms

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
