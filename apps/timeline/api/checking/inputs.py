"""What is sent to bisect a session."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.errors import InvalidRequest
from apps.core.http.input.fields import InputSerializer, TextField, WholeNumberField
from apps.timeline.api.checking.asked import read_check
from apps.timeline.bisect import (
    MOST_FLIPS,
    Along,
    Asked,
    Order,
    Place,
    Window,
    read_cursor,
)

FLIPS = 50


@extend_schema_field(
    {"oneOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]}
)
class CheckField(serializers.Field[Any, Any, Any, Any]):
    """A check: a line of text, or an object."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str | dict):
            raise serializers.ValidationError("This must be a text or an object.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class WordField(serializers.ChoiceField):
    """One of a few words; null is as if it were not sent."""

    def __init__(self, words: type[StrEnum], **options: Any) -> None:
        super().__init__([*words], required=False, allow_null=True, **options)


@extend_schema_serializer(component_name="BisectSession")
class BisectInput(InputSerializer):
    """A check, and the versions in question."""

    check = CheckField(
        help_text="What should hold, in one line such as state.total<=1500 AND NOT "
        "state.destination=null, or as JSON."
    )
    to = WholeNumberField(min_value=0, help_text="The last version; unset: the head.")
    lineage = WordField(
        Along,
        help_text="live: the versions that lead to the last one; all: by number, "
        "with those that a rollback set aside. live if unset.",
    )
    order = WordField(Order, help_text="Which flips are told first; newest if unset.")
    limit = WholeNumberField(
        min_value=1,
        max_value=MOST_FLIPS,
        help_text=f"How many flips at most; {FLIPS} if unset.",
    )
    starting_after = TextField(help_text="The `next` of an earlier answer.")

    def get_fields(self) -> dict[str, Any]:
        first = WholeNumberField(
            min_value=0,
            help_text="The first version; unset: the beginning, of a fork that of "
            "its origin.",
        )
        return super().get_fields() | {"from": first}

    @property
    def asked(self) -> Asked:
        """Return what is asked.

        Raises: InvalidRequest, for a check with the place of what is wrong.
        """
        given = self.validated_data
        limit = given.get("limit")
        return Asked(
            check=read_check(given["check"]),
            window=Window(
                first=given.get("from"),
                last=given.get("to"),
                along=Along(given.get("lineage") or Along.LIVE),
            ),
            order=Order(given.get("order") or Order.NEWEST),
            limit=FLIPS if limit is None else limit,
            start=_start(given.get("starting_after")),
        )


def _start(given: str | None) -> Place | None:
    if given is None:
        return None
    try:
        return read_cursor(given)
    except ValueError:
        raise InvalidRequest(
            "starting_after takes the next of an earlier answer.",
            param="starting_after",
        ) from None
