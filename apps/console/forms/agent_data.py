"""Forms of an agent's pages: its keys, a key, config, checkpoints, its audit."""

from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from apps.audit.streams import OPERATIONS
from apps.console.forms.sending import FilterForm
from apps.core.errors import InvalidRequest
from apps.data.checkpoints.moments import LONGEST
from apps.data.documents.keys import LONGEST_KEY
from apps.data.models import ExportFormat
from apps.data.operations import NewCheckpoint, RestoreWanted
from apps.data.operations.checkpoints import MAX_DESCRIPTION, MAX_LABEL
from apps.data.operations.governing.exceptions import MAX_REASON
from apps.data.operations.searching import LONGEST_QUERY

LAST = 10**18


def asked(form: forms.Form) -> dict[str, Any]:
    """Return what a query asks for.

    Raises: InvalidRequest naming the first parameter that is wrong.
    """
    if not form.is_valid():
        name, messages = next(iter(form.errors.items()))
        if name == NON_FIELD_ERRORS:
            raise InvalidRequest(str(messages[0]))
        raise InvalidRequest(f"{name}: {messages[0]}", param=name)
    return form.cleaned_data


def _key(label: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=LONGEST_KEY,
        strip=False,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "data-find": "",
            }
        ),
    )


def _number() -> forms.IntegerField:
    return forms.IntegerField(
        required=False, min_value=1, max_value=LAST, widget=forms.HiddenInput
    )


class KeysForm(FilterForm):
    """What keys begin with, what to look for, behind which key the page begins."""

    under = _key("Keys that begin with")
    words = forms.CharField(
        label="What keys or values say",
        required=False,
        max_length=LONGEST_QUERY,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    literal = forms.BooleanField(label="In these words", required=False)
    after = forms.CharField(
        required=False,
        max_length=LONGEST_KEY,
        strip=False,
        widget=forms.HiddenInput,
    )


class KeyForm(forms.Form):
    """A key, which of its versions is shown, and where the list of these begins."""

    key = _key()
    version = _number()
    before = _number()
    raw = forms.BooleanField(required=False)


class ConfigForm(forms.Form):
    """The place in the list of a config's versions."""

    before = _number()


class RollbackConfigForm(forms.Form):
    """The config that was shown standing, and why another one is to."""

    expected = forms.IntegerField(min_value=0, max_value=LAST)
    reason = forms.CharField(required=False, max_length=2_000)
    key = forms.CharField(required=False, max_length=64)


class MakeCheckpointForm(forms.Form):
    """What a new checkpoint is called."""

    label = forms.CharField(
        label="What it is before, or after",
        max_length=MAX_LABEL,
        widget=forms.TextInput(
            attrs={"placeholder": "before the price import", "autocomplete": "off"}
        ),
    )
    description = forms.CharField(
        label="More (optional)",
        required=False,
        max_length=MAX_DESCRIPTION,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def said(self) -> NewCheckpoint:
        given = self.cleaned_data
        return NewCheckpoint(
            label=given["label"], description=given["description"] or None
        )


class ScheduleForm(forms.Form):
    """On which schedule checkpoints are made; nothing is none."""

    schedule = forms.CharField(
        label="hourly, daily or cron (UTC)",
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(
            attrs={
                "placeholder": "0 6 * * mon-fri",
                "autocomplete": "off",
                "spellcheck": "false",
            }
        ),
    )


class CheckpointsForm(forms.Form):
    """The checkpoint that is compared with another, and where the page begins."""

    first = forms.CharField(required=False, max_length=64)
    after = forms.CharField(required=False, max_length=64)


class CompareCheckpointsForm(forms.Form):
    """Two checkpoints, and behind which key the page begins."""

    first = forms.CharField(required=False, max_length=64)
    second = forms.CharField(required=False, max_length=64)
    after = forms.CharField(required=False, max_length=LONGEST_KEY, strip=False)


# What of a checkpoint comes back, and how that is said.
PARTS = {"all": "config and data", "config": "config alone", "data": "data alone"}


class RestorePartsForm(forms.Form):
    """Which parts of a checkpoint would come back."""

    parts = forms.ChoiceField(
        required=False,
        choices=[("", "all"), *PARTS.items()],
        error_messages={"invalid_choice": "It takes all, config or data."},
    )

    def wanted(self) -> RestoreWanted:
        parts = self.cleaned_data["parts"] or "all"
        return RestoreWanted(config=parts != "data", data=parts != "config")


class RestoreForm(RestorePartsForm):
    """The version that was shown standing, and why the checkpoint is to come back."""

    expected = forms.IntegerField(min_value=0, max_value=LAST)
    by_steps = forms.BooleanField(required=False)
    reason = forms.CharField(required=False, max_length=2_000)
    key = forms.CharField(required=False, max_length=64)

    def wanted(self) -> RestoreWanted:
        given = self.cleaned_data
        return replace(
            super().wanted(),
            expected=given["expected"],
            reasoning=given["reason"].strip() or None,
        )


class AgentAuditForm(FilterForm):
    """Which operations are listed, and below which record."""

    operation = forms.ChoiceField(
        required=False,
        choices=[("", "any"), *((str(one), str(one)) for one in OPERATIONS)],
        error_messages={"invalid_choice": "There is no such operation."},
    )
    before = _number()


class ExportForm(forms.Form):
    """How an agent's audit is exported."""

    format = forms.ChoiceField(choices=ExportFormat.choices)


class AllowForm(forms.Form):
    """What an exception is to let pass, for how long, and why."""

    covers = forms.ChoiceField(choices=[("text", "text"), ("prefix", "prefix")])
    begins = _key()
    days = forms.FloatField()
    reason = forms.CharField(
        max_length=MAX_REASON,
        error_messages={"required": "Say why, for who finds it allowed."},
    )
    key = forms.CharField(required=False, max_length=64)
