"""Merge all parts of three versions: those of JSON as states, opaque ones never.

The parts of JSON are merged as members of one object, so a conflict's id tells its
part as well. Opaque parts are bytes in which a checkpointer keeps its truth: what one
side has made of them is taken with all the rest of that side, if the other has changed
nothing at all; else somebody chooses a side whole.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.json import Json, State
from apps.diffs import pointers
from apps.diffs.changes import MISSING
from apps.diffs.equality import same
from apps.diffs.merging import (
    Choice,
    Conflict,
    Merge,
    Pick,
    Side,
    SideChange,
    merge,
)
from apps.diffs.merging import ChoiceRefused as Refused
from apps.timeline.bodies import Part, bundles
from apps.timeline.bodies.bundles import PART_SHAPES
from apps.timeline.errors import ChoiceRefused
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

STATE = "state"
OPAQUE = "opaque"
WHOLE = (Pick.OURS, Pick.THEIRS)


@dataclass(frozen=True, kw_only=True, slots=True)
class PartConflict:
    """A conflict in one part; `pointer` is within it.

    That of the opaque parts is about both sides as they are: it shows no values.
    """

    id: str
    part: str
    kind: str
    pointer: str
    picks: tuple[Pick, ...]
    base: Json = field(default=MISSING, repr=False)
    ours: Json = field(default=MISSING, repr=False)
    theirs: Json = field(default=MISSING, repr=False)
    length: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Combined:
    """What became of a merge; without `parts` while a conflict is not chosen.

    `changes` are told with pointers that begin with the part's name.
    """

    state: State | None = field(default=None, repr=False)
    parts: tuple[Part, ...] | None = field(default=None, repr=False)
    conflicts: tuple[PartConflict, ...] = ()
    unchosen: frozenset[str] = frozenset()
    changes: tuple[SideChange, ...] = field(default=(), repr=False)
    coarse: tuple[str, ...] = ()
    takes_opaque: bool = False

    def sides(self) -> Counter[Side]:
        """Count the changes by who made them."""
        return Counter(change.side for change in self.changes)

    def kept(self, choices: Mapping[str, Choice]) -> dict[str, Choice]:
        """Return which choices are about conflicts that there still are."""
        return kept_choices(self.conflicts, choices)


def kept_choices(
    conflicts: Iterable[PartConflict], choices: Mapping[str, Choice]
) -> dict[str, Choice]:
    """Return which choices are about conflicts that there still are."""
    known = {one.id for one in conflicts}
    return {id: choice for id, choice in choices.items() if id in known}


def combined(
    base: VersionRow,
    head: VersionRow,
    theirs: VersionRow,
    choices: Mapping[str, Choice],
) -> Combined:
    """Merge what changed from `base` to `theirs` into the head.

    Raises: ChoiceRefused with the conflicts as they are; UnacceptableJson and
    PayloadTooLarge for a result that breaks the rules of states.
    """
    versions = (base, head, theirs)
    reading.parse_alike(*versions)
    documents = [_document(one) for one in versions]
    was, ours, new = (_opaque(one) for one in versions)
    if was == ours == new:
        return _merged(head, theirs, documents, choices, opaque=ours)
    if same(documents[0], documents[1]) and was == ours:
        # Only they have changed anything: all of it is taken as it is.
        return _merged(head, theirs, documents, choices, opaque=new)
    if (same(documents[0], documents[2]) and was == new) or (
        same(documents[1], documents[2]) and ours == new
    ):
        return _merged(head, theirs, documents, choices, opaque=ours)
    return _chosen_whole(versions, documents, choices)


def _merged(
    head: VersionRow,
    theirs: VersionRow,
    documents: list[dict[str, Json]],
    choices: Mapping[str, Choice],
    *,
    opaque: tuple[Part, ...],
) -> Combined:
    try:
        found = merge(*documents, choices=choices)
    except Refused as refused:
        raise _refusal(refused) from None
    told = _told(found)
    if not found.is_complete:
        return told
    state, parts = _assembled(found.value, head, theirs, documents, opaque)
    return Combined(
        state=state,
        parts=parts,
        conflicts=told.conflicts,
        changes=told.changes,
        coarse=told.coarse,
        takes_opaque=opaque != _opaque(head),
    )


def _told(found: Merge) -> Combined:
    return Combined(
        conflicts=tuple(map(_of_part, found.conflicts)),
        unchosen=frozenset(one.id for one in found.unchosen),
        changes=found.changes,
        coarse=found.coarse,
    )


def _of_part(conflict: Conflict) -> PartConflict:
    part, pointer = split_part(conflict.pointer)
    return PartConflict(
        id=conflict.id,
        part=part,
        kind=conflict.kind.value,
        pointer=pointer,
        picks=conflict.picks,
        base=conflict.base,
        ours=conflict.ours,
        theirs=conflict.theirs,
        length=conflict.length,
    )


def split_part(pointer: str) -> tuple[str, str]:
    """Return the part that a pointer of a merge begins with, and the rest.

    No part is called by a name that a pointer would escape.
    """
    part, _, rest = pointer.removeprefix("/").partition("/")
    return part or STATE, f"/{rest}" if rest or pointer.count("/") > 1 else ""


def _chosen_whole(
    versions: tuple[VersionRow, VersionRow, VersionRow],
    documents: list[dict[str, Json]],
    choices: Mapping[str, Choice],
) -> Combined:
    """Have one side chosen, with all its parts."""
    _, head, theirs = versions
    digest = hashlib.sha256(b"opaque")
    for one in versions:
        digest.update(one.commitment)
    conflict = PartConflict(
        id=digest.hexdigest()[:32],
        part=OPAQUE,
        kind=OPAQUE,
        pointer="",
        picks=WHOLE,
    )
    for id, choice in choices.items():
        if id != conflict.id:
            message = "There is no such conflict, or it is another one by now."
            raise _choice_refused(message, id, (conflict,))
        if choice.pick not in WHOLE:
            message = f"`{choice.pick}` does not fit this conflict: choose a side."
            raise _choice_refused(message, id, (conflict,))
    if not choices:
        unchosen = frozenset({conflict.id})
        return Combined(conflicts=(conflict,), unchosen=unchosen)
    takes_theirs = choices[conflict.id].pick == Pick.THEIRS
    taken = theirs if takes_theirs else head
    changes = merge(documents[1], documents[1], documents[2]).changes
    return Combined(
        state=reading.parsed(taken),
        parts=reading.parts(taken),
        conflicts=(conflict,),
        changes=changes if takes_theirs else (),
        takes_opaque=takes_theirs and _opaque(theirs) != _opaque(head),
    )


def _assembled(
    value: dict[str, Json],
    head: VersionRow,
    theirs: VersionRow,
    documents: list[dict[str, Json]],
    opaque: tuple[Part, ...],
) -> tuple[State, tuple[Part, ...]]:
    """Return the state and all parts; what is a side's own stays the bytes it was.

    Raises: UnacceptableJson, InvalidRequest, PayloadTooLarge.
    """
    _, ours, new = documents
    state = value[STATE]
    carried: list[Part] = list(opaque)
    given: list[Part] = []
    for name in value:
        known = _bytes_of(name, value, (head, ours), (theirs, new))
        if known is not None:
            (given if name == STATE else carried).append(known)
        elif name != STATE and value[name] is None:
            raise InvalidRequest(f"{name} cannot be null.", param=name)
        elif name != STATE:
            given += bundles.named_parts({name: value[name]})
    parts = bundles.assembled(
        state,
        before=ours[STATE],
        carried=tuple(carried),
        given=tuple(given),
    )
    return state, _in_order(head, parts)


def _in_order(head: VersionRow, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts in the head's order, so that a body is compared with its own."""
    places = {name: at for at, name in enumerate(reading.part_names(head))}
    return tuple(sorted(parts, key=lambda part: places.get(part.name, len(places))))


def _bytes_of(
    name: str,
    value: dict[str, Json],
    *sides: tuple[VersionRow, dict[str, Json]],
) -> Part | None:
    """Return the part of a side that has this very value."""
    for version, document in sides:
        if document.get(name, MISSING) is value[name]:
            return next(part for part in reading.parts(version) if part.name == name)
    return None


def _document(version: VersionRow) -> dict[str, Json]:
    """Return the parts of JSON as one object, whose members are not to be changed."""
    found: dict[str, Json] = {STATE: reading.parsed(version)}
    for part in reading.parts_beside(version):
        if part.name in PART_SHAPES:
            found[part.name] = json.parse_written(part.data)
    return found


def _opaque(version: VersionRow) -> tuple[Part, ...]:
    return opaque_among(reading.parts_beside(version))


def opaque_among(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts that nobody here reads, by name."""
    opaque = (p for p in parts if p.name != STATE and p.name not in PART_SHAPES)
    return tuple(sorted(opaque, key=lambda part: part.name))


def _refusal(refused: Refused) -> ChoiceRefused:
    conflicts = tuple(map(_of_part, refused.conflicts))
    return _choice_refused(str(refused), refused.conflict_id, conflicts)


def _choice_refused(
    message: str, id: str, conflicts: tuple[PartConflict, ...]
) -> ChoiceRefused:
    where = pointers.join(["choices", id[:64]])
    return ChoiceRefused(message, param=where).bringing(conflicts)
