"""Merges the checkpoints of a thread and of its fork, channel by channel.

A channel is compared by the bytes that LangGraph's serialiser made of it: what only
one side has changed is that side's, what both have made alike is taken once, and all
else is for somebody to choose. Where a run goes on (LangGraph's own channels, and which
versions its nodes have seen) is never mixed: it is one side's, whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from langgraph.checkpoint.serde.base import SerializerProtocol

from stepback.errors import StepbackError
from stepback.langgraph.packing import Packed
from stepback.langgraph.readable import INNER

MergeSide: TypeAlias = Literal["ours", "theirs"]
SIDES = ("ours", "theirs")


class ChannelsClash(StepbackError):
    """Both sides changed these `channels`: choose `ours` or `theirs` for each."""

    def __init__(self, channels: Iterable[str]) -> None:
        self.channels = sorted(channels)
        what = ", ".join(self.channels)
        super().__init__(f"Changed in the thread and in its fork: {what}.")


class NothingToPromote(StepbackError):
    """The thread has all that its fork has changed."""


@dataclass(frozen=True, kw_only=True)
class Three:
    """The checkpoints to merge: before, of the thread, and of its fork."""

    base: Packed
    ours: Packed
    theirs: Packed

    def merged(
        self,
        serde: SerializerProtocol,
        *,
        name: str,
        choose: Mapping[str, MergeSide],
        goes_on: MergeSide | None,
    ) -> tuple[Packed, list[str]]:
        """Return the merged checkpoint under this name, and the channels it took.

        `goes_on` says whose place in the graph it has: without it the thread's, or the
        fork's if the thread has not moved.

        Raises: ChannelsClash; NothingToPromote; ValueError for a choice about a
        channel that does not clash.
        """
        sides = self._sides(choose)
        if goes_on is None:
            goes_on = "theirs" if _same(self.ours, self.base) else "ours"
        if _same(self.theirs, self.base):
            raise NothingToPromote("The fork has changed nothing since then.")
        kept, other = self.ours, self.theirs
        if goes_on == "theirs":
            kept, other = other, kept
        taken = [name for name, side in sides.items() if side != goes_on]
        channels = {
            name: typed for name, typed in kept.channels.items() if name not in taken
        } | {name: other.channels[name] for name in taken if name in other.channels}
        rest = _rest(serde, kept, other, name, taken)
        merged = Packed(
            id=name,
            checkpoint=serde.dumps_typed(rest),
            metadata=serde.dumps_typed(self._told(serde, kept)),
            channels=channels,
        )
        return merged, [one for one, side in sides.items() if side == "theirs"]

    def _told(self, serde: SerializerProtocol, kept: Packed) -> dict[str, Any]:
        """Return the metadata of a step behind the newest of the two."""
        told: dict[str, Any] = dict(serde.loads_typed(kept.metadata))
        steps = [serde.loads_typed(one.metadata).get("step") for one in self._two]
        newest = max([step for step in steps if isinstance(step, int)], default=-1)
        about = {"source": "promote", "promoted_from": self.theirs.id}
        return told | about | {"step": newest + 1}

    @property
    def _two(self) -> tuple[Packed, Packed]:
        return self.ours, self.theirs

    def _sides(self, choose: Mapping[str, MergeSide]) -> dict[str, MergeSide]:
        """Return whose each channel is, of those that the two do not have alike."""
        wrong = [side for side in choose.values() if side not in SIDES]
        if wrong:
            raise ValueError(f"A channel is ours or theirs, not {wrong[0]!r}.")
        sides: dict[str, MergeSide] = {}
        clashing = set()
        for name in sorted({*self.ours.channels, *self.theirs.channels}):
            was = self.base.channels.get(name)
            ours, theirs = (one.channels.get(name) for one in self._two)
            if name.startswith(INNER) or ours == theirs:
                continue
            if was in (ours, theirs):
                sides[name] = "theirs" if was == ours else "ours"
            else:
                clashing.add(name)
        unknown = sorted(set(choose) - clashing)
        if unknown:
            raise ValueError(f"Nothing clashes in {', '.join(unknown)}.")
        if clashing - set(choose):
            raise ChannelsClash(clashing - set(choose))
        return sides | dict(choose)


def _same(one: Packed, other: Packed) -> bool:
    return one.checkpoint == other.checkpoint and one.channels == other.channels


def _rest(
    serde: SerializerProtocol,
    kept: Packed,
    other: Packed,
    name: str,
    taken: list[str],
) -> dict[str, Any]:
    """Return all of a checkpoint but its values: what was taken has a new version."""
    rest: dict[str, Any] = dict(serde.loads_typed(kept.checkpoint))
    versions = dict(rest.get("channel_versions") or {})
    theirs = serde.loads_typed(other.checkpoint).get("channel_versions") or {}
    # As the saver counts them: whole numbers, newer than all that either side has.
    newest = max([*versions.values(), *theirs.values()], default=0)
    versions |= dict.fromkeys(taken, newest + 1)
    now = datetime.now(UTC).isoformat()
    return rest | {"id": name, "ts": now, "channel_versions": versions}
