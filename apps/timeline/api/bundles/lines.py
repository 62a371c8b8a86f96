"""The lines of a bundle: a trajectory, with effects, with what people were asked and
decided, and with what was said up to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from django.db.models import Max

from apps.accounts import masks
from apps.accounts.masks import Mask
from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import ContentTooLarge
from apps.timeline import hooks, queries
from apps.timeline.api.bundles.drawing import Drawing
from apps.timeline.api.effects.shapes import effect_object
from apps.timeline.api.shapes import checkpoint_object
from apps.timeline.api.trajectories import sealed, told_of
from apps.timeline.models import Session, Turn
from apps.timeline.versions import VersionRow, body_parts, history_size
from apps.timeline.words import EffectStatus

MEBIBYTE = 1 << 20
LARGEST = 64 * MEBIBYTE
EFFECTS_AT_ONCE = 100
MOST_EFFECTS = 10_000
MOST_APPROVALS = 10_000
# Of an approval: what was asked, and what came of it. Who voted is nobody's business
# on another machine, and a schema repeats what was asked.
ASKED = (
    *("id", "version", "key", "tool", "class", "arguments", "reason", "status"),
    *("outcome", "created_at"),
)
SAID = ("messages", "tool_results")


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """A session up to a version, and the masks that its caller adds."""

    project: Project
    session: Session
    last: VersionRow
    masks: Sequence[Mask]
    now: datetime

    def lines(self) -> Iterator[bytes]:
        """Return the lines, once all that is to be hidden is known.

        Raises: ContentTooLarge.
        """
        size = history_size(self.session.id, self.last.number)
        if size > LARGEST:
            raise ContentTooLarge(
                f"The states have {size // MEBIBYTE} MiB, more than the "
                f"{LARGEST // MEBIBYTE} of a bundle. Name an earlier version."
            )
        # Once lines are sent, there is no other answer.
        self._require_few()
        drawing = self._drawing()
        last_turn = self._last_turn()
        if drawing.is_needed:
            for told in self._parsed(last_turn):
                drawing.learn(told)
        return sealed(self._drawn(drawing, last_turn), masked=drawing.counts)

    def _require_few(self) -> None:
        """Raises: ContentTooLarge for more effects or approvals than a bundle has."""
        for name, found, most in (
            ("effects", self._found_effects, MOST_EFFECTS),
            ("approvals", self._found_approvals, MOST_APPROVALS),
        ):
            if len(found) > most:
                raise ContentTooLarge(f"A bundle has at most {most:,} {name}.")

    def _last_turn(self) -> int:
        """Return the newest turn: of one that comes later nothing has been learnt."""
        turns = Turn.objects.of_session(self.session.id)
        return int(turns.aggregate(last=Max("turn_number"))["last"] or 0)

    def _drawing(self) -> Drawing:
        stored = masks.stored(self.project.masks)
        return Drawing([*stored, *self.masks], bytes(self.project.index_key))

    def _drawn(self, drawing: Drawing, last_turn: int) -> Iterator[dict[str, Any]]:
        read = self._parsed if drawing.is_needed else self._told
        objects = read(last_turn)
        return map(drawing.drawn, objects)

    def _parsed(self, last_turn: int) -> Iterator[dict[str, Any]]:
        for told in self._told(last_turn):
            yield json.parse_written(json.splice(told))

    def _told(self, last_turn: int) -> Iterator[dict[str, Any]]:
        for told in told_of(self.session, self.last.number):
            if told["type"] == "header":
                told |= {"bundle": self._about()}
            if told["type"] == "turn" and told["turn_number"] > last_turn:
                continue
            yield told
        yield from self._effects()
        yield from self._approvals()
        yield self._conversation()

    def _about(self) -> dict[str, Any]:
        """Return what the bundle is of; the project's masks are told of by number."""
        return {
            "version": self.last.number,
            "masks": [mask.pointer for mask in self.masks],
            "project_masks": len(masks.stored(self.project.masks)),
        }

    def _effects(self) -> Iterator[dict[str, Any]]:
        """Yield effects that were decided on these versions, the oldest first."""
        for one in reversed(self._found_effects):
            if one.number <= self.last.number and one.created_at <= self.now:
                told = effect_object(self.project, one)
                if one.updated_at > self.now:
                    # What came of it since may hold what nobody has learnt.
                    told |= {"status": EffectStatus.BEGUN.value, "result": None}
                # It would let others call as the agent did.
                del told["provider_key"]
                yield {"type": "effect", **told}

    @cached_property
    def _found_effects(self) -> list[queries.EffectRow]:
        """The session's effects, the newest first: if too many, not all of them."""
        found: list[queries.EffectRow] = []
        before = None
        while len(found) <= MOST_EFFECTS:
            page = queries.effects(
                self.session.id, now=self.now, before=before, limit=EFFECTS_AT_ONCE
            )
            found += page[:EFFECTS_AT_ONCE]
            if len(page) <= EFFECTS_AT_ONCE:
                break
            before = found[-1].id
        return found

    def _approvals(self) -> Iterator[dict[str, Any]]:
        """Yield what people were asked on these versions, the oldest first."""
        for one in self._found_approvals:
            yield {"type": "approval", **one}

    @cached_property
    def _found_approvals(self) -> list[dict[str, Any]]:
        """What people were asked, the oldest first: if too much, not all of it."""
        asked = hooks.ever_asked(self.last, now=self.now)
        return [
            {name: one[name] for name in ASKED}
            for one in islice(asked, MOST_APPROVALS + 1)
        ]

    def _conversation(self) -> dict[str, Any]:
        """Return what was said up to the last version, as far as agents keep it."""
        told: dict[str, Any] = {"type": "conversation", "version": self.last.number}
        if self.last.is_emptied:
            return told | dict.fromkeys(SAID)
        whole = checkpoint_object(self.last, body_parts(self.last))
        return told | {name: whole[name] for name in SAID}
