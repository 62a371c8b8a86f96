"""Forms of schemas: a schema, and a migration, each as JSON."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.core import json
from apps.core.errors import DomainError
from apps.schemas.operations import MAX_VERSION, NewMigration, NewSchema

LONGEST = 300_000
_PLAIN = {"autocomplete": "off", "spellcheck": "false"}


class NoJson(ValueError):
    """What was typed is no JSON of that shape; `field` says where it was typed."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(message)


class SchemaForm(forms.Form):
    """What states of one version are."""

    version = forms.CharField(
        max_length=MAX_VERSION,
        help_text="As states name it: 2.0.0.",
        widget=forms.TextInput(attrs=_PLAIN),
    )
    schema = forms.CharField(
        label="JSON Schema",
        max_length=LONGEST,
        help_text="It refers to nothing outside itself.",
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 8}),
    )
    strict = forms.BooleanField(
        label="Strict",
        required=False,
        help_text="Writes name a declared version, none older than the head's.",
    )

    def said(self) -> NewSchema:
        """Raises: NoJson."""
        given = self.cleaned_data
        schema = _read(given["schema"], "schema")
        if not isinstance(schema, dict):
            raise NoJson("schema", "A schema is a JSON object.")
        return NewSchema(
            version=given["version"], schema=schema, strict=given["strict"]
        )


class MigrationForm(forms.Form):
    """How a state of one version becomes one of another."""

    before = forms.ChoiceField(label="From")
    after = forms.ChoiceField(label="To")
    steps = forms.CharField(
        max_length=LONGEST,
        help_text="A JSON list, one step after another: "
        '[{"op": "rename", "at": "/dest", "to": "destination"}]. Also move, remove, '
        "default, map, convert, and each for the items of a list.",
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 8}),
    )

    def __init__(self, versions: list[str], *args: Any) -> None:
        super().__init__(*args)
        for name in ("before", "after"):
            self.fields[name].choices = [(one, one) for one in versions]  # type: ignore[attr-defined]

    def said(self) -> NewMigration:
        """Raises: NoJson."""
        given = self.cleaned_data
        return NewMigration(
            from_version=given["before"],
            to_version=given["after"],
            steps=_read(given["steps"], "steps"),
        )


def _read(text: str, field: str) -> Any:
    try:
        return json.parse(text.encode())
    except DomainError as refused:
        raise NoJson(field, f"This is no JSON: {refused.message}") from None
    except UnicodeEncodeError:
        raise NoJson(field, "This is no text that can be kept.") from None
