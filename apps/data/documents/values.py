"""Values under keys: as they come in, as they are kept, and as they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from apps.core import json
from apps.core.errors import ContentTooLarge, InvalidRequest
from apps.core.time.moments import utc_text
from apps.data.documents.keys import require_key
from apps.data.policies import Block

MOST_ENTRIES = 100
MAX_VALUE_BYTES = 1024 * 1024
MAX_METADATA_BYTES = 16 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class NewValue:
    """A value to write; `expected` is the version that its key must have (0: none)."""

    key: str
    value: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expected: int | None = None

    @property
    def size(self) -> int:
        """Return the value's bytes."""
        return len(self.value.encode())

    def require(self, *, within: str = "") -> None:
        """Refuse what cannot be kept; `within` names its place in a batch.

        Raises: InvalidKey, InvalidRequest, ContentTooLarge.
        """
        require_key(self.key, param=f"{within}key")
        try:
            size = self.size
        except UnicodeEncodeError:
            raise InvalidRequest(
                "A value is text: half of a surrogate pair is not.",
                param=f"{within}value",
            ) from None
        require_size(size, MAX_VALUE_BYTES, "value", param=f"{within}value")
        require_size(
            len(json.dumps(self.metadata)),
            MAX_METADATA_BYTES,
            "metadata",
            param=f"{within}metadata",
        )

    def body(self, expires_at: datetime | None) -> bytes:
        """Return what is kept of it."""
        return json.dumps(
            {
                "key": self.key,
                "value": self.value,
                "metadata": dict(self.metadata),
                "expires_at": utc_text(expires_at),
            }
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """Why a value is stored that a policy would have blocked.

    Exceptions stand for it, or an administrator has let it through, for a reason.
    """

    exceptions: tuple[str, ...] = ()
    overridden: Block | None = None
    reason: str = ""

    def told(self) -> dict[str, Any]:
        """Return what the record and the answer say of it; nothing of the value."""
        if self.overridden is None:
            return {"exceptions": list(self.exceptions)}
        block = self.overridden
        return {
            "override": {
                "rule": str(block.rule),
                "kind": block.kind,
                "place": block.place,
                "masked": block.masked,
                "floor": block.is_by_floor,
                "reason": self.reason,
            }
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteResult:
    """What became of one value: stored, or blocked by a policy."""

    key: str
    event_id: str
    created_at: datetime
    block: Block | None = None
    # How often something was done to the key, and the document's version.
    ordinal: int | None = None
    number: int | None = None
    expires_at: datetime | None = None
    passage: Passage | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptValue:
    """What stands under a key; `value` is None where it was not asked for."""

    key: str
    number: int
    ordinal: int
    size: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    value: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    # A removal took the value.
    is_emptied: bool = False


def kept_in(raw: bytes) -> dict[str, Any]:
    """Return the object that was written as JSON."""
    return cast(dict[str, Any], json.parse_written(raw))


def require_size(size: int, limit: int, name: str, *, param: str) -> None:
    """Raises: ContentTooLarge."""
    if size > limit:
        raise ContentTooLarge(
            f"The {name} has {size:,} bytes; at most {limit:,} are kept.",
            param=param,
            size=size,
            limit=limit,
        )


def require_entries(items: Sequence[NewValue], name: str) -> None:
    """Refuse what cannot be kept of a list that the caller calls `name`.

    Raises: InvalidKey, InvalidRequest, ContentTooLarge.
    """
    if not 0 < len(items) <= MOST_ENTRIES:
        raise InvalidRequest(
            f"{name} takes 1 to {MOST_ENTRIES} entries; there are {len(items)}.",
            param=name,
        )
    for place, item in enumerate(items):
        item.require(within=f"{name}[{place}]." if name else "")
