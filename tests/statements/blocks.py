"""Find the blocks of a statement: each SELECT, INSERT, UPDATE and DELETE in it.

A block has sources (tables, functions, subqueries under their names) and conditions
that all have to hold. What stands inside another, be it a subquery, a LATERAL, one arm
of a UNION or a WITH, is a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.statements.tokens import Group, Is, Items, Token, split

BEGINNINGS = ("select", "with", "insert", "update", "delete", "values")
_CLAUSES = (
    *("select", "from", "where", "group", "having", "window", "order", "limit"),
    *("offset", "fetch", "for", "returning", "set", "using", "values"),
)
_BEHIND = ("union", "intersect", "except", "order", "limit", "offset", ";")
_JOINS = ("join", "left", "right", "inner", "outer", "full", "cross", "natural")


@dataclass(slots=True)
class Source:
    """One entry of FROM, or the table that a block writes to."""

    name: str  # empty for a subquery
    alias: str
    own: list[Items] = field(default_factory=list)  # what its LEFT JOIN is on
    is_function: bool = False
    is_lateral: bool = False


@dataclass(slots=True)
class Block:
    """One SELECT, INSERT, UPDATE or DELETE, without what it contains."""

    verb: str
    clauses: dict[str, Items] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    conditions: list[Items] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)  # of an INSERT
    rows: list[list[Items]] = field(default_factory=list)  # of VALUES
    is_arm: bool = False  # of a UNION, or in a WITH
    is_inner: bool = False  # inside another block

    def conditions_on(self, source: Source) -> list[Items]:
        """Return what has to hold of each row of a source."""
        return [*self.conditions, *source.own]


def blocks(items: Items) -> list[Block]:
    """Return all blocks of a statement, the outermost first.

    Raises: ValueError for what does not begin as a statement that reads or writes rows.
    """
    found: list[Block] = []
    _read_query(items, found, is_inner=False)
    return found


def with_names(items: Items) -> set[str]:
    """Return the names that WITH gives to its queries, anywhere in a statement."""
    found = {
        items[at].text
        for at, item in enumerate(items[:-1])
        if isinstance(items[at], Token) and _is_query_of_with(items, at + 1)
    }
    for item in items:
        if isinstance(item, Group):
            found |= with_names(item.items)
    return found


def _is_query_of_with(items: Items, at: int) -> bool:
    """Say whether `[(columns)] AS [NOT MATERIALIZED] (query)` stands there."""
    if isinstance(items[at], Group):
        at += 1
    rest = items[at:]
    if not rest or not rest[0].says("as"):
        return False
    following = [item for item in rest[1:4] if not item.says("not", "materialized")]
    return bool(following) and _is_query(following[0])


def _is_query(item: Token | Group) -> bool:
    return isinstance(item, Group) and bool(item.items) and _begins(item.items)


def _begins(items: Items) -> bool:
    first, *rest = items
    if isinstance(first, Group):
        # Not a list of values of which the first is a query.
        return _is_query(first) and (not rest or rest[0].says(*_BEHIND))
    return first.says(*BEGINNINGS)


def _read_query(
    items: Items, found: list[Block], *, is_inner: bool, is_arm: bool = False
) -> None:
    items = [item for item in items if not item.says(";")]
    if not items or not _begins(items):
        raise ValueError("it neither reads nor writes rows")
    if items[0].says("with"):
        items, queries = _without_with(items)
        _read_query(items, found, is_inner=is_inner, is_arm=True)
        for query in queries:
            _read_query(query.items, found, is_inner=True, is_arm=True)
        return
    arms = split(items, "union", "intersect", "except")
    for arm in arms:
        left = [item for item in arm if not item.says("all")]
        has_others = is_arm or len(arms) > 1
        if left and isinstance(left[0], Group):
            _read_query(left[0].items, found, is_inner=is_inner, is_arm=has_others)
        else:
            _read_block(left, found, is_inner=is_inner, is_arm=has_others)


def _without_with(items: Items) -> tuple[Items, list[Group]]:
    """Return the statement behind WITH, and the queries that WITH names."""
    queries: list[Group] = []
    at = 1
    while at < len(items):
        item = items[at]
        if _is_query(item) and items[at - 1].says("as", "materialized"):
            assert isinstance(item, Group)
            queries.append(item)
            if at + 1 == len(items) or not items[at + 1].says(","):
                return items[at + 1 :], queries
        at += 1
    raise ValueError("WITH names no query")


def _read_block(
    items: Items, found: list[Block], *, is_inner: bool, is_arm: bool
) -> None:
    first = items[0]
    assert isinstance(first, Token)
    block = Block(verb=first.text, is_inner=is_inner, is_arm=is_arm)
    found.append(block)
    if first.says("insert"):
        items = _read_target_of_insert(items, block)
    elif first.says("update", "delete"):
        items = _read_target(items, block)
    _read_clauses(items, block)
    _read_inner(items, found)


def _read_target_of_insert(items: Items, block: Block) -> Items:
    """Read `INSERT INTO table [AS name] (columns)`; return what follows."""
    at = 2
    name, alias, at = _named(items, at)
    block.sources.append(Source(name, alias))
    columns = items[at]
    if isinstance(columns, Group) and not _is_query(columns):
        block.columns = [one[-1].text for one in split(columns.items, ",")]  # type: ignore[union-attr]
        at += 1
    rest = items[at:]
    for place, item in enumerate(rest):
        if item.says("on") and rest[place + 1].says("conflict"):
            # What it does to a row that is there concerns the row it names.
            return rest[:place]
    return rest


def _read_target(items: Items, block: Block) -> Items:
    """Read `UPDATE table [AS name]` or `DELETE FROM table …`; return what follows."""
    at = 2 if items[1].says("from", "only") else 1
    name, alias, at = _named(items, at)
    block.sources.append(Source(name, alias))
    return items[at:]


def _read_clauses(items: Items, block: Block) -> None:
    clause = ""
    for at, item in enumerate(items):
        is_operator = item.says("from") and items[at - 1].says("distinct")
        is_how = item.says("using") and block.verb != "delete"  # of a join, of an order
        if item.says(*_CLAUSES) and not is_operator and not is_how:
            assert isinstance(item, Token)
            clause = item.text
            block.clauses.setdefault(clause, [])
        elif clause:
            block.clauses[clause].append(item)
    for name in ("from", "using"):
        _read_sources(block.clauses.get(name, []), block)
    block.conditions += conjuncts(block.clauses.get("where", []))
    if "values" in block.clauses:
        block.rows = [
            split(row.items, ",")
            for row in block.clauses["values"]
            if isinstance(row, Group)
        ]


def _read_inner(items: Items, found: list[Block]) -> None:
    for item in items:
        if not isinstance(item, Group):
            continue
        if item.items and _begins(item.items) and not item.items[0].says("values"):
            _read_query(item.items, found, is_inner=True)
        else:
            _read_inner(item.items, found)


def _read_sources(items: Items, block: Block) -> None:
    """Read entries of FROM: each with its alias and what it is joined on."""
    for entry, join in _entries(items):
        is_lateral = bool(entry) and entry[0].says("lateral")
        entry = [item for item in entry if not item.says("lateral", "only")]
        if not entry:
            continue
        own = _joined_on(entry)
        first = entry[0]
        if isinstance(first, Group):
            if _begins(first.items):
                block.sources.append(Source("", "", is_lateral=is_lateral))
            else:
                _read_sources(first.items, block)
            source = None
        else:
            name, alias, at = _named(entry, 0)
            is_function = len(entry) > at - 1 and _is_call(entry)
            source = Source(name, alias, [], is_function, is_lateral)
            block.sources.append(source)
        if join in ("left", "right", "full") and source is not None:
            source.own += own
        elif join not in ("left", "right", "full"):
            block.conditions += own


def _is_call(entry: Items) -> bool:
    return len(entry) > 1 and isinstance(entry[1], Group)


def _entries(items: Items) -> Iterator[tuple[Items, str]]:
    """Yield the entries of FROM, each with the first word of its join."""
    entry: Items = []
    join = ""
    for at, item in enumerate(items):
        if item.says(","):
            yield entry, join
            entry, join = [], ""
        elif item.says(*_JOINS) and not _is_call(items[at:]):
            if entry:
                yield entry, join
                entry, join = [], ""
            assert isinstance(item, Token)
            join = join or item.text
        else:
            entry.append(item)
    yield entry, join


def _joined_on(entry: Items) -> list[Items]:
    for at, item in enumerate(entry):
        if item.says("on"):
            return conjuncts(entry[at + 1 :])
        if item.says("using") and isinstance(entry[at + 1], Group):
            return [[item, entry[at + 1]]]
    return []


def _named(items: Items, at: int) -> tuple[str, str, int]:
    """Return the name and the alias that stand there, and where they end."""
    first = items[at]
    if not isinstance(first, Token) or first.kind is not Is.WORD:
        raise ValueError("there is no name of a table where one was expected")
    at += 1
    if at < len(items) and isinstance(items[at], Group):
        return first.text, first.text, at
    if at < len(items) and items[at].says("as"):
        at += 1
    following = items[at] if at < len(items) else None
    is_alias = (
        isinstance(following, Token)
        and following.kind is Is.WORD
        and not following.says(*_CLAUSES, "on", *_JOINS, "default")
    )
    if is_alias:
        assert isinstance(following, Token)
        return first.text, following.text, at + 1
    return first.text, first.text, at


def conjuncts(items: Items) -> list[Items]:
    """Return the conditions that all have to hold; of an OR the whole."""
    if any(item.says("or") for item in items):
        return [items]
    parts: list[Items] = []
    for one in _between_ands(items):
        if len(one) == 1 and isinstance(one[0], Group) and not _is_query(one[0]):
            parts += conjuncts(one[0].items)
        elif one:
            parts.append(one)
    return parts


def _between_ands(items: Items) -> list[Items]:
    found: list[Items] = [[]]
    is_between = False
    for item in items:
        if item.says("and") and not is_between:
            found.append([])
            continue
        # BETWEEN has an AND of its own.
        is_between = item.says("between") or (is_between and not item.says("and"))
        found[-1].append(item)
    return found
