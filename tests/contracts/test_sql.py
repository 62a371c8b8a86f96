"""Statements of more than ten lines are in `.sql` files, where they are read as SQL."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.core import sql

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 10
STATEMENT = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b")
# What is composed from columns and clauses that other statements share, or prepared
# beside the code that binds its values.
COMPOSED = {
    "timeline/versions/heads.py": "made of the columns of versions.reading",
    "timeline/versions/plain_head.py": "made of the columns of versions.reading",
}


def long_statements(tree: ast.Module) -> Iterator[str]:
    """Yield the SQL of more than ten lines in a module's strings."""
    nodes = list(ast.walk(tree))
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {
        id(part)
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in nodes:
        if id(node) in docstrings | inside:
            continue
        text = _text(node)
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > LONGEST and STATEMENT.search(text):
            yield text


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else ""


def test_long_statements_are_in_files() -> None:
    found = {
        file.relative_to(ROOT / "apps").as_posix()
        for file in (ROOT / "apps").rglob("*.py")
        if "migrations" not in file.parts
        and any(long_statements(ast.parse(file.read_text())))
    }

    assert found == set(COMPOSED)


def test_a_long_statement_in_a_string_is_seen() -> None:
    lines = "\n".join(f"       a.column_{n}," for n in range(LONGEST))

    for prefix in ("", "f"):
        program = f'QUERY = {prefix}"""\nSELECT\n{lines}\n  FROM a\n"""'
        assert len(list(long_statements(ast.parse(program)))) == 1
    assert not list(long_statements(ast.parse(f'"""SELECT\n{lines}"""')))


def test_every_query_in_a_file_is_used_once() -> None:
    files = [
        f'"{file.parents[2].relative_to(ROOT / "apps").as_posix()}", "{file.stem}"'
        for file in (ROOT / "apps").rglob("sql/queries/*.sql")
    ]
    code = [
        re.sub(r"\s+", " ", file.read_text().replace("(\n", "("))
        for file in (ROOT / "apps").rglob("*.py")
    ]

    uses = {
        name: sum(text.count(f"sql.query({name}") for text in _joined(code))
        for name in files
    }
    assert files
    assert set(uses.values()) == {1}, uses


def test_no_file_is_superseded() -> None:
    """A migration makes it, or code runs it."""
    files = {
        file.stem
        for file in (ROOT / "apps").rglob("sql/*.sql")
        if file.parent.name != "queries"
    }
    code = "".join(file.read_text() for file in (ROOT / "apps").rglob("*.py"))
    named = {name for name in files if f'"{name}"' in code}
    # These are put together from a name and its prefix.
    named |= {f"search_{name}" for name in re.findall(r'"(\w+_v\d+)"', code)} & files

    assert len(files) > 20
    assert files - named == set()


def _joined(code: list[str]) -> list[str]:
    """Take away the spaces that a call over several lines begins with."""
    return [text.replace("sql.query( ", "sql.query(") for text in code]


@pytest.mark.parametrize("composed", [{}, {"forks_on_strip": 1, "more": 2}])
def test_a_query_is_composed_of_what_it_asks_for(composed: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"strip_buckets\.sql is not composed"):
        sql.query("timeline", "strip_buckets", **composed)

    assert "LIMIT 7" in sql.query("timeline", "strip_buckets", forks_on_strip=7)


def test_one_text_walks_the_chain_of_deltas() -> None:
    """What a body builds on is read in one way, by whichever reader."""
    folder = ROOT / "apps"
    found = [
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.suffix in {".py", ".sql"} and _walks_bases(file.read_text())
    ]

    assert found == ["timeline/sql/queries/delta_chain.sql"]


def _walks_bases(text: str) -> bool:
    return "WITH RECURSIVE" in text and ".base_number" in text
