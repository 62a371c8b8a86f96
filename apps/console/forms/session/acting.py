"""Forms of the acts on a session's page."""

from django import forms

from apps.console.forms.session.fields import whole_number
from apps.core.errors import DomainError, MalformedJson
from apps.core.json import State, parse_object
from apps.timeline.operations import MAX_LABEL, MAX_NOTE, MAX_WHY
from apps.timeline.words import Outcome

# Why people step back: the code is for statistics, the words are for people.
REASONS = [
    ("wrong_state", "The state is wrong"),
    ("bad_tool_result", "A tool answered wrongly"),
    ("looping", "The agent was looping"),
    ("harmful", "The agent did harm"),
    ("customer", "The customer asked for it"),
    ("test", "Trying something out"),
]


class ActForm(forms.Form):
    """What every act carries: the head that was shown, and a key for this one act."""

    expected = whole_number()
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")


class RollbackForm(ActForm):
    """A confirmed preview."""

    reason = forms.CharField(required=False, max_length=2_000)
    reason_code = forms.ChoiceField(required=False, choices=[("", ""), *REASONS])
    hold = forms.BooleanField(required=False)
    # The head's schema, where the restored state is to become one of it.
    migrate_to = forms.CharField(required=False, max_length=255)
    # The last of the session's id, where the rollback crosses what is grave.
    letters = forms.CharField(required=False, max_length=40)
    # Enter in a field was pressed, not the button that confirms.
    look = forms.BooleanField(required=False)
    undo_of = whole_number(required=False)


class HoldForm(ActForm):
    """Resume, close."""

    reason = forms.CharField(required=False, max_length=2_000)


class PauseForm(ActForm):
    """Why a session is held."""

    reason = forms.CharField(
        max_length=2_000,
        error_messages={"required": "Say why, for who finds it held."},
    )


class ForkForm(forms.Form):
    """A fork, as it was or with an edited state."""

    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")
    state = forms.CharField(required=False, strip=False)
    reason = forms.CharField(required=False, max_length=2_000)

    def clean_state(self) -> State | None:
        """Read the edited state strictly; the fault is told with its place."""
        text: str = self.cleaned_data["state"]
        if not text.strip():
            return None
        try:
            # Browsers send text areas with CRLF; inside strings JSON allows neither.
            return parse_object(text.encode())
        except MalformedJson as fault:
            raise forms.ValidationError(fault.message, params=fault.details) from None
        except DomainError as fault:
            where = f" (at {fault.param})" if fault.param else ""
            raise forms.ValidationError(fault.message + where) from None


class LabelForm(forms.Form):
    """A label to give or to take away."""

    label = forms.CharField(max_length=MAX_LABEL, strip=False)


class NoteForm(forms.Form):
    """A note; without a number it is about the session."""

    text = forms.CharField(max_length=MAX_NOTE, strip=False)
    number = whole_number(required=False)
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")


class ReviewForm(forms.Form):
    """How a session went, and why."""

    outcome = forms.ChoiceField(choices=Outcome.choices)
    why = forms.CharField(required=False, max_length=MAX_WHY)
    key = forms.RegexField(regex=r"\A[A-Za-z0-9_-]{8,64}\Z")
