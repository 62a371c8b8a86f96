"""Read an agent's config, set it, and roll it back to an earlier version of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.data.documents import configs
from apps.data.documents.configs import ConfigVersion
from apps.data.documents.enforcing import Rules, require_known_audit
from apps.data.documents.values import require_size
from apps.data.operations.recording import (
    CONFIG,
    found,
    found_to_write,
    record_unless_off,
    told,
)
from apps.timeline import queries
from apps.timeline.errors import ConfigChanged, DocumentMoved, EntryChanged
from apps.timeline.operations import (
    CONFIG_KEY,
    Document,
    NewEntry,
    Restoration,
    restore_document,
    write_entries,
)
from apps.timeline.words import KeyedOp


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentConfig:
    """A version of an agent's config, and the floor under it."""

    agent: Agent
    version: ConfigVersion
    # The project's policies, as JSON, which it cannot lower.
    floor: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigPage:
    """Versions of an agent's config, the newest first, without their text."""

    agent: Agent
    versions: Sequence[ConfigVersion]


# How often a config is written anew because another one came first.
ATTEMPTS = 5


def read_config(*, act: Act, reference: str, version: int | None = None) -> AgentConfig:
    """Return the config that stands, or a version of it.

    Raises: AgentNotFound, ConfigVersionNotFound.
    """
    agent, document = found(act, reference)
    if version is None:
        shown = configs.newest(document)
    else:
        shown = configs.numbered(document, version)
    name = f"v{shown.ordinal}"
    about = told(Operation.CONFIG_READ, name, resource_type=CONFIG)
    record_unless_off(act, document, about)
    return _shown(act, agent, shown)


def list_configs(
    *, act: Act, reference: str, before: int | None, limit: int
) -> ConfigPage:
    """Return versions of the config below the ordinal `before`; v0 is none of them.

    Raises: AgentNotFound.
    """
    agent, document = found(act, reference)
    versions = configs.page(document, before=before, limit=limit)
    about = told(
        Operation.CONFIG_READ, "", resource_type=CONFIG, details={"versions": True}
    )
    record_unless_off(act, document, about)
    return ConfigPage(agent=agent, versions=versions)


def configure(*, act: Act, reference: str, config: Mapping[str, Any]) -> AgentConfig:
    """Set the whole config; one that is equal to what stands makes no version.

    Raises: InvalidPolicy, InvalidRequest, ContentTooLarge; AgentNotFound,
    AgentSuspended, AgentDeleted, DocumentHeld, IdempotencyKeyReused; EntryChanged where
    others set it again and again.
    """
    raw = configs.spelled(config)
    require_size(len(raw), configs.MAX_CONFIG_BYTES, "config", param="")
    Rules.of(config)
    require_known_audit(config)
    agent, document = found_to_write(act, reference)
    for _ in range(ATTEMPTS):
        standing = configs.newest(document)
        if standing.body_number is not None and standing.config == raw:
            return _shown(act, agent, standing)
        try:
            made = _written(act, document, standing, raw)
            return _shown(act, agent, made)
        except EntryChanged as error:
            changed = error
    raise changed


def roll_back_config(
    *,
    act: Act,
    reference: str,
    target: int,
    expected: int | None = None,
    reasoning: str | None = None,
) -> AgentConfig:
    """Make a new version that is as the version `target` was; 0 is no config at all.

    To the one that stands, it makes none. Data stays as it is. `expected` is the
    version that the caller saw standing, None whatever it is.

    Raises: AgentNotFound, ConfigVersionNotFound, AgentSuspended, AgentDeleted,
    DocumentHeld, IdempotencyKeyReused; ConfigChanged, and DocumentMoved where others
    write again and again.
    """
    agent, document = found_to_write(act, reference)
    version = configs.numbered(document, target)
    for _ in range(ATTEMPTS):
        # Looked at first: what is set after it has the document move.
        head = None if expected is None else _head(document, act)
        standing = configs.newest(document)
        if expected not in (None, standing.ordinal):
            raise ConfigChanged(
                f"Config v{standing.ordinal} stands now, not v{expected}: look again."
            )
        if version.body_number == standing.body_number:
            return _shown(act, agent, standing)
        try:
            made = _restored(act, document, target, head, reasoning)
            return _shown(act, agent, made)
        except DocumentMoved as error:
            moved = error
    raise moved


def _shown(act: Act, agent: Agent, version: ConfigVersion) -> AgentConfig:
    return AgentConfig(agent=agent, version=version, floor=act.project.floor.encode())


def _head(document: Document, act: Act) -> int | None:
    standing = queries.standing(document.id, now=act.now)
    return None if standing is None else standing.number


def _restored(
    act: Act, document: Document, target: int, head: int | None, reasoning: str | None
) -> ConfigVersion:
    restored = restore_document(
        act=act,
        document=document,
        wanted=Restoration(
            target=configs.target_number(document, target),
            config=True,
            data=False,
            expected=head,
        ),
        told=told(
            Operation.CONFIG_ROLLBACK,
            f"v{target}",
            event=Action.CONFIG_ROLLED_BACK,
            resource_type=CONFIG,
            details={"target": f"v{target}"},
        ),
        reasoning=reasoning,
    )
    return configs.of_version(document, restored.number) or configs.newest(document)


def _written(
    act: Act, document: Document, standing: ConfigVersion, raw: bytes
) -> ConfigVersion:
    is_there = standing.body_number is not None
    body = b'{"config":' + raw + b"}"
    written = write_entries(
        act=act,
        document=document,
        entries=[
            NewEntry(
                key=CONFIG_KEY,
                body=body,
                size=len(body),
                op=KeyedOp.CONFIGURE,
                # Below a lock it is looked at again: two that set it make two versions.
                expected=standing.ordinal if is_there else 0,
                told=told(
                    Operation.CONFIG_UPDATE,
                    f"v{standing.ordinal + 1}",
                    event=Action.CONFIG_UPDATED,
                    resource_type=CONFIG,
                    details={"version": f"v{standing.ordinal + 1}"},
                ),
            )
        ],
    )
    return configs.of_version(document, written.number) or configs.NO_CONFIG
