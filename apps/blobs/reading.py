"""Read the bytes of blobs that a version names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from apps.blobs.errors import ObjectsUnavailable
from apps.blobs.models import Blob
from apps.blobs.places import asking


def objects_of(project_id: str, digests: Collection[str]) -> Mapping[str, str]:
    """Return the names of the objects, by digest, of what is there."""
    found = Blob.objects.of_project(project_id).named(digests)
    return {one.digest: one.object_name for one in found}


def read(object_name: str, start: int, length: int) -> bytes:
    """Return bytes of an object.

    Raises: ObjectsUnavailable, also where it is cut off or not there.
    """
    if not length:
        return b""
    with asking() as store:
        found = store.range(object_name, start, length)
    if found is None or len(found) != length:
        raise ObjectsUnavailable
    return found
