"""What the API of memories answers."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer as named
from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    Actor,
    ListEnvelope,
    Output,
    Tombstone,
    maybe_number,
    maybe_text,
    open_object,
    text,
)

ORDINAL = "How often something was done to it: name it as `expected_version`."


def texts(help_text: str = "") -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), help_text=help_text)


def maybe_moment(help_text: str = "") -> serializers.DateTimeField:
    return serializers.DateTimeField(allow_null=True, help_text=help_text)


@named(component_name="MemorySource")
class Source(Output):
    """Where a text came from."""

    session_id = maybe_text()
    version = maybe_number("The session's head by then.")
    turn_id = maybe_text()
    by = text("api, import, update, or what formed it.")


@named(component_name="NearMemory")
class Near(Output):
    """Another memory that was near when this one was written."""

    id = text()
    similarity = serializers.FloatField()


@named(component_name="Memory")
class Memory(Output):
    """Something that is remembered."""

    object = text()
    id = text()
    session_id = text(
        "The session it is of or came from; empty of none.", allow_blank=True
    )
    scope = text("session, user, agent or project.")
    user_id = maybe_text("Of a user's memory.")
    agent_id = maybe_text("Of an agent's memory.")
    content = text()
    type = text()
    tags = texts()
    metadata = open_object()
    confidence = serializers.FloatField()
    status = text("believed, proposed, replaced, dropped, or taken (of a patch).")
    reinforced = serializers.IntegerField(help_text="How often others said the same.")
    untraced = serializers.IntegerField(
        help_text="Of those how many are not kept by name, but the newest 50: "
        "forgetting one of their sessions does not change it."
    )
    near = Near(many=True, help_text="Flagged, never merged.")
    replaced_by = maybe_text()
    taken_version = maybe_number(
        "Of a proposed patch: the version of its session that it was written as."
    )
    source = Source()  # type: ignore[assignment]
    external_id = maybe_text("Its id where it was imported from.")
    embedding_id = maybe_text()
    vector_available = serializers.BooleanField(
        help_text="Whether it is embedded as it stands; until then it is found as well."
    )
    version = serializers.IntegerField(help_text=ORDINAL)
    number = serializers.IntegerField(help_text="The version of its scope's document.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    expires_at = maybe_moment()


@named(component_name="FoundMemory")
class FoundMemory(Memory):
    """A memory, and how near it is."""

    score = serializers.FloatField(required=False, help_text="Of a search, 0 to 1.")


@named(component_name="MemoryList")
class MemoryList(ListEnvelope):
    """Memories: a page of a list, or what a search found, nearest first."""

    data = FoundMemory(many=True)  # type: ignore[assignment]
    query = text("Of a search, as the rest.", required=False)
    method = text("meaning_and_words, or words.", required=False)
    candidates = serializers.IntegerField(
        required=False, help_text="What was compared."
    )
    pending = serializers.IntegerField(
        required=False, help_text="What waits to be embedded."
    )
    stale = serializers.IntegerField(
        required=False, help_text="What only another model has embedded."
    )
    truncated = serializers.BooleanField(
        required=False, help_text="Not everything was looked at."
    )
    why = serializers.CharField(
        required=False, allow_null=True, help_text="Why it was not by meaning."
    )


@named(component_name="MemoryVersion")
class MemoryVersion(Output):
    """One thing that was done to a memory, and what it left."""

    version = serializers.IntegerField(help_text=ORDINAL)
    number = serializers.IntegerField()
    cause = text("set, removed, restored or expired.")
    memory = Memory(allow_null=True)
    contents_erased = serializers.BooleanField(
        help_text="A policy took what it left: `memory` is null."
    )
    restored_number = maybe_number()
    actor = Actor()
    reasoning = maybe_text()
    trace_id = text()
    created_at = serializers.DateTimeField()


@named(component_name="MemoryVersionList")
class MemoryVersionList(Output):
    """What was done to a memory, the newest first."""

    object = text()
    data = MemoryVersion(many=True)  # type: ignore[assignment]
    removed = Tombstone(
        many=True,
        help_text="What a policy removed between these, by the memory's versions.",
    )
    has_more = serializers.BooleanField()
    next_cursor = maybe_text()


@named(component_name="ResolvedMemories")
class Resolved(Output):
    """The memories that a decision was about, as they stand since."""

    object = text()
    data = Memory(many=True)  # type: ignore[assignment]


@named(component_name="MemoryState")
class MemoryState(Output):
    """What a memory says at one version."""

    content = text()
    type = text()
    status = text()
    confidence = serializers.FloatField()


@named(component_name="MemoryChange")
class MemoryChange(Output):
    """A memory that is different; null is that it is not there."""

    id = text()
    before = MemoryState(allow_null=True)
    after = MemoryState(allow_null=True)


@named(component_name="OwnerSteppedBack")
class OwnerSteppedBack(Output):
    """What was done with the memories of one owner."""

    scope = text()
    owner = text(
        "The session, the user, or what your code calls the agent.", allow_blank=True
    )
    number = serializers.IntegerField(
        help_text="The version it was done on: step back to it, and all is as before."
    )
    target = maybe_number("The version that is restored; of a session null.")
    stored_number = maybe_number("The version that it made; null if it made none.")
    count = serializers.IntegerField(help_text="Memories that are different.")
    changes = MemoryChange(many=True, help_text="The first of them.")
    has_more = serializers.BooleanField()


@named(component_name="MemoriesSteppedBack")
class SteppedBack(Output):
    """What stepping back did, or would do."""

    object = text()
    dry_run = serializers.BooleanField()
    count = serializers.IntegerField(help_text="Memories that are different.")
    has_more = serializers.BooleanField(
        help_text="Whether the session taught more than the 1,000 that a call forgets:"
        " the same call goes on, without an `Idempotency-Key` or with another one."
    )
    untraced = serializers.IntegerField(
        help_text="Memories of the session's owners that more said than are kept by "
        "name: whether this session did is not known (1,001: more). Else 0."
    )
    owners = OwnerSteppedBack(many=True)


@named(component_name="ImportedMemory")
class ImportedMemory(Output):
    """What became of one item."""

    index = serializers.IntegerField(help_text="Its place in the list, from 0.")
    id = text("Its id in the export.", allow_blank=True)
    result = text("imported, known (by its id), same (as another text) or refused.")
    memory_id = maybe_text()
    code = maybe_text("Why it was refused.")
    message = maybe_text()
    param = maybe_text()


@named(component_name="MemoriesImported")
class Imported(Output):
    """What became of an import."""

    object = text()
    imported = serializers.IntegerField()
    known = serializers.IntegerField()
    same = serializers.IntegerField()
    refused = serializers.IntegerField()
    results = ImportedMemory(many=True)
