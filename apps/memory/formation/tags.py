"""What an agent marks in its own words: `<memory>` and `<state_update>`.

No model is asked, and the text is data: nothing in it is carried out. Marks that do not
end are none, and the rest of the text is not looked through again for each.
"""

from __future__ import annotations

from collections.abc import Iterator

from apps.core import json
from apps.core.errors import DomainError
from apps.memory.documents.contents import (
    LONGEST_CONTENT,
    MAX_METADATA_BYTES,
    UPDATE,
)
from apps.memory.formation.proposals import MOST, Proposal

LONGEST_TEXT = 1_000_000
MEMORY = "memory"


def marked(text: str) -> list[Proposal]:
    """Return what is marked in a text, at most 20 in their order."""
    found: list[tuple[int, Proposal]] = []
    text = text[:LONGEST_TEXT]
    for at, content in _between(text, MEMORY):
        if content.strip() and len(content) <= LONGEST_CONTENT:
            found.append((at, Proposal(content=content.strip(), type="observation")))
    for at, content in _between(text, UPDATE):
        update = _update(content)
        if update is not None:
            found.append((at, update))
    return [one for _, one in sorted(found, key=lambda each: each[0])][:MOST]


def _between(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield what stands between a mark and its end, so many and no more."""
    begin, end = f"<{name}>", f"</{name}>"
    at = 0
    for _ in range(MOST):
        start = text.find(begin, at)
        stop = text.find(end, start + len(begin)) if start >= 0 else -1
        if stop < 0:
            return
        yield start, text[start + len(begin) : stop]
        at = stop + len(end)


def _update(content: str) -> Proposal | None:
    """Return a proposed patch; None for what is no JSON object, or too large."""
    if not content.strip() or len(content) > LONGEST_CONTENT:
        return None
    try:
        patch = json.parse(content.encode())
    except (DomainError, UnicodeEncodeError):
        return None
    metadata = {"patch": patch}
    # It would be refused as a memory, and with it whatever its turn says besides.
    is_large = len(json.dumps(metadata)) > MAX_METADATA_BYTES
    if is_large or not isinstance(patch, dict):
        return None
    return Proposal(content=content.strip(), type=UPDATE, metadata=metadata)
