"""The three kinds of statements on tables of sessions, and what is wrong with others.

Of a session: every table, in every arm and every subquery, names the session by the one
parameter; so it is one node's, where tables are distributed by session. Across: flat,
one table or tables joined on the session, with LIMIT outermost; so each node can answer
for itself. What is asked of each of several sessions is a statement of a session, sent
for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tests.statements import schema, tokens
from tests.statements.blocks import Block, Source, blocks, with_names
from tests.statements.tokens import Group, Is, Items, Token, split

_AGGREGATES = ("count", "sum", "min", "max", "coalesce", "bool_or", "array_agg")
# What makes, grants and looks after tables reads no rows of a session.
_OF_SCHEMA = ("create", "alter", "drop", "grant", "revoke", "comment", "analyze", "set")
_GROUPINGS = ("sets", "rollup", "cube")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a statement's text says: how it falls short of a kind, none if it does not.

    `names` are the parameters by which it names the session.
    """

    is_concerned: bool
    of_session: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    names: frozenset[str] = field(default_factory=frozenset)


UNCONCERNED = Reading(is_concerned=False)


@cache
def _mentioned() -> frozenset[str]:
    return frozenset((*schema.session_tables(), *schema.session_functions()))


def reading(text: str) -> Reading:
    """Read a statement. What cannot be understood is of no kind."""
    mentioned = _mentioned()
    if not any(name in text for name in mentioned):
        return UNCONCERNED
    try:
        items = _without_explain(tokens.read(text))
        is_of_schema = bool(items) and items[0].says(*_OF_SCHEMA)
        if is_of_schema or not mentioned & {one.text for one in tokens.words(items)}:
            return UNCONCERNED
        return _read(items)
    except (ValueError, IndexError) as error:
        fault = (f"is not understood: {error}",)
        return Reading(is_concerned=True, of_session=fault, across=fault)


def _without_explain(items: Items) -> Items:
    if not items or not items[0].says("explain"):
        return items
    return items[2:] if isinstance(items[1], Group) else items[1:]


def _read(items: Items) -> Reading:
    found = blocks(items)
    own = with_names(items)
    session = _Session(found, own)
    unseen = _unseen(items, found)
    return Reading(
        is_concerned=True,
        of_session=tuple(dict.fromkeys([*unseen, *session.faults(items)])),
        across=tuple(dict.fromkeys([*unseen, *_faults_across(items, found, own)])),
        names=frozenset(session.names),
    )


def _unseen(items: Items, found: list[Block]) -> Iterator[str]:
    """Yield the tables that the text names and no block was seen to read."""
    seen = [source.name for block in found for source in block.sources]
    for name in schema.session_tables():
        if _mentions(items, name) != seen.count(name):
            yield f"names {name} where it is not understood"


def _mentions(items: Items, name: str) -> int:
    """Count where a table is named, other than before a column and behind OF."""
    found = 0
    for at, item in enumerate(items):
        if isinstance(item, Group):
            found += _mentions(item.items, name)
        elif item.text == name and item.kind is Is.WORD:
            is_column = at + 1 < len(items) and items[at + 1].says(".")
            is_lock = at > 0 and items[at - 1].says("of")
            found += not is_column and not is_lock
    return found


class _Session:
    """Collects by what the session is named, and where it is not."""

    def __init__(self, found: list[Block], own: set[str]) -> None:
        self.found = found
        self.own = own
        self.names: set[str] = set()

    def faults(self, items: Items) -> Iterator[str]:
        for block in self.found:
            for source in block.sources:
                yield from self._of_source(block, source)
        for name, given in _calls(items):
            yield from self._of_call(name, given)
        named = {name for name in self.names if not name.startswith("%")}
        if len(named) > 1 or (named and len(named) < len(self.names)):
            yield "names sessions by several parameters"

    def _of_source(self, block: Block, source: Source) -> Iterator[str]:
        name = source.name
        if not name or source.is_function or name in self.own:
            return
        if name in schema.project_tables():
            yield f"reads {name}, which is distributed by project"
        elif name in schema.session_tables():
            key = schema.session_tables()[name]
            found = list(_named_by(block, source, key))
            if not found:
                yield f"does not name the session of {_shown(source)} by a parameter"
            self.names.update(found)
        elif name not in schema.REFERENCES and not name.startswith("pg_"):
            yield f"reads {name}, which is on one node"

    def _of_call(self, name: str, given: Items) -> Iterator[str]:
        place = schema.session_functions()[name]
        if place is None:
            yield f"calls {name}, which is not of one session"
            return
        argument = _argument(split(given, ","), place)
        parameter = _parameter(argument)
        if parameter is None:
            yield f"calls {name} for a session that is no parameter"
        else:
            self.names.add(parameter)


def _shown(source: Source) -> str:
    if source.alias == source.name:
        return source.name
    return f"{source.name} {source.alias}"


def _argument(given: list[Items], place: int) -> Items:
    for one in given:
        if len(one) > 2 and one[0].says("_session", "_stream") and one[1].says("=>"):
            return one[2:]
    return given[place] if place < len(given) else []


def _calls(items: Items) -> Iterator[tuple[str, Items]]:
    """Yield the calls of functions that read these tables, wherever they stand."""
    known = schema.session_functions()
    for at, item in enumerate(items):
        if isinstance(item, Group):
            yield from _calls(item.items)
        elif item.text in known and at + 1 < len(items):
            following = items[at + 1]
            if isinstance(following, Group):
                yield item.text, following.items


def _named_by(block: Block, source: Source, key: str) -> Iterator[str]:
    """Yield the parameters that the key of a source is equal to."""
    if block.verb == "insert" and source is block.sources[0]:
        yield from _inserted(block, key)
        return
    columns = {(source.alias, key)}
    if len(block.sources) == 1:
        columns.add(("", key))
    for condition in block.conditions_on(source):
        for one, other in _equal(condition):
            parameter = _parameter(other) if _column(one) in columns else None
            if parameter:
                yield parameter


def _inserted(block: Block, key: str) -> Iterator[str]:
    if key not in block.columns:
        return
    place = block.columns.index(key)
    rows = block.rows or [split(block.clauses.get("select", []), ",")]
    parameters = [_parameter(row[place]) if place < len(row) else None for row in rows]
    if None not in parameters:
        yield from (one for one in parameters if one)


def _equal(condition: Items) -> Iterator[tuple[Items, Items]]:
    sides = split(condition, "=")
    if len(sides) == 2:
        yield sides[0], sides[1]
        yield sides[1], sides[0]


def _column(items: Items) -> tuple[str, str] | None:
    """Return the alias (empty where there is none) and the name of a column."""
    if not all(isinstance(item, Token) for item in items):
        return None
    texts = [item.text for item in items if isinstance(item, Token)]
    if len(texts) == 3 and texts[1] == ".":
        return texts[0], texts[2]
    return ("", texts[0]) if len(texts) == 1 else None


def _parameter(items: Items) -> str | None:
    """Return the name of a parameter that stands alone, whatever it is cast to."""
    items = _unwrapped(items)
    first = items[0] if items else None
    if not isinstance(first, Token) or first.kind is not Is.PARAMETER:
        return None
    return first.text if len(items) == 1 or items[1].says("::") else None


def _unwrapped(items: Items) -> Items:
    while len(items) == 1 and isinstance(items[0], Group):
        items = items[0].items
    return items


def _faults_across(items: Items, found: list[Block], own: set[str]) -> Iterator[str]:
    concerned = [block for block in found if _tables_of(block)]
    for block in concerned:
        if block.is_inner or block.is_arm:
            yield "reads tables of sessions in a part of it, so it is not flat"
    if any(word.says("recursive") for word in tokens.words(items)):
        yield "is recursive"
    sources = [source for block in found for source in block.sources]
    if any(source.is_lateral for source in sources):
        yield "has a LATERAL"
    if any(source.is_function for source in sources):
        yield "reads a list or a function beside tables"
    for name, _ in _calls(items):
        yield f"calls {name}, which reads tables itself"
    for block in concerned:
        yield from _faults_of_block(block)


def _faults_of_block(block: Block) -> Iterator[str]:
    if "for" in block.clauses:
        yield "locks rows"
    grouped = tokens.words(block.clauses.get("group", []))
    if any(word.says(*_GROUPINGS) for word in grouped):
        yield "has grouping sets"
    if "offset" in block.clauses:
        yield "has an OFFSET"
    if block.verb == "select" and "limit" not in block.clauses and not _counts(block):
        yield "has no LIMIT"
    yield from _unjoined(block)


def _counts(block: Block) -> bool:
    """Say whether it gives one row: aggregates alone, of all rows."""
    if "group" in block.clauses:
        return False
    columns = split(block.clauses["select"], ",")
    return all(bool(one) and one[0].says(*_AGGREGATES) for one in columns)


def _unjoined(block: Block) -> Iterator[str]:
    """Yield the tables that are not joined to the others on the session."""
    first, *others = _tables_of(block) or [None]
    joined = {first.alias} if first else set()
    for source in others:
        assert source is not None
        sides = [
            {_column(one), _column(other)}
            for condition in block.conditions_on(source)
            for one, other in _equal(condition)
        ]
        mine = (source.alias, schema.session_tables()[source.name])
        aliases = {
            column[0]
            for pair in sides
            if mine in pair
            for column in pair - {mine}
            if column and column[1] in ("session_id", "id", "stream_id")
        }
        if not aliases & joined:
            yield f"does not join {_shown(source)} on the session"
        joined.add(source.alias)
    for source in block.sources:
        if source.name in schema.project_tables():
            yield f"reads {source.name}, which is distributed by project"


def _tables_of(block: Block) -> list[Source]:
    return [
        source
        for source in block.sources
        if source.name in schema.session_tables() and not source.is_function
    ]
