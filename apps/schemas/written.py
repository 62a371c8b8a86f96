"""Which versions writes of an agent may name, where its schemas are strict.

What is declared is remembered for half a minute, as an agent's other rules are: every
write asks. A version that is not known then is looked for anew before it is refused, so
what is declared counts at once, and that an agent became strict within that time.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from apps.agents.remembered import REMEMBERED_SECONDS, remembered
from apps.schemas.errors import SchemaBehind, SchemaUnknown
from apps.schemas.graph import is_older
from apps.schemas.models import AgentSchema, SchemaMigration
from apps.schemas.querysets import MOST_MIGRATIONS, MOST_SCHEMAS

MOST = 1_000


@dataclass(frozen=True, slots=True)
class Way:
    """A migration, as far as its way goes."""

    from_version: str
    to_version: str


@dataclass(frozen=True, slots=True)
class Declared:
    """What an agent has declared: versions, the oldest first, and ways between them."""

    versions: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    is_strict: bool = False


_lock = threading.Lock()
_known: OrderedDict[str, tuple[Declared, float]] = OrderedDict()


def require_written(agent_id: str, *, written: str | None, head: str | None) -> None:
    """Hold a write to what a strict agent has declared; `head` None: it begins.

    Raises: SchemaUnknown; SchemaBehind where it is of an older one than the head's.
    """
    if not remembered(agent_id).has_schemas:
        return
    declared = _remembered(agent_id)
    if not declared.is_strict:
        return
    named = {one for one in (written, head) if one is not None}
    if not named.issubset(declared.versions):
        declared = _read(agent_id)
    if written is None or written not in declared.versions:
        raise SchemaUnknown(
            param="schema_version", declared=list(declared.versions[-10:])
        )
    if head is not None and is_older(declared.ways, declared.versions, written, head):
        raise SchemaBehind(param="schema_version", head_schema=head)


def newest_declared(agent_id: str) -> str | None:
    """Return the schema that was declared last, None where there is none."""
    if not remembered(agent_id).has_schemas:
        return None
    return next(reversed(_remembered(agent_id).versions), None)


def forget(agent_id: str) -> None:
    """Have this process read anew what the agent has declared."""
    with _lock:
        _known.pop(agent_id, None)


def _remembered(agent_id: str) -> Declared:
    known = _known.get(agent_id)
    if known is not None and known[1] > time.monotonic():
        return known[0]
    return _read(agent_id)


def _read(agent_id: str) -> Declared:
    schemas = AgentSchema.objects.filter(agent_id=agent_id).order_by("id")
    migrations = SchemaMigration.objects.filter(agent_id=agent_id).order_by("id")
    declared = list(schemas.values_list("version", "strict")[:MOST_SCHEMAS])
    ways = migrations.values_list("from_version", "to_version")[:MOST_MIGRATIONS]
    found = Declared(
        versions=tuple(version for version, _ in declared),
        ways=tuple(Way(*one) for one in ways),
        is_strict=bool(declared and declared[-1][1]),
    )
    with _lock:
        _known[agent_id] = found, time.monotonic() + REMEMBERED_SECONDS
        _known.move_to_end(agent_id)
        while len(_known) > MOST:
            _known.popitem(last=False)
    return found
