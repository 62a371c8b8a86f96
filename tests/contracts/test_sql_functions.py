"""Functions insert rows by VALUES and in loops, one shard's worth at a time.

Where tables are distributed by session a function runs on the shard of its session;
`INSERT … SELECT` of a record or of a list goes round by the coordinator, and made a
call take 56 ms instead of 35. On one machine there is no difference (9.2 and 8.4 ms).
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.statements.tokens import Group, Items, read

FOLDER = Path(__file__).resolve().parents[2] / "apps/timeline/sql"
FUNCTION = re.compile(r"CREATE FUNCTION (\w+)")
BODY = re.compile(r"AS \$\$(.*)\$\$", re.S)
# The one exception: it writes the rows of hundreds of versions, of many sessions.
PROJECTOR = {"timeline_project_v2"}
# What they insert they select from tables of the same document, which lie beside each
# other: whole sets of keys at once, up to 200,000.
OF_SETS = {
    "timeline_keyed_remove_v1",
    "timeline_keyed_restore_v2",
    "timeline_keyed_expire_v1",
    "timeline_keyed_show_v1",
}


def inserts(items: Items) -> Iterator[str]:
    """Yield where each row that a function inserts comes from: VALUES or SELECT."""
    for at, item in enumerate(items):
        if isinstance(item, Group):
            yield from inserts(item.items)
        elif item.says("insert"):
            yield next(
                one.text
                for one in items[at:]
                if not isinstance(one, Group) and one.says("values", "select")
            )


def body_of(text: str) -> Items:
    (body,) = BODY.findall(re.sub(r"--[^\n]*", "", text))
    return read(body)


def functions() -> dict[str, str]:
    found = {}
    for file in sorted(FOLDER.glob("*.sql")):
        text = file.read_text(encoding="utf-8")
        found |= {name: text for name in FUNCTION.findall(text) if BODY.search(text)}
    return found


def of_now() -> dict[str, str]:
    """Return the functions of the newest version of each name."""
    newest: dict[str, tuple[int, str]] = {}
    for name in functions():
        stem, _, version = name.rpartition("_v")
        newest[stem] = max(newest.get(stem, (0, "")), (int(version), name))
    return {name: functions()[name] for _, name in newest.values()}


def test_only_sets_of_rows_are_inserted_as_they_are_selected() -> None:
    found = {
        name for name, text in of_now().items() if "select" in inserts(body_of(text))
    }

    assert found == PROJECTOR | OF_SETS


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("INSERT INTO a (b) VALUES (1);", ["values"]),
        ("INSERT INTO a SELECT (_new).*;", ["select"]),
        ("INSERT INTO a (b) SELECT x FROM unnest(_all) x;", ["select"]),
        ("WITH w AS (INSERT INTO a SELECT 1) SELECT 2;", ["select"]),
        ("FOR _at IN 1..2 LOOP INSERT INTO a (b) VALUES (_at); END LOOP;", ["values"]),
        (
            "INSERT INTO a AS t (b) VALUES ((SELECT 1)) ON CONFLICT DO NOTHING;",
            ["values"],
        ),
    ],
)
def test_it_sees_what_a_function_inserts(body: str, found: list[str]) -> None:
    assert list(inserts(read(body))) == found
