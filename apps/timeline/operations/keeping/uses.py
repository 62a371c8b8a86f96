"""Keep the blobs that kept versions show, when the version that named them goes.

A version carries on the files of the one before it, or shows the body of another; who
named the blobs first has the uses. Of versions that go, those that follow a run of them
and those to which a body has moved are all that may have lost what they build on: they
get uses of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from apps.blobs.models import Use
from apps.blobs.operations.naming import write_uses
from apps.timeline.bodies import files
from apps.timeline.models import Session
from apps.timeline.operations.keeping.rows import Moved
from apps.timeline.removed import runs
from apps.timeline.versions import fetching, reading


def carry_on(session: Session, going: Sequence[int], moved: Sequence[Moved]) -> None:
    """Write the uses of versions that stay; those of what goes are deleted after it."""
    if not Use.objects.of_session(session.id).exists():
        return
    heirs = {high + 1 for _, high in runs(going)} | {one.place for one in moved}
    stay = fetching.versions_at(session.id, sorted(heirs - set(going)))
    named = {
        one.number: files.chunks_of(reading.parts(one))
        for one in stay
        if not one.is_emptied
    }
    write_uses(session.project_id, session.id, named)
