"""The forms of incidents: what went wrong, how it stands, whose it is, notes."""

from __future__ import annotations

from django import forms

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.console.forms.project import SESSION_ID, SessionsForm
from apps.incidents.words import LONGEST_NOTE, LONGEST_TITLE, Status

KEY = 64


class OpenForm(SessionsForm):
    """What went wrong, in the sessions that were ticked or in all that a search finds.

    `look` asks for the form alone, with what was ticked.
    """

    look = forms.BooleanField(required=False)
    title = forms.CharField(
        required=False,
        max_length=LONGEST_TITLE,
    )
    check = forms.CharField(required=False, max_length=LONGEST_CHECK)
    key = forms.CharField(required=False, max_length=KEY)


class IncidentsForm(forms.Form):
    """Which incidents are listed, and those before which."""

    show = forms.ChoiceField(required=False, choices=Status.choices)
    after = forms.RegexField(regex=r"\Aincd_[0-9a-z]{26}\Z", required=False)


class MembersForm(forms.Form):
    """The place in an incident's list of sessions: those behind this one."""

    after = forms.RegexField(regex=rf"\A{SESSION_ID}\Z", required=False)


class ChangeForm(forms.Form):
    """What is changed of an incident: what is sent, and nothing else."""

    title = forms.CharField(required=False, max_length=LONGEST_TITLE)
    status = forms.ChoiceField(required=False, choices=Status.choices)
    owner = forms.CharField(required=False, max_length=64)
    check = forms.CharField(required=False, max_length=LONGEST_CHECK)
    key = forms.CharField(required=False, max_length=KEY)


class NoteForm(forms.Form):
    """What is written on an incident."""

    text = forms.CharField(
        max_length=LONGEST_NOTE, error_messages={"required": "Write something."}
    )
    key = forms.CharField(required=False, max_length=KEY)


class AddForm(forms.Form):
    """Ids of sessions, with spaces or commas between them."""

    sessions = forms.CharField(max_length=20_000)
    key = forms.CharField(required=False, max_length=KEY)

    def clean_sessions(self) -> list[str]:
        return str(self.cleaned_data["sessions"]).replace(",", " ").split()


class RemoveForm(forms.Form):
    """The session that is taken out."""

    session = forms.RegexField(regex=rf"\A{SESSION_ID}\Z")
    key = forms.CharField(required=False, max_length=KEY)
