"""What the API of memories takes; nulls mean "not said"."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    NumberField,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.core.time.moments import moment
from apps.memory.api.base import FOUND, MOST_FOUND
from apps.memory.documents.contents import (
    DEFAULT_TYPE,
    LEAST_CONFIDENCE,
    LONGEST_CONTENT,
    MOST_TAGS,
)
from apps.memory.documents.owners import Place
from apps.memory.operations.adding import NewMemory
from apps.memory.operations.changing import Changes
from apps.memory.operations.searching import LEAST_SCORE, SearchAsked

REASONING = "Why: it is kept with the version."
OTHER_NAME = "Another name for `{}`."


class TagsField(serializers.ListField):
    """Tags, each a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=TextField(allow_null=False, allow_blank=False),
            required=False,
            allow_null=True,
            help_text=f"At most {MOST_TAGS}.",
            **options,
        )


class PlacedInput(InputSerializer):
    """Whose memories are meant."""

    session_id = TextField(help_text="The session; empty is none.")
    user_id = TextField(help_text="The user, as your code calls them.")
    agent_id = TextField(help_text="The agent: our id, or your name for it.")
    scope = TextField(
        help_text="session, user, agent or project; the narrowest that is named."
    )

    def place(self, session_id: str | None = None) -> Place:
        """Return whose they are; `session_id` is that of the address.

        Raises: InvalidRequest where the body names another session.
        """
        named = {
            name: self.validated_data.get(name) or None
            for name in ("session_id", "user_id", "agent_id", "scope")
        }
        if session_id is not None:
            if named["session_id"] not in (None, session_id):
                raise InvalidRequest("The address names another.", param="session_id")
            named["session_id"] = session_id
        return Place(**named)


@extend_schema_serializer(component_name="AddMemory")
class MemoryInput(PlacedInput):
    """Something to remember."""

    synonyms = {"memory_type": "type"}

    content = TextField(
        required=True,
        allow_null=False,
        help_text=f"The text, at most {LONGEST_CONTENT:,} characters.",
    )
    type = TextField(help_text=f"Such as fact or preference; {DEFAULT_TYPE}.")
    memory_type = TextField(help_text=OTHER_NAME.format("type"))
    tags = TagsField()
    metadata = ObjectField(help_text="At most 16 KiB.")
    embed = FlagField(help_text="Whether it is found by meaning; true.")
    confidence = NumberField(
        help_text=f"0 to 1; below {LEAST_CONFIDENCE} it is a proposal. 1."
    )
    version = WholeNumberField(
        min_value=0, help_text="The session's version it was learnt from; its head."
    )
    turn_id = TextField(help_text="The turn it was learnt from.")
    expires_at = TextField(help_text="When it ends, in ISO 8601.")
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    def new_memory(self, session_id: str | None = None) -> NewMemory:
        """Return what is to be remembered.

        Raises: InvalidRequest.
        """
        said = {k: v for k, v in self.validated_data.items() if v is not None}
        kind = said.get("type", said.get("memory_type", DEFAULT_TYPE))
        return NewMemory(
            content=said["content"],
            place=self.place(session_id),
            type=kind,
            tags=tuple(said.get("tags", ())),
            metadata=said.get("metadata", {}),
            confidence=said.get("confidence", 1.0),
            embeds=said.get("embed", True),
            version=said.get("version"),
            turn_id=said.get("turn_id"),
            expires_at=moment_in(said.get("expires_at"), "expires_at"),
            reasoning=said.get("reasoning"),
        )


@extend_schema_serializer(component_name="ChangeMemory")
class ChangeInput(InputSerializer):
    """What is to be different; what is not named stays."""

    synonyms = {"memory_type": "type"}

    content = TextField(help_text=f"At most {LONGEST_CONTENT:,} characters.")
    type = TextField()
    memory_type = TextField(help_text=OTHER_NAME.format("type"))
    tags = TagsField()
    metadata = ObjectField(help_text="PATCH merges it, PUT sets it.")
    confidence = NumberField(help_text="0 to 1.")
    embed = FlagField()
    expires_at = TextField(help_text="When it ends, in ISO 8601.")
    expected_version = WholeNumberField(
        min_value=1, help_text="The memory's `version` that you saw, else 409."
    )
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    def changes(self, *, merges: bool) -> Changes:
        """Return the changes.

        Raises: InvalidRequest.
        """
        said = self.validated_data
        tags = said.get("tags")
        return Changes(
            content=said.get("content"),
            type=said.get("type") or said.get("memory_type"),
            tags=None if tags is None else tuple(tags),
            metadata=said.get("metadata"),
            merges=merges,
            confidence=said.get("confidence"),
            embeds=said.get("embed"),
            expires_at=moment_in(said.get("expires_at"), "expires_at"),
            expected=said.get("expected_version"),
            reasoning=said.get("reasoning"),
        )


@extend_schema_serializer(component_name="SearchMemories")
class SearchInput(PlacedInput):
    """What to look for."""

    synonyms = {"top_k": "limit"}

    query = TextField(required=True, allow_null=False)
    type = TextField(help_text="Memories of this type.")
    types = TagsField()
    tags = TagsField()
    limit = WholeNumberField(
        min_value=1, max_value=MOST_FOUND, help_text=f"{FOUND}, unless said."
    )
    top_k = WholeNumberField(
        min_value=1, max_value=MOST_FOUND, help_text=OTHER_NAME.format("limit")
    )
    threshold = NumberField(
        min_value=0, max_value=1, help_text=f"{LEAST_SCORE}, unless said."
    )

    def asked(self, session_id: str | None = None) -> SearchAsked:
        """Return the question.

        Raises: InvalidRequest.
        """
        said = {k: v for k, v in self.validated_data.items() if v is not None}
        types = [said["type"]] if said.get("type") else []
        return SearchAsked(
            query=said["query"],
            place=self.place(session_id),
            limit=said.get("limit", said.get("top_k", FOUND)),
            least=said.get("threshold", LEAST_SCORE),
            types=(*types, *said.get("types", ())),
            tags=tuple(said.get("tags", ())),
        )


def moment_in(text: str | None, name: str) -> datetime | None:
    """Return a moment that was said.

    Raises: InvalidRequest.
    """
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise InvalidRequest(f"{name} takes a time in ISO 8601.", param=name) from None
