"""What the API takes to decide about memories, step them back and import them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ListField,
    TextField,
    WholeNumberField,
)
from apps.core.time.moments import moment
from apps.memory.api.inputs import REASONING, PlacedInput, moment_in
from apps.memory.documents.deciding import OF_TWO, Decision
from apps.memory.operations.importing import MOST_ITEMS, Item, NoItem
from apps.memory.operations.resolving import Resolution
from apps.memory.operations.stepping import Wanted

# Of an export's item, what is understood; the rest is kept as metadata.
UNDERSTOOD = {
    *("id", "memory", "user_id", "agent_id", "run_id", "categories"),
    *("metadata", "created_at"),
}


@extend_schema_serializer(component_name="ResolveMemory")
class ResolveInput(InputSerializer):
    """What was decided about a memory."""

    synonyms = {"action": "decision"}

    memory_id = TextField(required=True, allow_null=False)
    decision = serializers.ChoiceField(
        required=False,
        allow_null=True,
        choices=list(Decision),
        help_text="Of a conflict keep (the other one stays), replace (this one stays) "
        "or both; accept, drop; promote (from a session to its user).",
    )
    action = TextField(help_text="Another name for `decision`.")
    other_id = TextField(
        help_text="The memory it conflicts with; the nearest that is flagged."
    )
    expected_version = WholeNumberField(
        min_value=0,
        help_text="Of a proposed patch that is accepted: the head of its session that "
        "you saw, else 409.",
    )
    expected_memory_version = WholeNumberField(
        min_value=1, help_text="The memory's `version` that you saw, else 409."
    )
    expected_other_version = WholeNumberField(
        min_value=1, help_text="Of a conflict: the other one's `version`, else 409."
    )
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    def resolution(self) -> Resolution:
        """Return the decision.

        Raises: InvalidRequest.
        """
        said = self.validated_data
        decision = said.get("decision") or said.get("action")
        if decision not in list(Decision):
            raise InvalidRequest(f"This takes {', '.join(Decision)}.", param="decision")
        other = said.get("expected_other_version")
        if other is not None and decision not in OF_TWO:
            raise InvalidRequest(
                "This is for a decision of two.", param="expected_other_version"
            )
        return Resolution(
            decision=Decision(decision),
            other_id=said.get("other_id"),
            seen=(said.get("expected_memory_version"), other),
            expected=said.get("expected_version"),
            reasoning=said.get("reasoning"),
        )


@extend_schema_serializer(component_name="StepMemoriesBack")
class RollbackInput(PlacedInput):
    """Whose memories are to be as they were, and when; or what is to be forgotten."""

    to = TextField(help_text="The moment, in ISO 8601.")
    version = WholeNumberField(
        min_value=0, help_text="The version of the document, `number` of an answer."
    )
    from_session = TextField(
        help_text="Instead: forget what this session taught, whosever it is."
    )
    dry_run = FlagField(help_text="Say what it would do, and write nothing.")
    expected_version = WholeNumberField(
        min_value=0, help_text="The `number` that you saw, else 409."
    )
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    @property
    def is_dry(self) -> bool:
        return bool(self.validated_data.get("dry_run"))

    @property
    def reason(self) -> str | None:
        reason: str | None = self.validated_data.get("reasoning")
        return reason

    def forgotten(self) -> str | None:
        """Return the session that is to be forgotten, if that is asked for.

        Raises: InvalidRequest where something else is asked for as well.
        """
        said = {name for name, one in self.validated_data.items() if one is not None}
        if "from_session" not in said:
            return None
        beside = said - {"from_session", "dry_run", "reasoning"}
        if beside:
            name = min(beside)
            raise InvalidRequest(
                f"from_session and {name} exclude each other.", param=name
            )
        return str(self.validated_data["from_session"])

    def wanted(self) -> Wanted:
        """Return what the memories are to be stepped back to.

        Raises: InvalidRequest.
        """
        said = self.validated_data
        return Wanted(
            place=self.place(),
            moment=moment_in(said.get("to"), "to"),
            version=said.get("version"),
            expected=said.get("expected_version"),
            reasoning=said.get("reasoning"),
        )


# An item that is none of mem0's is told as refused beside the others, so what is not an
# object is taken, too: an import is not refused because of one of a thousand.
_ITEM = {
    "type": "object",
    "description": "As mem0 tells a memory; what else it has is metadata.",
    "properties": {
        "id": {"type": "string"},
        "memory": {"type": "string"},
        "user_id": {"type": ["string", "null"]},
        "agent_id": {"type": ["string", "null"]},
        "run_id": {"type": ["string", "null"]},
        "metadata": {"type": ["object", "null"], "additionalProperties": {}},
        "categories": {"type": ["array", "null"], "items": {"type": "string"}},
        "created_at": {"type": ["string", "null"]},
    },
    "required": ["id", "memory"],
    "additionalProperties": {},
}
_NO_ITEM = {"description": "Anything else is told as refused, with why."}


@extend_schema_field({"type": "array", "items": {"anyOf": [_ITEM, _NO_ITEM]}})
class ItemsField(ListField):
    """Memories of an export; each is looked at by itself."""


@extend_schema_serializer(component_name="ImportMemories")
class ImportInput(InputSerializer):
    """Memories as mem0's `get_all` tells them."""

    synonyms = {"results": "memories"}

    memories = ItemsField(
        help_text=f"1 to {MOST_ITEMS:,}: each an object with `id`, `memory`, and "
        "`user_id`, `agent_id` or `run_id`; also `metadata`, `categories`, "
        "`created_at`. What else it has is kept as metadata."
    )
    results = ItemsField(help_text="Another name for `memories`.")

    def items(self) -> list[Item | NoItem]:
        """Return the items in their order, and for each that is none why.

        Raises: InvalidRequest where there is no list.
        """
        said = self.validated_data
        name = "memories" if said.get("memories") is not None else "results"
        given = said.get(name)
        if given is None:
            raise InvalidRequest("This field is required.", param="memories")
        return [_item(one) for one in given]


def _item(given: Any) -> Item | NoItem:
    """Return a memory of an export; what is none must not hold up the others."""
    try:
        return _read(given)
    except InvalidRequest as why:
        named = given.get("id") if isinstance(given, dict) else None
        return NoItem(external_id=named if isinstance(named, str) else "", why=why)


def _read(given: Any) -> Item:
    """Raises: InvalidRequest."""
    if not isinstance(given, dict):
        raise InvalidRequest("A memory is an object.")
    said = _Said(given)
    rest = {
        name: one
        for name, one in given.items()
        if name not in UNDERSTOOD and one is not None
    }
    return Item(
        external_id=said.text("id", required=True),
        content=said.text("memory", required=True),
        user_id=said.text("user_id") or None,
        agent_id=said.text("agent_id") or None,
        run_id=said.text("run_id") or None,
        tags=said.tags(),
        metadata={**rest, **said.metadata()},
        created_at=said.made_at(),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What an item says, field by field."""

    given: Mapping[str, Any]

    def text(self, name: str, *, required: bool = False) -> str:
        """Return a text; empty where it was not said.

        Raises: InvalidRequest.
        """
        value = self.given.get(name)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or "\0" in value:
            raise InvalidRequest(f"{name} is a text.", param=name)
        return value

    def tags(self) -> tuple[str, ...]:
        value = self.given.get("categories") or ()
        is_list = isinstance(value, list | tuple)
        if not is_list or not all(isinstance(one, str) for one in value):
            raise InvalidRequest("categories are a list of texts.", param="categories")
        return tuple(value)

    def metadata(self) -> Mapping[str, Any]:
        value = self.given.get("metadata")
        if value is not None and not isinstance(value, dict):
            raise InvalidRequest("metadata is an object.", param="metadata")
        return value or {}

    def made_at(self) -> datetime | None:
        text = self.text("created_at")
        try:
            return moment(text) if text else None
        except (ValueError, OverflowError):
            raise InvalidRequest(
                "This is no time in ISO 8601.", param="created_at"
            ) from None
