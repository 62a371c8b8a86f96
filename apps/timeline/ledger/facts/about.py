"""What is known of a session besides its states: who, what for, how long it lives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.core.json import Json
from apps.timeline.versions.reading import require_text

MAX_METADATA_BYTES = 64 * 1024
MAX_TITLE = 300
LONGEST_TTL = 100 * 366 * 86_400


class Unsaid(Enum):
    """Says that something was not said, where None takes it away."""

    UNSAID = 1


UNSAID = Unsaid.UNSAID


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What is known of a session from its beginning. Texts are bounded."""

    user_id: str | None = None
    external_id: str | None = None
    title: str | None = None
    metadata: dict[str, Json] | None = None
    ttl_seconds: int | None = None

    def __post_init__(self) -> None:
        for name in ("user_id", "external_id"):
            value = getattr(self, name)
            if value is not None:
                require_text(name, value, 255)
        if self.external_id == "":
            raise InvalidRequest("external_id is empty.", param="external_id")
        require_title(self.title)
        require_ttl(self.ttl_seconds)


def require_title(title: str | None) -> None:
    """Raises: InvalidRequest for a title that says nothing, or too much."""
    if title is None:
        return
    require_text("title", title, MAX_TITLE)
    if not title.strip():
        message = "A title says something; null takes it away."
        raise InvalidRequest(message, param="title")


def require_ttl(seconds: int | None) -> None:
    """Raises: InvalidRequest for a time to live that is none."""
    if seconds is not None and not 1 <= seconds <= LONGEST_TTL:
        raise InvalidRequest(
            f"ttl_seconds is a number from 1 to {LONGEST_TTL}.", param="ttl_seconds"
        )


def metadata_bytes(metadata: dict[str, Json]) -> bytes:
    """Raises: PayloadTooLarge, UnacceptableJson."""
    written = json.dumps(json.check(metadata, at="/metadata"))
    if len(written) > MAX_METADATA_BYTES:
        raise PayloadTooLarge(
            f"metadata may have {MAX_METADATA_BYTES} bytes.",
            param="metadata",
            limit=MAX_METADATA_BYTES,
        )
    return written
