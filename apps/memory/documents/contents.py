"""A memory as its entry keeps it: the text, and all that is known about it."""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import ContentTooLarge, InvalidRequest
from apps.core.time.moments import moment, utc_text

# Where a body keeps what only a memory has.
MEMORY = "memory"
LONGEST_CONTENT = 10_000
LONGEST_TYPE = 64
LONGEST_NAME = 255
LONGEST_TAG = 100
MOST_TAGS = 50
MAX_METADATA_BYTES = 16 * 1024
DEFAULT_TYPE = "general"
# Below it a memory is a proposal, which a person accepts or drops.
LEAST_CONFIDENCE = 0.7
# The surest that a proposal becomes, however often it is said.
UNSURE = 0.69
# What forms memories of turns, and the type of a patch that an agent has proposed.
TAGS, LLM = "tags", "llm"
UPDATE = "state_update"
# How much of the doubt each source more takes away.
REINFORCEMENT = 0.3
# The newest of who said it again; of older ones it is only known how many there were.
MOST_SOURCES = 50
DIGEST_BYTES = 16
_WORD = re.compile(r"[^\W_]+")
LONGEST_WORD = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a text came from: a session, its version by then, a turn, and how."""

    session_id: str | None = None
    version: int | None = None
    turn_id: str | None = None
    # `api`, `import`, or what formed it.
    by: str = "api"
    # How sure it was; None where that counts no more, as a person has decided since.
    confidence: float | None = None

    def told(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "version": self.version,
            "turn_id": self.turn_id,
            "by": self.by,
        }

    def kept(self) -> dict[str, Any]:
        """Return what a body keeps of it."""
        return self.told() | {"confidence": self.confidence}

    def is_another_than(self, others: list[Source]) -> bool:
        """Say whether it is a source of its own: nobody reinforces by repetition."""
        mine = (self.session_id, self.turn_id)
        return all((one.session_id, one.turn_id) != mine for one in others)


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """Another memory whose text was near this one when it was written."""

    id: str
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """All that is kept of a memory."""

    id: str
    scope: str
    owner: str
    content: str
    created_at: datetime
    type: str = DEFAULT_TYPE
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    status: str = "believed"
    source: Source = Source()
    reinforced: int = 0
    reinforcements: tuple[Source, ...] = ()
    # How sure it is by what is no source's: a decision, or sources that are not kept.
    settled: float | None = None
    near: tuple[Near, ...] = ()
    # The memory that says it now.
    replaced_by: str | None = None
    # Of a proposed patch: the version of its session that it was written as.
    taken_version: int | None = None
    embeds: bool = True
    external_id: str | None = None
    expires_at: datetime | None = None

    def body(self) -> bytes:
        """Return what is kept of it, as JSON: an entry as any, with what is ours."""
        return json.dumps(
            {
                "key": self.id,
                "value": self.content,
                "metadata": dict(self.metadata),
                "expires_at": utc_text(self.expires_at),
                MEMORY: {
                    "scope": self.scope,
                    "owner": self.owner,
                    "created_at": utc_text(self.created_at),
                    "type": self.type,
                    "tags": list(self.tags),
                    "confidence": self.confidence,
                    "status": self.status,
                    "source": self.source.kept(),
                    "reinforced": self.reinforced,
                    "reinforcements": [one.kept() for one in self.reinforcements],
                    "settled": self.settled,
                    "near": [
                        {"id": one.id, "similarity": one.similarity}
                        for one in self.near
                    ],
                    "replaced_by": self.replaced_by,
                    "taken_version": self.taken_version,
                    "embed": self.embeds,
                    "external_id": self.external_id,
                },
            }
        )

    @property
    def size(self) -> int:
        """Return the text's bytes."""
        return len(self.content.encode())

    @property
    def is_patch(self) -> bool:
        """Say whether it is a patch that an agent has proposed, and no belief."""
        return (
            self.type == UPDATE
            and self.source.by == TAGS
            and isinstance(self.metadata.get("patch"), dict)
        )

    @property
    def is_unsure(self) -> bool:
        """Say whether nobody has ever accepted it."""
        if self.is_patch:
            return self.taken_version is None
        if self.status == "believed":
            return False
        return self.status == "proposed" or self.confidence < LEAST_CONFIDENCE

    @property
    def is_standing(self) -> bool:
        return self.status in ("believed", "proposed")

    @property
    def taught_by(self) -> list[str]:
        """Return the sessions that it came from."""
        sources = (self.source, *self.reinforcements)
        named = [one.session_id for one in sources if one.session_id]
        return list(dict.fromkeys(named))

    @property
    def turn_ids(self) -> list[str]:
        """Return the turns that it came from."""
        sources = (self.source, *self.reinforcements)
        return [one.turn_id for one in sources if one.turn_id]

    def digest(self, project: Project) -> bytes:
        """Return what it has in common with its equals: a patch is no text's."""
        return digest_of(project, self.content, is_patch=self.is_patch)

    @property
    def untraced(self) -> int:
        """Return how many of those who said it again are not kept by name."""
        return max(self.reinforced - len(self.reinforcements), 0)


def content_in(raw: bytes) -> Content:
    """Return the memory that was written as JSON."""
    body: Any = json.parse_written(raw)
    own, expires_at = body[MEMORY], body["expires_at"]
    return Content(
        id=body["key"],
        scope=own["scope"],
        owner=own["owner"],
        content=body["value"],
        created_at=moment(own["created_at"]),
        type=own["type"],
        tags=tuple(own["tags"]),
        metadata=body["metadata"],
        confidence=float(own["confidence"]),
        status=own["status"],
        source=Source(**own["source"]),
        reinforced=own["reinforced"],
        reinforcements=tuple(Source(**one) for one in own["reinforcements"]),
        # Of what was written before this was kept.
        settled=own.get("settled"),
        near=tuple(
            Near(id=one["id"], similarity=float(one["similarity"]))
            for one in own["near"]
        ),
        replaced_by=own["replaced_by"],
        # Of what was written before there was such a thing.
        taken_version=own.get("taken_version"),
        embeds=own["embed"],
        external_id=own["external_id"],
        expires_at=None if expires_at is None else moment(expires_at),
    )


def text_of(body: Mapping[str, Any]) -> str | None:
    """Return what of a memory is embedded; None for the bodies of others."""
    own = body.get(MEMORY)
    if not isinstance(own, dict):
        return None
    if not own.get("embed") or own.get("status") not in ("believed", "proposed"):
        return ""
    return str(body.get("value", ""))


def normalised(text: str) -> str:
    """Return a text without what makes no difference: case and white space."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def digest_of(project: Project, text: str, *, is_patch: bool = False) -> bytes:
    """Return what equal texts have in common, keyed: nobody guesses a text by it."""
    told = (b"patch\0" if is_patch else b"memory\0") + normalised(text).encode()
    return hmac.digest(bytes(project.index_key), told, "sha256")[:DIGEST_BYTES]


def words_of(text: str) -> list[str]:
    """Return the words of a text, each once."""
    found = (word[:LONGEST_WORD] for word in _WORD.findall(text.casefold()))
    return list(dict.fromkeys(found))


def require_content(text: str, *, param: str = "content") -> None:
    """Raises: InvalidRequest for an empty text, ContentTooLarge."""
    require_text(text, param=param)
    if not text.strip():
        raise InvalidRequest("A memory says something.", param=param)
    if len(text) > LONGEST_CONTENT:
        raise ContentTooLarge(
            f"The content has {len(text):,} characters; at most {LONGEST_CONTENT:,} "
            "are kept.",
            param=param,
            size=len(text),
            limit=LONGEST_CONTENT,
        )


def require_name(text: str, longest: int, *, param: str) -> None:
    """Refuse what cannot be looked for: an empty, long or unpaired text.

    Raises: InvalidRequest.
    """
    require_text(text, param=param)
    if not text or len(text) > longest or "\0" in text:
        raise InvalidRequest(f"{param} takes 1 to {longest} characters.", param=param)


def require_text(text: str, *, param: str) -> None:
    """Raises: InvalidRequest for half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRequest(
            "This is text: half of a surrogate pair is not.", param=param
        ) from None
