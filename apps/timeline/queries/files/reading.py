"""Read the files of a version, which its part `artifacts` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.blobs import reading as blobs
from apps.blobs.errors import ObjectsUnavailable
from apps.timeline import bodies
from apps.timeline.bodies import files
from apps.timeline.bodies.files import File
from apps.timeline.errors import FileNotFound
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a file: from `start`, `length` of them."""

    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Content:
    """Where the chunks of a file are in the store."""

    file: File
    objects: Mapping[str, str]

    def read(self, span: Span) -> Iterator[bytes]:
        """Yield these bytes, a chunk of at most 8 MiB at a time.

        Raises: ObjectsUnavailable.
        """
        begin, end, at = span.start, span.start + span.length, 0
        for chunk in self.file.chunks:
            first, last = max(begin, at), min(end, at + chunk.size)
            if first < last:
                name = self.objects.get(chunk.digest)
                if name is None:
                    raise ObjectsUnavailable
                yield blobs.read(name, first - at, last - first)
            at += chunk.size


def files_shown(version: VersionRow) -> list[File]:
    """Return the files that a version has, in the order in which they were named.

    Raises: ContentsErased.
    """
    part = bodies.part_view(reading.raw_of(version), "artifacts")
    return [] if part is None else files.files_of(bytes(part))


def file_at(version: VersionRow, path: str) -> File:
    """Return the file of a version at this path.

    Raises: FileNotFound, ContentsErased.
    """
    for one in files_shown(version):
        if one.path == path:
            return one
    raise FileNotFound


def content_of(project_id: str, file: File) -> Content:
    """Return what reads a file of a version that its caller may see."""
    digests = {one.digest for one in file.chunks}
    return Content(file, blobs.objects_of(project_id, digests))
