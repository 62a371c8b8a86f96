"""The glossary's terms are those of the code: each names where it is found there."""

import re
from collections import Counter

import pytest

from tests.contracts.test_readme import ROOT

ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \| `(\w+)` \|$",
    (ROOT / "docs/glossary.md").read_text(),
    re.MULTILINE,
)
WORDS = {
    word
    for kind in ("*.py", "*.sql")
    for file in (ROOT / "apps").rglob(kind)
    for word in re.findall(r"\w+", file.read_text())
}


def test_every_row_is_read() -> None:
    lines = (ROOT / "docs/glossary.md").read_text().splitlines()
    tables = [line for line in lines if line.startswith("| ")]
    headings = [line for line in tables if line == "| term | meaning | in the code |"]

    assert len(ROWS) == len(tables) - len(headings)
    assert {"hold", "head", "set aside", "body", "commitment"} <= {
        term for term, _, _ in ROWS
    }


def test_every_term_is_explained_once_in_one_sentence() -> None:
    assert Counter(term for term, _, _ in ROWS).most_common(1)[0][1] == 1
    assert [
        term
        for term, meaning, _ in ROWS
        if not meaning.endswith(".") or ". " in meaning
    ] == []


@pytest.mark.parametrize(
    ("term", "name"),
    [(term, name) for term, _, name in ROWS],
    ids=[term for term, _, _ in ROWS],
)
def test_the_code_has_the_name(term: str, name: str) -> None:
    assert name in WORDS, term
