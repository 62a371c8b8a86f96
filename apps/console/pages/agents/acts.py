"""Records of an agent's stream, as people read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apps.audit.actions import Action
from apps.audit.covered import ROW
from apps.audit.models import AuditRecord
from apps.audit.streams import Operation, Result

SENTENCES = {
    Operation.DATA_WRITE: "Wrote",
    Operation.DATA_READ: "Read",
    Operation.DATA_LIST: "Listed keys",
    Operation.DATA_SEARCH: "Searched",
    Operation.DATA_DELETE: "Deleted",
    Operation.DATA_DELETE_PREFIX: "Deleted all that begins so",
    Operation.DATA_EXPIRE: "The time of some keys was over",
    Operation.CONFIG_READ: "Read the config",
    Operation.CONFIG_UPDATE: "Set the config",
    Operation.CONFIG_ROLLBACK: "Rolled the config back",
    Operation.CHECKPOINT_CREATE: "Made a checkpoint",
    Operation.CHECKPOINT_RESTORE: "Restored a checkpoint",
    Operation.CHECKPOINT_DELETE: "Deleted a checkpoint",
    Operation.EXCEPTION_CREATE: "Made an exception",
    Operation.EXCEPTION_END: "Ended an exception",
    Operation.AUDIT_EXPORT: "Exported the audit",
    Operation.AUDIT_DOWNLOAD: "Downloaded an export",
}
# What is no list and no value of keys.
BESIDE: dict[tuple[str, str], str] = {
    (Operation.DATA_LIST, "checkpoint"): "Looked at checkpoints",
    (Operation.DATA_LIST, "exception"): "Listed exceptions",
    (Operation.DATA_READ, "exception"): "Read an exception",
}
BLOCKED = {Operation.DATA_WRITE: "A policy blocked a write"}
OF_ONE_KEY = (Operation.DATA_WRITE, Operation.DATA_READ, Operation.DATA_DELETE)
# What of a record's details its columns say better.
UNSAID = frozenset({"fingerprint", ROW})


@dataclass(frozen=True, slots=True)
class Told:
    """One record: what was done, on what, and what else it says."""

    record: AuditRecord
    sentence: str
    # The key, where the act was on one and its name is kept.
    key: str | None

    @property
    def is_blocked(self) -> bool:
        return bool(self.record.result == Result.BLOCKED)

    @property
    def is_of_one_key(self) -> bool:
        """Whether there is a page of the key."""
        if self.key is None or self.is_blocked:
            return False
        return self.record.action in OF_ONE_KEY

    @property
    def details(self) -> list[tuple[str, str]]:
        said = self.record.details
        pairs = said.items() if isinstance(said, dict) else ()
        rule = [("rule", self.record.rule)] if self.record.rule else []
        shown = [(name, _written(one)) for name, one in pairs if name not in UNSAID]
        return [*rule, *shown]


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def told(records: Iterable[AuditRecord]) -> list[Told]:
    return [Told(one, _sentence(one), _key(one)) for one in records]


def _sentence(record: AuditRecord) -> str:
    """Say what was done; what this installation does not know is told by its name."""
    if record.result == Result.BLOCKED:
        return BLOCKED.get(record.action, "A policy blocked it")  # type: ignore[call-overload, no-any-return]
    if "override" in record.details:
        return "Wrote what a policy blocks, by an administrator's key"
    beside = BESIDE.get((record.action, record.resource_type))
    if beside is not None:
        return beside
    if record.action in set(Operation):
        return SENTENCES[Operation(record.action)]
    if record.action in set(Action):
        return Action(record.action).sentence
    return str(record.action)


def _key(record: AuditRecord) -> str | None:
    return record.resource_id or None if record.resource_type == "data" else None
