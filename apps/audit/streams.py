"""One operation on an agent's data, as the chained record of the agent's stream.

The resource is in the record's leaf by its salted digest alone: a key's name can be
erased, and the chain still holds.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from apps.audit import chain
from apps.audit.actions import Action
from apps.core import json, sql
from apps.core.actors import Actor
from apps.core.database.values import TEXT
from apps.core.json import cleaned

SALT_BYTES = 16
# The arguments that functions take of a record, by the names of `params`.
ARGUMENTS = """
    _stream => %(record_stream)s, _project => %(record_project)s,
    _event_id => %(record_event)s, _action => %(record_action)s,
    _resource_type => %(record_resource_type)s,
    _resource_id => %(record_resource_id)s, _salt => %(record_salt)s,
    _resource_digest => %(record_resource_digest)s, _result => %(record_result)s,
    _rule => %(record_rule)s, _actor_kind => %(record_actor_kind)s,
    _actor_id => %(record_actor_id)s, _actor_label => %(record_actor_label)s,
    _details => %(record_details)s::jsonb, _facts => %(record_facts)s,
    _now => %(record_now)s"""
# What of them may be null has its type.
NULLS = {"record_rule": TEXT}
# Append a record that made no version, and give its number.
APPEND = f"audit_append_record_v1({ARGUMENTS}, _number => NULL)"
# Each act of a person asks it: the ORM took longer to write it than it takes to answer.
LAST = sql.of_session("""
SELECT r.number, r.chain FROM audit_auditrecord r
 WHERE r.stream_id = %s ORDER BY r.number DESC LIMIT 1
""")


class Result(StrEnum):
    """What came of an operation."""

    ALLOWED = "allowed"  # a policy was asked and let it be
    BLOCKED = "blocked"  # a policy refused it
    SUCCESS = "success"  # no policy is asked for such an operation


class Operation(StrEnum):
    """What is done with an agent's data, as Anchor's clients name it."""

    DATA_WRITE = "data.write"
    DATA_READ = "data.read"
    DATA_LIST = "data.list"
    DATA_SEARCH = "data.search"
    DATA_DELETE = "data.delete"
    DATA_DELETE_PREFIX = "data.delete_prefix"
    DATA_EXPIRE = "data.expire"
    CONFIG_READ = "config.read"
    CONFIG_UPDATE = "config.update"
    CONFIG_ROLLBACK = "config.rollback"
    CHECKPOINT_CREATE = "checkpoint.create"
    CHECKPOINT_RESTORE = "checkpoint.restore"
    CHECKPOINT_DELETE = "checkpoint.delete"
    EXCEPTION_CREATE = "exception.create"
    EXCEPTION_END = "exception.end"
    AUDIT_EXPORT = "audit.export"
    AUDIT_DOWNLOAD = "audit.download"


class MemoryOperation(StrEnum):
    """What is done with memories; each scope's document has a stream of its own."""

    ADD = "memory.add"
    REINFORCE = "memory.reinforce"
    UPDATE = "memory.update"
    DELETE = "memory.delete"
    RESOLVE = "memory.resolve"
    IMPORT = "memory.import"
    FORGET = "memory.forget"
    RESTORE = "memory.restore"
    EXPIRE = "memory.expire"


# Whatever stands in the streams of agents: also what is done to the agents themselves.
OPERATIONS = (*Operation, *(one for one in Action if one.startswith("agent.")))


@dataclass(frozen=True, kw_only=True)
class StreamRecord:
    """One operation, as the next record of a stream will say it.

    `rule` is the policy that blocked it. The version that it makes is not among its
    facts: the function that appends the record learns it under the session's lock.
    """

    stream_id: str
    project_id: str
    event_id: str
    action: str
    resource_type: str
    resource_id: str
    result: str
    actor: Actor
    now: datetime
    rule: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(SALT_BYTES))

    def __post_init__(self) -> None:
        # As jsonb will hold them: the leaf covers what is stored.
        if self.details:
            object.__setattr__(self, "details", cleaned(dict(self.details)))

    def facts(self) -> bytes:
        """Return the digest of all facts but the version's number."""
        return chain.facts(self)

    def params(self) -> dict[str, Any]:
        """Return what `ARGUMENTS` are."""
        return {
            "record_stream": self.stream_id,
            "record_project": self.project_id,
            "record_event": self.event_id,
            "record_action": self.action,
            "record_resource_type": self.resource_type,
            "record_resource_id": self.resource_id,
            "record_salt": self.salt,
            "record_resource_digest": self.resource_digest,
            "record_result": self.result,
            "record_rule": self.rule,
            "record_actor_kind": self.actor_kind,
            "record_actor_id": self.actor_id,
            "record_actor_label": self.actor_label,
            "record_details": json.dumps(self.details).decode(),
            "record_facts": self.facts(),
            "record_now": self.now,
        }

    @cached_property
    def resource_digest(self) -> bytes:
        """What stands for the resource in the leaf."""
        return chain.resource_digest(self.salt, self.resource_id)

    @property
    def actor_kind(self) -> str:
        return self.actor.kind.value

    @property
    def actor_id(self) -> str:
        return self.actor.id

    @property
    def actor_label(self) -> str:
        return self.actor.label

    @property
    def created_at(self) -> datetime:
        return self.now
