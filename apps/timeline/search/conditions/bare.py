"""Answer a bare term: an id or a name of any kind, words, or a whole value."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core.json import Json
from apps.timeline.search.clauses import FreeTerm
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Cost,
    Hit,
    Hits,
    newest_of,
)
from apps.timeline.search.conditions.past import Ever
from apps.timeline.search.conditions.wording import Wording
from apps.timeline.search.prefixes import SHORTEST

LOOKED = (
    "looked for in live sessions: as the id of a user, an agent, a session, a version "
    "or a trace, as a label, a release or a reason code, as words of reasoning, turns "
    "and labels, and as a whole value that was ever held; ids, labels and releases "
    "also by their beginning{short}"
)
SHORT = f", but from {SHORTEST} characters on"


class Either(Condition):
    """The union of several conditions, newest first."""

    cost = Cost.HISTORY
    tells_only_met = True
    reads_history = True

    def __init__(self, clause: FreeTerm, conditions: Sequence[Condition]) -> None:
        super().__init__(clause)
        self.conditions = conditions

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return newest_of(
            [one.candidates(before, limit) for one in self.conditions], limit
        )

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        found: set[str] = set()
        for condition in self.conditions:
            found |= condition.among([one for one in sessions if one.id not in found])
        return found

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        every = [one.hits(sessions, before, limit) for one in self.conditions]
        return {
            one.id: sorted(
                [hit for hits in reversed(every) for hit in hits.get(one.id, ())],
                key=_newest_first,
            )[:limit]
            for one in sessions
        }

    def reasons(self, sessions: Sequence[Candidate]) -> Hits:
        every = [one.reasons(sessions) for one in self.conditions]
        return {
            one.id: [hit for hits in every for hit in hits.get(one.id, ())]
            for one in sessions
        }

    def notices(self) -> list[str]:
        return [said for one in self.conditions for said in one.notices()]


class InTexts(Either):
    """Its words occur in one text, or it is a whole value that was ever held."""

    def __init__(self, clause: FreeTerm, words: Wording, ever: Ever) -> None:
        super().__init__(clause, [words, ever] if ever.value_keys else [words])
        self.words = words
        self.ever = ever

    def newest(self, sessions: Sequence[Candidate]) -> dict[str, Hit]:
        found = self.ever.newest(sessions)
        for session_id, hit in self.words.newest(sessions).items():
            known = found.get(session_id)
            if known is None or (hit.version or 0) > (known.version or 0):
                found[session_id] = hit
        return found

    def has_place(self, hit: Hit) -> bool:
        return self.ever.has_place(hit)

    def told(self, hit: Hit, state: Json) -> Hit:
        return self.ever.told(hit, state)

    def notices(self) -> list[str]:
        return [*self.words.notices(), *self.ever.notices()]


class Bare(Either):
    """It is an id, begins one, or occurs in texts; each way is a reason of its own."""

    clause: FreeTerm

    def __init__(
        self, clause: FreeTerm, ids: Sequence[Condition], texts: InTexts
    ) -> None:
        super().__init__(clause, [*ids, texts])
        self.texts = texts

    def has_place(self, hit: Hit) -> bool:
        return self.texts.has_place(hit)

    def told(self, hit: Hit, state: Json) -> Hit:
        return self.texts.told(hit, state)

    def where_looked(self) -> str:
        is_short = len(self.clause.term) < SHORTEST
        return LOOKED.format(short=SHORT if is_short else "")


class Seen(Either):
    """As whoever looks may see it: it is an id, or a value that a head holds."""

    def has_place(self, hit: Hit) -> bool:
        return self.conditions[-1].has_place(hit)

    def told(self, hit: Hit, state: Json) -> Hit:
        return self.conditions[-1].told(hit, state)

    def notices(self) -> list[str]:
        return [
            *super().notices(),
            "masks cover some of what you may see: looked for as the id of a trace and"
            " as a whole value in heads, not in texts, in the past, or by beginnings",
        ]


def _newest_first(hit: Hit) -> tuple[bool, int]:
    """Sort what is true of the session first, then by version."""
    return hit.version is not None, -(hit.version or 0)
