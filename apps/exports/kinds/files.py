"""The files of a session that is taken out: which versions name them, and their bytes.

Bytes stand under their SHA-256, once, as they are kept: nothing of a caller is a name
in the archive. Nobody can mask what is in them, so they are in it only unmasked.
"""

from __future__ import annotations

from typing import Any

from apps.blobs import reading
from apps.blobs.models import Blob, Use
from apps.exports.kinds.taking import TakingSession
from apps.timeline.api.files.views import file_object
from apps.timeline.queries import files_shown
from apps.timeline.versions import versions_at

VERSIONS_AT_ONCE = 20
BLOBS_AT_ONCE = 50
NEEDS_UNMASKED = "contents_of_files_masked"
GONE = "contents_of_files_gone"


def listed(taking: TakingSession, after: Any) -> int | None:
    """Write which files each version has that names some anew."""
    uses = Use.objects.of_session(taking.session.id).filter(number__lte=taking.through)
    if after is not None:
        uses = uses.filter(number__gt=after)
    found = uses.order_by("number").values_list("number", flat=True).distinct()
    numbers = list(found[:VERSIONS_AT_ONCE])
    if not numbers:
        return None
    told = [
        {"version": row.number} | file_object(file)
        for row in versions_at(taking.session.id, numbers)
        if not row.is_emptied
        for file in files_shown(row)
    ]
    taking.add(f"files/{numbers[0]:08}-{numbers[-1]:08}.jsonl", told)
    return int(numbers[-1])


def contents(taking: TakingSession, after: Any) -> str | None:
    """Write the bytes of what the versions name, until there is enough."""
    project_id = taking.session.project_id
    uses = Use.objects.of_session(taking.session.id).filter(number__lte=taking.through)
    digests = uses.order_by("digest").values_list("digest", flat=True).distinct()
    if not taking.is_open:
        if count := digests.count():
            taking.made.left_out[NEEDS_UNMASKED] += count
        return None
    if after is not None:
        digests = digests.filter(digest__gt=after)
    named = list(digests[:BLOBS_AT_ONCE])
    there = {
        one.digest: one for one in Blob.objects.of_project(project_id).named(named)
    }
    for digest in named:
        blob = there.get(digest)
        if blob is None:
            taking.made.left_out[GONE] += 1
        else:
            data = reading.read(blob.object_name, 0, blob.size)
            taking.add_bytes(f"blobs/{digest}", data)
        if taking.made.is_full:
            return str(digest)
    return str(named[-1]) if named else None
