"""What a checkpointer has merged by itself: it alone can read its opaque parts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from apps.core import json
from apps.core.json import State
from apps.diffs.merging import merge
from apps.timeline.bodies import Part, bundles
from apps.timeline.queries.merging.combining import STATE, Combined, opaque_among
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What was merged: a whole state, and the parts in place of the head's."""

    state: State = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)

    def digest(self) -> str:
        """Return what stands for all of it, such as in what people allow."""
        digest = hashlib.sha256(json.dumps(self.state))
        for part in sorted(self.parts, key=lambda part: part.name):
            digest.update(f"{part.name} {part.media_type} ".encode())
            digest.update(hashlib.sha256(part.data).digest())
        return digest.hexdigest()


def merged_elsewhere(head: VersionRow, result: Result) -> Combined:
    """Return the head's bundle with what was merged.

    Raises: UnacceptableJson, PayloadTooLarge.
    """
    before = reading.parsed(head)
    carried = reading.parts(head)
    parts = bundles.assembled(
        result.state, before=before, carried=carried, given=result.parts
    )
    ours = {STATE: before}
    return Combined(
        state=result.state,
        parts=parts,
        changes=merge(ours, ours, {STATE: result.state}).changes,
        takes_opaque=opaque_among(parts) != opaque_among(carried),
    )
