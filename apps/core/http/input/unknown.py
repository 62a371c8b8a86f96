"""Unknown input: fields and query parameters that a route does not take.

What is dropped in silence does something else than was asked: a fork at a turn would
fork the head, a filtered list would be the whole one. So it is refused, with the
nearest name that is known. With `Prefer: handling=lenient` (RFC 7240), or in a project
that is set so, the rest is done and the answer names what was ignored: a new optional
field of a newer client then stops nobody.

Free objects (states, metadata, what was said in a turn) are not looked into.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from rest_framework import serializers

from apps.core.errors import (
    DomainError,
    InvalidRequest,
    UnknownField,
    UnknownParameter,
)

Kind: TypeAlias = type[serializers.Serializer[Any]]

# So many are named, at this length: a body may have a million, and their names go into
# the answer.
MOST = 50
LONGEST_NAME = 100
# How other APIs spell their pages.
PAGING = frozenset({"offset", "page", "cursor", "after", "before", "ending_before"})
BY_CURSOR = "pages go by cursor; give the last id of a page as `starting_after`."
# Lists with more items are refused for that.
MOST_ITEMS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Unknown:
    """One name that is not taken, and the names that are."""

    name: str
    known: Collection[str]
    error: type[DomainError]
    # What else to do, where that can be said of this very name.
    advice: str | None = None
    # The object that it is in, such as `versions[57]`, the 57th item of a batch.
    within: str = ""
    item: int | None = None

    @property
    def param(self) -> str:
        return f"{self.within}.{self.name}" if self.within else self.name

    def nearest(self) -> str | None:
        """Return the known name that was probably meant, however it is spelled."""
        spelled = {_plain(one): one for one in sorted(self.known)}
        found = get_close_matches(_plain(self.name), spelled, n=1)
        return spelled[found[0]] if found else None

    def described(self) -> dict[str, Any]:
        """Return what the error tells of it."""
        nearest = self.nearest()
        message = f"There is no {self._noun} `{self.name}` here: {self._hint(nearest)}"
        if self.within:
            message = f"{self.within}: {message}"
        return {"param": self.param, "message": message, "nearest": nearest}

    @property
    def _noun(self) -> str:
        return "parameter" if self.error is UnknownParameter else "field"

    def _hint(self, nearest: str | None) -> str:
        if self.advice is not None:
            return self.advice
        if nearest is not None:
            return f"did you mean `{nearest}`?"
        taken = ", ".join(sorted(self.known))
        return f"it takes {taken}." if taken else "it takes none."


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a kind of input takes.

    `nested` are those that hold objects with names of their own, `synonyms` those that
    are another name for one.
    """

    known: frozenset[str]
    nested: Mapping[str, Kind] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)


NOTHING = Names(frozenset())


@cache
def names_of(kind: Kind) -> Names:
    """Return what a serializer takes, its nested objects by the field's `holds`."""
    fields = {
        name: one for name, one in kind().get_fields().items() if not one.read_only
    }
    nested = {name: getattr(one, "holds", None) for name, one in fields.items()}
    return Names(
        frozenset(fields),
        {name: held for name, held in nested.items() if held is not None},
        getattr(kind, "refused", {}),
        getattr(kind, "synonyms", {}),
    )


def unknown_fields(names: Names, body: Mapping[str, Any]) -> list[Unknown]:
    """Return the fields of a body that are not taken, `MOST` + 1 of them at most."""
    if names.known.issuperset(body) and names.nested.keys().isdisjoint(body):
        return []
    return list(islice(_fields(names, body, "", None), MOST + 1))


def _fields(
    names: Names, body: Mapping[str, Any], within: str, item: int | None
) -> Iterator[Unknown]:
    if not names.known.issuperset(body):
        for name, value in body.items():
            # Clients send null for what they leave unset.
            is_unset = value is None and name in names.refused
            if name not in names.known and not is_unset:
                yield Unknown(
                    name=_short(name),
                    known=names.known,
                    error=UnknownField,
                    advice=names.refused.get(name),
                    within=within,
                    item=item,
                )
    for name, kind in names.nested.items():
        held = f"{within}.{name}" if within else name
        for place, index, value in _members(body.get(name)):
            if isinstance(value, dict):
                yield from _fields(names_of(kind), value, f"{held}{place}", index)


def contradiction(
    names: Names, body: Mapping[str, Any], within: str = "", item: int | None = None
) -> DomainError | None:
    """Return what is wrong with two names of one thing that say different things."""
    for other, name in names.synonyms.items():
        said = body.get(other)
        if said is not None and body.get(name) not in (None, said):
            param = f"{within}.{other}" if within else other
            message = f"{param}: This is another name for {name}; send one of the two."
            details = {} if item is None else {"item": item}
            return InvalidRequest(message, param=param, **details)
    for name, kind in names.nested.items():
        held = f"{within}.{name}" if within else name
        for place, index, value in _members(body.get(name)):
            inside = names_of(kind)
            if isinstance(value, dict):
                found = contradiction(inside, value, f"{held}{place}", index)
                if found is not None:
                    return found
    return None


def _members(value: Any) -> Iterator[tuple[str, int | None, Any]]:
    """Yield what a list or an object holds, and how its place is written."""
    if isinstance(value, list):
        for index, one in enumerate(value[:MOST_ITEMS]):
            yield f"[{index}]", index, one
    elif isinstance(value, dict):
        for name, one in islice(value.items(), MOST_ITEMS):
            yield f".{_short(name)}", None, one


def unknown_parameters(
    known: frozenset[str], given: Iterable[str], refused: Mapping[str, str]
) -> list[Unknown]:
    """Return the query parameters that are not taken, `MOST` + 1 of them at most."""
    paging = dict.fromkeys(PAGING, BY_CURSOR) if "starting_after" in known else {}
    advice = {**paging, **refused}
    found = (
        Unknown(
            name=_short(name),
            known=known,
            error=UnknownParameter,
            advice=advice.get(name),
        )
        for name in given
        if name not in known
    )
    return list(islice(found, MOST + 1))


def refusal(found: Sequence[Unknown]) -> DomainError:
    """Return the error of the first, which tells of all where there are several."""
    told = [one.described() for one in found[:MOST]]
    first = dict(told[0])
    if found[0].item is not None:
        first["item"] = found[0].item
    if len(found) > 1:
        first["errors"] = told
    return found[0].error(first.pop("message"), **first)


def _plain(name: str) -> str:
    """Spell agentId, agent-id and agent_id alike."""
    return "".join(one for one in name.lower() if one.isalnum())


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
