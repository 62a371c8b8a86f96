"""The files of versions as the OpenAPI document describes them."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)


@extend_schema_serializer(component_name="FileChunk")
class Chunk(Output):
    """Bytes of a file that are one blob."""

    sha256 = text()
    size = serializers.IntegerField(help_text="Bytes.")


@extend_schema_serializer(component_name="VersionFile")
class File(Output):
    """A file of a version; all of it is as the agent named it."""

    object = text("file")
    path = text()
    size = serializers.IntegerField(help_text="Bytes.")
    mode = maybe_number("The nine bits of its rights.")
    media_type = maybe_text()
    caption = maybe_text()
    chunks = Chunk(many=True, help_text="Its bytes, in order.")


@extend_schema_serializer(component_name="VersionFileList")
class FileList(ListEnvelope):
    """One page of the files of a version, in the order in which they were named."""

    session_id = text()
    version = serializers.IntegerField()
    total = serializers.IntegerField(help_text="How many files it has.")
    data = File(many=True)
