"""What the API of agents' data takes; nulls mean "not said"."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    NumberField,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.core.http.openapi.schema import ANY_NAMES
from apps.data.documents.values import MOST_ENTRIES, NewValue
from apps.data.operations.searching import LEAST_SIMILARITY, Method, SearchAsked

DEFAULT_FOUND = 10
MOST_FOUND = 100
# As Anchor's clients have it where nothing is said.
_VERSION = re.compile(r"v?(0|[1-9][0-9]{0,15})", re.ASCII)
REASONING = "Why: it is kept with the version."
OVERRIDE = (
    "Why it is to be stored even if policies block it; for administrators' keys. It "
    "is recorded with the rule."
)


class ExactField(TextField):
    """Any text that JSON can say, U+0000 too; the operations bound it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.validators = []


@extend_schema_serializer(component_name="DataWriteEntry")
class EntryInput(InputSerializer):
    """A value for one key."""

    key = ExactField(required=True, allow_null=False)
    value = ExactField(required=True, allow_null=False)
    metadata = ObjectField(help_text="At most 16 KiB.")
    expected_version = WholeNumberField(
        min_value=0,
        help_text="The key's `version` that you saw (0: it was absent), else 409.",
    )

    def new_value(self) -> NewValue:
        said = self.validated_data
        return NewValue(
            key=said["key"],
            value=said["value"],
            metadata=said.get("metadata") or {},
            expected=said.get("expected_version"),
        )


@extend_schema_serializer(component_name="DataWrite")
class WriteInput(EntryInput):
    """A value for one key, and why."""

    reasoning = TextField(max_length=32_768, help_text=REASONING)
    override_reason = TextField(help_text=OVERRIDE)


@extend_schema_field(EntryInput(many=True))
class EntriesField(ListField):
    """Entries of a batch."""

    holds = EntryInput


@extend_schema_serializer(component_name="DataWriteBatch")
class BatchInput(InputSerializer):
    """Values for many keys, which are written in their order."""

    synonyms = {"items": "entries"}

    entries = EntriesField(help_text=f"1 to {MOST_ENTRIES}.")
    items = EntriesField(help_text="Another name for `entries`.")
    reasoning = TextField(max_length=32_768, help_text=REASONING)
    override_reason = TextField(help_text=OVERRIDE)

    @property
    def name(self) -> str:
        """Return what the caller calls the list."""
        return "items" if self.validated_data.get("entries") is None else "entries"

    def new_values(self) -> list[NewValue]:
        """Return the values.

        Raises: InvalidRequest naming the first entry that is none.
        """
        given = self.validated_data.get(self.name)
        if given is None:
            raise InvalidRequest("This field is required.", param="entries")
        if len(given) > MOST_ENTRIES:
            raise InvalidRequest(
                f"At most {MOST_ENTRIES} entries go into one batch; there are "
                f"{len(given)}.",
                param=self.name,
            )
        return [self._new_value(place, one) for place, one in enumerate(given)]

    def _new_value(self, place: int, given: Any) -> NewValue:
        within = f"{self.name}[{place}]"
        if not isinstance(given, dict):
            raise InvalidRequest("An entry is an object.", param=within, item=place)
        entry = EntryInput(data=given)
        if not entry.is_valid():
            (name, faults), *_ = entry.errors.items()
            message = f"{within}.{name}: {faults[0]}"
            raise InvalidRequest(message, param=f"{within}.{name}", item=place)
        return entry.new_value()


@extend_schema_serializer(component_name="DataSearch")
class SearchInput(InputSerializer):
    """What to look for."""

    synonyms = {"threshold": "min_similarity", "top_k": "limit"}

    query = TextField(required=True, allow_null=False)
    limit = WholeNumberField(
        min_value=1, max_value=MOST_FOUND, help_text=f"{DEFAULT_FOUND}, unless said."
    )
    top_k = WholeNumberField(
        min_value=1, max_value=MOST_FOUND, help_text="Another name for `limit`."
    )
    min_similarity = NumberField(
        min_value=0, max_value=1, help_text=f"{LEAST_SIMILARITY}, unless said."
    )
    threshold = NumberField(
        min_value=0, max_value=1, help_text="Another name for `min_similarity`."
    )
    prefix = TextField(max_length=512, help_text="Only keys that begin so.")
    method = serializers.ChoiceField(
        required=False,
        choices=[Method.MEANING.value, Method.WORDS.value],
        allow_null=True,
        help_text="meaning, where it is possible, unless said.",
    )

    def asked(self) -> SearchAsked:
        said = {
            name: value
            for name, value in self.validated_data.items()
            if value is not None
        }
        least = said.get("min_similarity", said.get("threshold", LEAST_SIMILARITY))
        return SearchAsked(
            query=said["query"],
            limit=said.get("limit", said.get("top_k", DEFAULT_FOUND)),
            least=least,
            prefix=said.get("prefix", ""),
            method=Method(said.get("method", Method.MEANING)),
        )


@extend_schema_serializer(component_name="AgentConfigInput", extensions=ANY_NAMES)
class ConfigInput(serializers.Serializer[Any]):
    """The config itself: any fields. What is named here has a meaning to the server.

    A policy that there is not is refused: a slip must not switch protection off.
    """

    policies = ObjectField(
        help_text="What writes are checked against; see docs/policies.md."
    )
    audit = ObjectField(help_text="`reads`: false keeps reads out of the audit.")


@extend_schema_serializer(component_name="RollBackConfig")
class RollbackInput(InputSerializer):
    """Which version of the config to go back to."""

    synonyms = {"version": "target_version"}

    target_version = TextField(help_text="Such as v2; v0 is no config at all.")
    version = TextField(help_text="Another name for `target_version`.")
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    def target(self) -> int:
        """Return the version's number.

        Raises: InvalidRequest.
        """
        said = self.validated_data
        text = said.get("target_version") or said.get("version")
        if text is None:
            raise InvalidRequest("This field is required.", param="target_version")
        number = version_number(text)
        if number is None:
            raise InvalidRequest("This takes a version, as v2.", param="target_version")
        return number


def version_number(text: str) -> int | None:
    """Return the number of a config's version, None for what is none."""
    spelled = _VERSION.fullmatch(text)
    return int(spelled[1]) if spelled else None
