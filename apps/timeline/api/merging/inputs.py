"""What callers send to merge: which sides, and what is to become of conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from apps.core import json, paging
from apps.core.errors import InvalidRequest, MalformedJson, UnacceptableJson
from apps.core.http.input.fields import (
    ObjectField,
    OpaqueField,
    TextField,
    WholeNumberField,
)
from apps.diffs.merging import Choice, Pick
from apps.timeline.api.inputs import HeadInput, PointersField, StateField
from apps.timeline.bodies import bundles
from apps.timeline.queries.merging import (
    MergeRequest,
    Promote,
    Reapply,
    Restore,
    Result,
    Revert,
)

MOST_CHOICES = 100_000
LONGEST_POINTERS = 8_000
NUMBER = 2**53
_PICKS = [pick.value for pick in Pick if pick is not Pick.VALUE]


@extend_schema_field(
    {
        "type": "object",
        "description": "By the conflict's id.",
        "additionalProperties": {
            "oneOf": [
                {"type": "string", "enum": _PICKS},
                {
                    "type": "object",
                    "properties": {"value": {}},
                    "required": ["value"],
                    "additionalProperties": False,
                },
            ]
        },
    }
)
class ChoicesField(ObjectField):
    """What is to become of each conflict: a side's word, or a value of one's own."""

    def to_internal_value(self, data: Any) -> dict[str, Choice]:
        given = super().to_internal_value(data)
        if len(given) > MOST_CHOICES:
            raise serializers.ValidationError(
                f"This takes at most {MOST_CHOICES:,} choices."
            )
        return {id: _choice(value) for id, value in given.items()}


def _choice(value: Any) -> Choice:
    if isinstance(value, str) and value in _PICKS:
        return Choice(Pick(value))
    if isinstance(value, dict) and set(value) == {"value"}:
        return Choice(Pick.VALUE, value["value"])
    raise serializers.ValidationError(
        f'A choice is one of {", ".join(_PICKS)}, or {{"value": …}}.'
    )


class MergeInput(HeadInput):
    """What each of the four takes: the head that was shown, and why."""

    expected_version = WholeNumberField(
        min_value=0,
        help_text="The head that the preview showed; needed, unless `If-Match` has "
        "it. 409 with a new preview if it has moved.",
    )

    def chosen(self) -> Mapping[str, Choice]:
        found: Mapping[str, Choice] | None = self.validated_data.get("choices")
        return found or {}

    def request(self) -> MergeRequest:
        raise NotImplementedError


@extend_schema_serializer(component_name="Promote")
class PromoteInput(MergeInput):
    """Which fork to merge into the session."""

    fork = TextField(
        required=True, allow_null=False, allow_blank=False, help_text="Its session id."
    )
    fork_version = WholeNumberField(
        min_value=0, help_text="A version of the fork; its head if unset."
    )
    choices = ChoicesField(help_text="What is to become of conflicts.")
    state = StateField(
        help_text="The result, where a checkpointer has merged its `opaque` parts by "
        "itself; then there are no `choices`."
    )
    opaque = OpaqueField(help_text="The parts that it has merged, with `state`.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Have a result be whole, and name the version that was merged."""
        for name, other in (("opaque", "state"), ("state", "opaque")):
            if attrs.get(name) is not None and attrs.get(other) is None:
                message = f"With `{name}` this is required."
                raise serializers.ValidationError({other: message})
        if attrs.get("state") is not None and attrs.get("fork_version") is None:
            message = "Name the version of the fork that was merged."
            raise serializers.ValidationError({"fork_version": message})
        return attrs

    def request(self) -> MergeRequest:
        given = self.validated_data
        return Promote(
            fork_id=given["fork"],
            version=given.get("fork_version"),
            result=self._result(),
        )

    def _result(self) -> Result | None:
        state = self.validated_data.get("state")
        if state is None:
            return None
        return Result(state=state, parts=bundles.named_parts(self.validated_data))


class RangeInput(MergeInput):
    """Which versions are meant."""

    first_version = WholeNumberField(required=True, allow_null=False, min_value=0)
    last_version = WholeNumberField(required=True, allow_null=False, min_value=0)
    choices = ChoicesField(help_text="What is to become of conflicts.")


@extend_schema_serializer(component_name="Revert")
class RevertInput(RangeInput):
    """Which versions to take back."""

    def request(self) -> MergeRequest:
        given = self.validated_data
        return Revert(first=given["first_version"], last=given["last_version"])


@extend_schema_serializer(component_name="Reapply")
class ReapplyInput(RangeInput):
    """Which versions to apply once more."""

    def request(self) -> MergeRequest:
        given = self.validated_data
        return Reapply(first=given["first_version"], last=given["last_version"])


@extend_schema_serializer(component_name="Restore")
class RestoreInput(MergeInput):
    """Which places to restore, and as which version had them."""

    version = WholeNumberField(required=True, allow_null=False, min_value=0)
    pointers = PointersField(
        required=True,
        allow_null=False,
        help_text="JSON pointers (RFC 6901) into that version's state, 1,000 at most.",
    )

    def validate_pointers(self, value: list[Any]) -> list[Any]:
        if not all(isinstance(one, str) for one in value):
            raise serializers.ValidationError("This must be a list of JSON pointers.")
        return value

    def request(self) -> MergeRequest:
        given = self.validated_data
        return Restore(version=given["version"], pointers=tuple(given["pointers"]))


def promotion_in_query(request: Request) -> MergeRequest:
    """Read which fork a preview is about.

    Raises: InvalidRequest.
    """
    fork = paging.text_of(request, "fork")
    if not fork:
        raise InvalidRequest("fork takes the id of a session.", param="fork")
    version = paging.integer_of(request, "fork_version", minimum=0, maximum=NUMBER)
    return Promote(fork_id=fork, version=version)


def revert_in_query(request: Request) -> MergeRequest:
    """Raises: InvalidRequest."""
    return Revert(first=_number(request, "first_version"), last=_last(request))


def reapply_in_query(request: Request) -> MergeRequest:
    """Raises: InvalidRequest."""
    return Reapply(first=_number(request, "first_version"), last=_last(request))


def restore_in_query(request: Request) -> MergeRequest:
    """Read which places of which version a preview is about.

    Raises: InvalidRequest.
    """
    text = paging.text_of(request, "pointers", LONGEST_POINTERS) or ""
    try:
        found = json.parse(text.encode())
    except (MalformedJson, UnacceptableJson):
        found = None
    if not isinstance(found, list) or not all(isinstance(p, str) for p in found):
        message = 'pointers takes a JSON list of pointers: ["/a","/b/c"].'
        raise InvalidRequest(message, param="pointers")
    return Restore(version=_number(request, "version"), pointers=tuple(found))


def _last(request: Request) -> int:
    return _number(request, "last_version")


def _number(request: Request, name: str) -> int:
    found = paging.integer_of(request, name, minimum=0, maximum=NUMBER)
    if found is None:
        raise InvalidRequest(f"{name} takes a version number.", param=name)
    return found
