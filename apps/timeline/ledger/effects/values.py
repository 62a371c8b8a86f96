"""What an agent says of an effect: what it wants to call, and what came of it."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import ContentTooLarge, InvalidRequest
from apps.core.json import Json
from apps.diffs.equality import spelling
from apps.timeline.errors import CacheInvalid, DeadlinePassed
from apps.timeline.versions.reading import require_text
from apps.timeline.words import CacheScope, EffectClass, EffectStatus

LONGEST_NAME = 200
LONGEST_REFERENCE = 2_000
MOST_KEPT = 256 * 1024
MOST_UNDO = 16 * 1024
# How long a begun effect is waited for, unless its deadline says.
USUAL_WAIT = timedelta(minutes=15)
LONGEST_WAIT = timedelta(days=30)
# How old a result may be at most that answers a read in place of its call.
LONGEST_TTL = timedelta(days=90)
TAKEN_BACK = (EffectClass.REVERSIBLE, EffectClass.COMPENSABLE)
FINISHED = (EffectStatus.DONE, EffectStatus.FAILED, EffectStatus.UNKNOWN)
_CALL = b"stepback effect call 1\0"
_FINISH = b"stepback effect finish 1\0"
_PROVIDER = b"stepback effect provider key 1\0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cache:
    """Which results of the record may answer a read: how old, and whose.

    What a rollback has set aside answers only who asks for it by `set_aside`.

    Raises: CacheInvalid.
    """

    ttl: int
    scope: str = CacheScope.SESSION
    set_aside: bool = False

    def __post_init__(self) -> None:
        longest = int(LONGEST_TTL.total_seconds())
        if type(self.ttl) is not int or not 1 <= self.ttl <= longest:
            message = f"ttl takes whole seconds from 1 to {longest:,}."
            raise CacheInvalid(message, param="cache.ttl")
        if self.scope not in CacheScope.values:
            message = f"scope takes {', '.join(CacheScope)}."
            raise CacheInvalid(message, param="cache.scope")
        if type(self.set_aside) is not bool:
            raise CacheInvalid("This is true or false.", param="cache.set_aside")

    def since(self, now: datetime) -> datetime:
        """Return when a result that answers was made at the earliest."""
        return now - timedelta(seconds=self.ttl)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The effect whose result answers another one, as it was found."""

    session_id: str
    effect_id: str
    version: int
    made_at: datetime
    result: bytes | None
    result_reference: str | None
    result_digest: str | None
    external_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEffect:
    """What an agent wants to call, before it calls it.

    Raises: InvalidRequest, CacheInvalid, UnacceptableJson, PayloadTooLarge,
    ContentTooLarge.
    """

    key: str
    tool: str
    arguments: dict[str, Any]
    effect_class: str | None = None
    call_id: str | None = None
    undo: dict[str, Any] | None = None
    undo_until: datetime | None = None
    takes_provider_key: bool = False
    number: int | None = None
    deadline: datetime | None = None
    cache: Cache | None = None

    def __post_init__(self) -> None:
        for name in ("key", "tool", "call_id"):
            _require_name(name, getattr(self, name))
        if self.effect_class not in (None, *EffectClass):
            message = f"class takes {', '.join(EffectClass)}."
            raise InvalidRequest(message, param="class")
        if self.undo is None and self.undo_until is not None:
            message = "undo_until says until when undo works: give undo."
            raise InvalidRequest(message, param="undo_until")
        if self.undo is not None and self.effect_class not in TAKEN_BACK:
            message = f"undo needs the class {' or '.join(TAKEN_BACK)}."
            raise InvalidRequest(message, param="undo")
        if self.cache is not None and self.effect_class != EffectClass.READ:
            message = "Only what is of class read is answered from the record."
            raise CacheInvalid(message, param="cache")

    @property
    def counts_as(self) -> EffectClass:
        """The class; one that is not said counts as irreversible."""
        return EffectClass(self.effect_class or EffectClass.IRREVERSIBLE)

    def until(self, now: datetime) -> datetime:
        """Return when nobody waits for its end any longer.

        Raises: DeadlinePassed, InvalidRequest.
        """
        for name in ("deadline", "undo_until"):
            at = getattr(self, name)
            if at is not None and at <= now:
                raise DeadlinePassed(f"{name} is over already.", param=name)
        deadline = self.deadline or now + USUAL_WAIT
        if deadline > now + LONGEST_WAIT:
            message = f"deadline is at most {LONGEST_WAIT.days} days away."
            raise InvalidRequest(message, param="deadline")
        return deadline

    def arguments_bytes(self) -> bytes:
        """Raises: UnacceptableJson, PayloadTooLarge."""
        return json.state_bytes(self.arguments, at="/arguments")

    def undo_bytes(self) -> bytes | None:
        """Raises: UnacceptableJson, ContentTooLarge."""
        if self.undo is None:
            return None
        data = json.state_bytes(self.undo, at="/undo")
        return _require_size("undo", data, MOST_UNDO)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish:
    """What came of an effect; a result that is too large is named by its place.

    Raises: InvalidRequest.
    """

    status: str
    result: Json = None
    result_reference: str | None = None
    result_digest: str | None = None
    external_id: str | None = None

    def __post_init__(self) -> None:
        if self.status not in FINISHED:
            raise InvalidRequest(f"status takes {', '.join(FINISHED)}.", param="status")
        for name, longest in (
            ("result_reference", LONGEST_REFERENCE),
            ("result_digest", LONGEST_NAME),
            ("external_id", LONGEST_NAME),
        ):
            require_text(name, getattr(self, name) or "", longest)
        if (self.result_reference is None) != (self.result_digest is None):
            message = "result_reference and result_digest go together."
            raise InvalidRequest(message, param="result_reference")
        if self.result is not None and self.result_reference is not None:
            message = "Give the result, or where it is kept."
            raise InvalidRequest(message, param="result_reference")

    def result_bytes(self) -> bytes | None:
        """Raises: UnacceptableJson, ContentTooLarge."""
        if self.result is None:
            return None
        json.check({"result": self.result})
        return _require_size("result", json.dumps(self.result), MOST_KEPT)

    def digest(self, project: Project) -> bytes:
        """Return what says that a finish was said before."""
        said = [
            *(self.status, self.result, self.result_reference),
            *(self.result_digest, self.external_id),
        ]
        return _keyed(project, _FINISH + spelling(said))


def call_digest(project: Project, tool: str, arguments: dict[str, Any]) -> bytes:
    """Return what says of two calls that they are the same, to this project alone."""
    name = tool.encode()
    framed = len(name).to_bytes(8, "big") + name + spelling(arguments)
    return _keyed(project, _CALL + framed)


def provider_key(project: Project, session_id: str, key: str) -> str:
    """Return the key under which a tool may be called again for the same effect.

    It follows from the effect's key alone, so that it is the same for each attempt,
    also where the store has lost its last writes.
    """
    return _keyed(project, _PROVIDER + f"{session_id}\0{key}".encode()).hex()[:40]


def _keyed(project: Project, message: bytes) -> bytes:
    return hmac.digest(bytes(project.index_key), message, "sha256")


def _require_name(name: str, value: str | None) -> None:
    if value is None and name == "call_id":
        return
    if not value or not value.strip():
        raise InvalidRequest(f"{name} says something.", param=name)
    require_text(name, value, LONGEST_NAME)


def _require_size(name: str, data: bytes, most: int) -> bytes:
    if len(data) > most:
        message = f"{name} is {len(data):,} bytes; at most {most:,} are kept."
        raise ContentTooLarge(message, param=name, size=len(data), limit=most)
    return data
