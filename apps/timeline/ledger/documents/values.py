"""Keyed documents, what is written to them, and what became of it."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation, Operation, Result, StreamRecord
from apps.core.ids import ALPHABET, DIGITS
from apps.timeline.words import KeyedOp

# The key of the config: data cannot have it, and all lists of keys begin behind it.
CONFIG_KEY = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One keyed document: whose it is, and whose records tell of it."""

    id: str
    project: Project
    # Empty where no one agent's it is: its acts are held to no agent's standing.
    agent_id: str
    # Whether its records are a chain of their own, not part of the agent's.
    has_own_stream: bool = False

    @classmethod
    def of_agent(cls, project: Project, agent_id: str) -> Document:
        """Return the document of an agent's config and data."""
        own_id = document_id(project, f"data {agent_id}")
        return cls(id=own_id, project=project, agent_id=agent_id)

    @classmethod
    def of_memories(
        cls, project: Project, scope: str, owner: str, agent_id: str = ""
    ) -> Document:
        """Return the document of what is remembered of one owner in a scope."""
        own_id = document_id(project, f"memory {scope} {owner}")
        return cls(id=own_id, project=project, agent_id=agent_id, has_own_stream=True)

    @property
    def stream_id(self) -> str:
        """Return the chain of records of all that is done with it."""
        return self.id if self.has_own_stream else self.agent_id

    def record(self, act: Act, told: Told, event_id: str) -> StreamRecord:
        """Return the record of an act on it, also of one that stores nothing."""
        return StreamRecord(
            stream_id=self.stream_id,
            project_id=act.project_id,
            event_id=event_id,
            action=told.operation.value,
            resource_type=told.resource_type,
            resource_id=told.resource_id,
            result=told.result.value,
            actor=act.actor,
            now=act.now,
            details=told.details,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What the record of an act says, and the event, where it has one."""

    operation: Operation | MemoryOperation
    resource_type: str
    resource_id: str
    result: Result = Result.SUCCESS
    event: Action | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEntry:
    """What is to stand under a key; `body` is all that is kept of it, as JSON.

    `size` is that of the value in bytes, `expected` the ordinal that the key must have
    (0: absent, None: whatever it is).
    """

    key: str
    body: bytes
    size: int
    told: Told
    op: KeyedOp = KeyedOp.SET
    expires_at: datetime | None = None
    expected: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What an act stored, or had stored before; versions `first_number` to `number`."""

    number: int
    first_number: int
    is_replay: bool
    # Of each entry: how often something was done to its key, and its record. Empty for
    # a replay.
    ordinals: tuple[int, ...] = ()
    event_ids: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored(Written):
    """What a restore did with the keys that were touched since its target."""

    created_at: datetime
    changed: int = 0
    removed: int = 0
    # Keys that stay absent because their time was over meanwhile.
    lapsed: int = 0
    is_config_changed: bool = False


def document_id(project: Project, owner: str, prefix: str = "doc") -> str:
    """Return the id of the document of that owner, such as `data agent_…`.

    No stranger to the project's index key can name it, and nobody has to look it up.
    """
    digest = hmac.digest(bytes(project.index_key), b"doc\0" + owner.encode(), "sha256")
    number = int.from_bytes(digest, "big")
    digits = [ALPHABET[number >> 5 * at & 31] for at in range(DIGITS)]
    return f"{prefix}_" + "".join(digits)
