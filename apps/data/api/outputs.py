"""What the API of agents' data and config answers."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer as named
from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    Actor,
    Output,
    maybe_number,
    maybe_text,
    open_object,
    removed,
    text,
)

ORDINAL = "How often something was done to this key: name it as `expected_version`."
NUMBER = "The version of the agent's data; `at` takes it."
AUDIT = "The operation in the agent's audit; null where reads are not recorded."
ERASED = "A policy took the value: what there was of it, and when, stays."
BLOCKED = "Of a blocked write alone: "


def moment(help_text: str = "") -> serializers.DateTimeField:
    return serializers.DateTimeField(help_text=help_text)


def maybe_moment(help_text: str = "") -> serializers.DateTimeField:
    return serializers.DateTimeField(allow_null=True, help_text=help_text)


@named(component_name="BlockedAlso")
class Also(Output):
    """What else of a blocked write would have been blocked."""

    rule = text("The policy.")
    kind = text()
    place = text()
    masked = text("Its shape.", allow_blank=True)


@named(component_name="DataWriteOverride")
class Override(Also):
    """What a policy would have blocked, and why an administrator let it through."""

    floor = serializers.BooleanField(help_text="Whether the project's floor has it.")
    reason = text()


@named(component_name="DataWriteResult")
class WriteResult(Output):
    """What became of a value: stored, or blocked by a policy, which is no error."""

    key = text()
    allowed = serializers.BooleanField()
    audit_id = text("The operation in the agent's audit.")
    version = maybe_number(ORDINAL)
    number = maybe_number(NUMBER)
    expires_at = maybe_moment()
    created_at = moment()
    exceptions = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The exceptions without which it would have been blocked.",
    )
    override = Override(required=False)
    blocked_by = text(f"{BLOCKED}the policy.", required=False)
    reason = text(f"{BLOCKED}why.", required=False)
    message = text("As `reason`.", required=False)
    kind = text(f"{BLOCKED}what was found.", required=False)
    place = text(f"{BLOCKED}key, value or metadata.", required=False)
    floor = serializers.BooleanField(
        required=False,
        help_text="True where the project's floor blocks it, not the agent's config.",
    )
    masked = text(f"{BLOCKED}its shape.", required=False, allow_blank=True)
    also = Also(
        many=True,
        required=False,
        help_text=f"{BLOCKED}what else in it would have been, the first 9.",
    )


class BatchSummary(Output):
    """How many entries there were, and what became of them."""

    total = serializers.IntegerField()
    allowed = serializers.IntegerField()
    blocked = serializers.IntegerField()


@named(component_name="DataBatchResult")
class BatchResult(Output):
    """What became of each entry, in their order."""

    results = WriteResult(many=True)
    summary = BatchSummary()


@named(component_name="DataKey")
class ListedKey(Output):
    """A key that stands."""

    key = text()
    size = serializers.IntegerField(help_text="Of the value, in bytes.")
    version = serializers.IntegerField(help_text=ORDINAL)
    number = serializers.IntegerField(help_text=NUMBER)
    created_at = moment()
    updated_at = moment()
    expires_at = maybe_moment()
    value = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="With `full=true`; null where a removal took it.",
    )
    metadata = open_object("With `full=true`.", required=False)
    contents_erased = serializers.BooleanField(
        required=False, help_text=f"True where a removal took the value. {ERASED}"
    )


@named(component_name="DataEntryValue")
class EntryValue(Output):
    """What stands under a key."""

    key = text()
    value = text(allow_blank=True)
    metadata = open_object()
    size = serializers.IntegerField(help_text="Of the value, in bytes.")
    version = serializers.IntegerField(help_text=ORDINAL)
    number = serializers.IntegerField(help_text=NUMBER)
    created_at = moment()
    updated_at = moment()
    expires_at = maybe_moment()
    audit_id = text("Empty where reads are not recorded.", allow_blank=True)


@named(component_name="DataEntry")
class Entry(EntryValue):
    """A value at the top, where SDKs read, and under `entry`."""

    object = text()
    entry = EntryValue()


class KeyName(Output):
    """A key by itself."""

    key = text()


@named(component_name="DataKeyList")
class KeyList(Output):
    """A page of keys, in the order of their bytes."""

    object = text()
    data = ListedKey(many=True)  # type: ignore[assignment]
    keys = KeyName(many=True, help_text="The same keys, for older clients.")
    has_more = serializers.BooleanField()
    total = maybe_number("Up to 1,000, which is 1,000 and more; null with `at`.")
    next_cursor = maybe_text("Give it as `cursor` for the next page.")
    audit_id = maybe_text(AUDIT)


@named(component_name="DataKeyListOrEntry")
class KeyListOrEntry(KeyList):
    """A page of keys; with `key`, the value under it: what GET …/data/{key} answers."""

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        listed = super().get_fields()
        fields = Entry().get_fields() | listed
        for name, one in fields.items():
            one.required = name in ("object", "audit_id")
        return fields


@named(component_name="DataKeyVersion")
class KeyVersion(Output):
    """One thing that was done to a key."""

    key = text()
    version = serializers.IntegerField(help_text=ORDINAL)
    number = serializers.IntegerField(help_text=NUMBER)
    cause = text("set, removed, restored or expired")
    value = serializers.CharField(
        allow_null=True,
        allow_blank=True,
        help_text="Null where nothing was left, its time is over, or it was erased.",
    )
    metadata = open_object()
    contents_erased = serializers.BooleanField(help_text=ERASED)
    size = serializers.IntegerField()
    restored_number = maybe_number("The version of the data that was restored.")
    actor = Actor()
    reasoning = maybe_text()
    created_at = moment()
    created_by = text("The label of `actor`.")
    expires_at = maybe_moment()
    audit_id = text("The operation in the agent's audit.")

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        fields = super().get_fields()
        fields["metadata"].allow_null = True
        return fields


@named(component_name="DataKeyVersionList")
class KeyVersionList(Output):
    """What was done to a key, the newest first."""

    object = text()
    data = KeyVersion(many=True)  # type: ignore[assignment]
    versions = KeyVersion(many=True, help_text="As `data`.")
    removed = removed("between these, by the key's versions")
    has_more = serializers.BooleanField()
    next_cursor = maybe_text("Give it as `cursor` for the next page.")
    audit_id = maybe_text(AUDIT)


@named(component_name="DataSearchMatch")
class SearchMatch(Output):
    """A value that was found."""

    key = text()
    value = text(allow_blank=True)
    similarity = serializers.FloatField(help_text="From 0 to 1.")
    metadata = open_object()


@named(component_name="DataSearchResult")
class SearchResult(Output):
    """The nearest values, the nearest first."""

    object = text()
    results = SearchMatch(many=True)
    method = text(
        "meaning; words: how many of the query's words are in key or value; "
        "meaning_and_words: the latter for values that have no vector yet."
    )
    truncated = serializers.BooleanField(
        help_text="Not all keys were looked at: name a longer prefix."
    )
    pending = serializers.IntegerField(
        help_text="Values that wait to be embedded: searched by words."
    )
    stale = serializers.IntegerField(
        help_text="Values that another model embedded, up to 1,000: searched by words."
    )
    why = maybe_text("Why it was not searched by meaning.")
    audit_id = maybe_text(AUDIT)


@named(component_name="DataRemoval")
class Removal(Output):
    """How many keys were deleted."""

    success = serializers.BooleanField()
    deleted = serializers.IntegerField()
    deleted_count = serializers.IntegerField(help_text="As `deleted`.")
    number = maybe_number(NUMBER)
    audit_id = maybe_text("Null where there was nothing to delete.")


@named(component_name="AgentConfigVersion")
class ConfigVersion(Output):
    """A version of an agent's config, without it."""

    version = text("Such as v3; v0 is no config.")
    number = serializers.IntegerField(help_text=NUMBER)
    created_at = moment()
    created_by = maybe_text()
    summary = text()
    audit_id = maybe_text("The operation in the agent's audit.")


@named(component_name="AgentConfig")
class Config(ConfigVersion):
    """An agent's config."""

    object = text()
    agent_id = text()
    config = open_object()
    floor = open_object(
        "The project's policies that hold beside it: of each the stricter counts."
    )
    previous_version = maybe_text()


@named(component_name="AgentConfigVersionList")
class ConfigVersionList(Output):
    """Versions of a config, the newest first."""

    object = text()
    data = ConfigVersion(many=True)  # type: ignore[assignment]
    versions = ConfigVersion(many=True, help_text="As `data`.")
    has_more = serializers.BooleanField()
    next_cursor = maybe_text("Give it as `cursor` for the next page.")
