"""A checkpoint beside what stands or another one, and what a restore has done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from apps.console.pages.agents import config_page
from apps.console.pages.agents.config_page import Consequences
from apps.console.pages.session.change_table import Compared
from apps.console.pages.session.version_text import SIGNS
from apps.data.documents.configs import ConfigVersion
from apps.data.models import LongRestore
from apps.data.operations.keeping.long_restores import LongRestores
from apps.data.operations.restoring import RestoredCheckpoint
from apps.diffs.changes import Kind
from apps.diffs.readers import reader
from apps.diffs.text import count
from apps.timeline.queries import Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigChange:
    """How one config differs from another; nothing where they are the same body."""

    before: ConfigVersion
    after: ConfigVersion
    changes: Compared | None
    consequences: Consequences | None

    @property
    def is_same(self) -> bool:
        return self.changes is None

    @property
    def is_masked(self) -> bool:
        """Say whether what looks equal may differ in what is masked."""
        return reader() is not None


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key that shows one thing at one checkpoint and another at the other."""

    key: str
    sign: str
    word: str
    size_before: int | None
    size_after: int | None


@dataclass(frozen=True, slots=True)
class LongRow:
    """A restore by steps, and what its checkpoint is called."""

    restore: LongRestore
    title: str


def long_rows(found: LongRestores) -> list[LongRow]:
    named = found.checkpoints
    return [
        LongRow(
            one,
            named[one.checkpoint_id].title
            if one.checkpoint_id in named
            else one.checkpoint_id,
        )
        for one in found.restores
    ]


def config_change(before: ConfigVersion, after: ConfigVersion) -> ConfigChange:
    is_same = before.body_number == after.body_number
    return ConfigChange(
        before=before,
        after=after,
        changes=None if is_same else config_page.changes(before, after),
        consequences=None if is_same else config_page.consequences(before, after),
    )


def key_changes(rows: Iterable[Difference]) -> list[KeyChange]:
    return [_key_change(row) for row in rows]


def _key_change(row: Difference) -> KeyChange:
    kind = Kind.CHANGED
    if row.before is None:
        kind = Kind.ADDED
    elif row.after is None:
        kind = Kind.REMOVED
    return KeyChange(
        key=row.key,
        sign=SIGNS[kind],
        word=kind.value,
        size_before=None if row.before is None else row.size_before,
        size_after=None if row.after is None else row.size_after,
    )


def restored_words(done: RestoredCheckpoint) -> str:
    """Say what a restore did, and whether it was seen to be so."""
    return " ".join((f"Restored: {', '.join(_done(done))}.", _verified(done)))


def _done(done: RestoredCheckpoint) -> Iterator[str]:
    restored = done.restored
    if done.wanted.config:
        is_new = restored.is_config_changed
        yield f"config v{done.config_ordinal} stands" if is_new else "config stayed"
    if done.wanted.data:
        yield f"{count(done.in_place, 'key')} of the checkpoint in place"
        yield f"{restored.changed:,} of them changed"
        yield f"{count(restored.removed, 'newer key')} removed"
    if done.expired:
        yield f"{count(done.expired, 'key')} had expired and stayed absent"


def _verified(done: RestoredCheckpoint) -> str:
    found = done.verification
    if found.is_equal:
        return "Verified: what stands, recomputed, is what the checkpoint had."
    if found.is_equal is None:
        return f"Not verified: {found.why}"
    return f"It does not verify: {found.why}"
