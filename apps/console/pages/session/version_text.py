"""A version in words: its operation as a sentence, and each change as a line.

Makes plain, harmless text out of hostile values; templates only place it. Makes no
HTML, and asks the database nothing.
"""

import json
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from apps.core.json import Json, parse
from apps.diffs import pointers
from apps.diffs.changes import (
    Alignment,
    Change,
    Comparison,
    Kind,
)
from apps.diffs.graphemes import cut, replaced
from apps.diffs.meaning.noise import NO_NOISE, Noise
from apps.diffs.summary import sentences, summary
from apps.diffs.text import count, isolated, isolated_strings, shorten, visible
from apps.timeline.versions import VersionRow, kept_changes
from apps.timeline.words import MERGING, Op

SENTENCES = 3
STATE_SHOWN = 100_000
# Where both states together are larger, items of lists are paired by position: the
# only limit of a comparison. Two states of 7 MB take 0.3 s.
PAIRED_BYTES = 200_000

SIGNS = {
    Kind.ADDED: "+",
    Kind.REMOVED: "−",  # noqa: RUF001
    Kind.CHANGED: "~",
    Kind.TYPE_CHANGED: "~",
    Kind.MOVED: "↕",
}
KIND_WORDS = {Kind.TYPE_CHANGED: "changed type"}
OP_WORDS = {
    Op.CREATE: "created",
    Op.PROMOTE: "promoted",
    Op.REVERT: "reverted",
    Op.REAPPLY: "applied again",
    Op.RESTORE: "restored",
    Op.MIGRATE: "migrated",
    Op.PAUSE: "held",
    Op.RESUME: "resumed",
    Op.WAIT: "approval asked for",
    Op.DECIDE: "approval decided",
    Op.CLOSE: "closed",
    Op.DELETE: "deleted",
}
# Acts that change no state.
ACTS = (Op.PAUSE, Op.RESUME, Op.WAIT, Op.DECIDE, Op.CLOSE, Op.DELETE)
# What is said of a version without changes; the others should have had some.
UNCHANGED = {
    **dict.fromkeys(ACTS, ""),
    Op.CREATE: "with an empty state",
    Op.FORK: "state copied unchanged",
    Op.MIGRATE: "the state is the same",
}


class Changed(Protocol):
    """What a version's words are made of."""

    @property
    def op(self) -> str: ...
    @property
    def changes(self) -> list[dict[str, Any]]: ...
    @property
    def change_count(self) -> int: ...


class Acted(Changed, Protocol):
    """And what is said of who made it, and why."""

    @property
    def restored_number(self) -> int | None: ...
    @property
    def undo_of(self) -> int | None: ...
    @property
    def actor_label(self) -> str: ...
    @property
    def reasoning(self) -> str | None: ...


@runtime_checkable
class OfSchema(Protocol):
    """And of which schema its state is."""

    @property
    def reason_code(self) -> str | None: ...
    @property
    def schema_version(self) -> str | None: ...


def headline(version: Acted, noise: Noise = NO_NOISE) -> str:
    """Say in one line what a version did: the act of a person, else what changed."""
    op = Op(version.op)
    if version.undo_of is not None:
        return _by(version, f"rollback v{version.undo_of} undone")
    if version.restored_number is not None:
        return _by(version, f"rolled back to v{version.restored_number}")
    if op in ACTS:
        return _by(version, OP_WORDS[op])
    said = words(version, noise)
    if op in (Op.CREATE, Op.FORK):
        begun = {Op.CREATE: "created", Op.FORK: "forked"}[op]
        return f"{begun} {said}" if not version.changes else f"{begun}: {said}"
    if op == Op.MIGRATE:
        return f"{_by(version, _migrated(version))}: {said}"
    if op in MERGING:
        return f"{_by(version, OP_WORDS[op])}: {said}"
    return said


def _migrated(version: Acted) -> str:
    """Say from which schema to which; a list's row does not know it."""
    if not isinstance(version, OfSchema):
        return "migrated to another schema"
    before = isolated(shorten(version.reason_code or "", 40))
    after = isolated(shorten(version.schema_version or "", 40))
    return f"migrated from schema {before} to {after}"


def _by(version: Acted, what: str) -> str:
    done = f"{what} by {isolated(shorten(version.actor_label, 40))}"
    reason = " ".join((version.reasoning or "").split())
    return f"{done}: “{isolated(shorten(reason, 80))}”" if reason else done


def operation(version: VersionRow) -> str:
    """Say what kind of act made the version: "rollback to v3"."""
    if version.restored_number is not None:
        return f"rollback to v{version.restored_number}"
    if version.op == Op.MIGRATE:
        return _migrated(version)
    return OP_WORDS.get(Op(version.op), version.op)


def flag_words(
    version: VersionRow, previous: VersionRow | None, noise: Noise = NO_NOISE
) -> list[str]:
    """Say what looks wrong with the version, and where that is noise alone."""
    shrank = "state shrank"
    if previous is not None:
        shrank = f"state shrank from {size(previous.size)} to {size(version.size)}"
    nulled = (
        "turned null, only noise" if _nulls_noise(version, noise) else "turned null"
    )
    words = {
        "keys_lost": "keys lost",
        "nulled": nulled,
        "shrank": shrank,
        "repeated": "failed call repeated",
    }
    return [words.get(flag, visible(flag)) for flag in version.flags]


def words(version: Changed, noise: Noise = NO_NOISE) -> str:
    """Say what changed, from what the append kept of it; of noise how much there is."""
    kept = kept_changes(version)
    if not kept:
        return UNCHANGED.get(Op(version.op), "state unchanged")
    told, hidden = noise.apart(kept)
    left = version.change_count - len(kept)
    said = _told(told, is_all=not left)
    if hidden:
        said.append(f"{count(len(hidden), 'change')} of noise")
    if left:
        said.append(f"{version.change_count:,} changes in all")
    return "; ".join(said)


def _told(changes: list[Change], *, is_all: bool) -> list[str]:
    if not changes:
        return []
    comparison = Comparison(None, None, tuple(changes), _alignments(changes))
    if is_all:
        return [summary(comparison)]
    # What was kept cannot be subtracted: several changes may make one sentence.
    return list(islice(sentences(comparison, goes_on=True), SENTENCES))


def _nulls_noise(version: VersionRow, noise: Noise) -> bool:
    """Return whether all that turned null is noise, as far as all of it is known."""
    kept = kept_changes(version) if noise else []
    if len(kept) < version.change_count:
        return False
    nulls = [one for one in kept if one.after is None]
    return bool(nulls) and all(noise.covers(one.pointer) for one in nulls)


def pretty(state: bytes, *, longest: int = STATE_SHOWN) -> tuple[str, bool]:
    """Write a state for reading, and say whether it was cut."""
    return written_out(parse(state), longest=longest)


def written_out(state: Json, *, longest: int = STATE_SHOWN) -> tuple[str, bool]:
    """Write a state that was read already, and say whether it was cut."""
    text, is_cut = beginning(state, longest, indent=2)
    return isolated_strings(visible_lines(text)), is_cut


def beginning(value: Json, longest: int, *, indent: int | None) -> tuple[str, bool]:
    """Write as much of a value as JSON as is shown, and say whether it was cut.

    Written chunk by chunk, so that a large state costs no more than what is shown.
    """
    encoder = json.JSONEncoder(indent=indent, ensure_ascii=False)
    chunks: list[str] = []
    length = 0
    for chunk in encoder.iterencode(value):
        chunks.append(chunk)
        length += len(chunk)
        if length > longest:
            return cut("".join(chunks), longest), True
    return "".join(chunks), False


def spelled(state: bytes) -> str:
    """Write a state to be edited: exact, every character that hides as its escape."""
    text = json.dumps(parse(state), indent=2, ensure_ascii=False)
    return replaced(text, lambda one: one if one == "\n" else json.dumps(one)[1:-1])


def visible_lines(text: str) -> str:
    """As `visible`, but line breaks stay."""
    return "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))


def size(n_bytes: int) -> str:
    """Write a number of bytes as people say it: "41 kB"."""
    if n_bytes < 1000:
        return f"{n_bytes} B"
    for unit in ("kB", "MB", "GB"):
        amount = n_bytes / 1000
        if amount < 1000 or unit == "GB":
            break
        n_bytes //= 1000
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"


def _alignments(changes: list[Change]) -> tuple[Alignment, ...]:
    """Guess from the pointers what was a list, so that its items are counted.

    An object whose keys are numbers is counted alike, which reads no less true.
    """
    places = {
        pointers.parent(change.pointer)
        for change in changes
        if change.pointer.rpartition("/")[2].isdecimal()
    }
    return tuple(Alignment(place, place, ()) for place in sorted(places))
