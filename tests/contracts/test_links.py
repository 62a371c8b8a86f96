"""Links between the pages lead somewhere, and the files that they name exist."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.test_readme import ROOT

PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "clients").rglob("*.md"),
    ]
    if "node_modules" not in path.parts
)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
OTHER_SITE = re.compile(r"[a-z][a-z0-9+.-]*:")
# A file named in full, from the root, perhaps with a test's name behind it.
NAMED = re.compile(
    r"`((?:apps|clients|config|docs|static|templates|tests|\.ci)/[\w./-]+)(?:::\w+)?`"
)


def prose(page: str) -> str:
    """Return a page's text without its blocks of code."""
    return FENCED.sub("", (ROOT / page).read_text())


def links(page: str) -> list[str]:
    """Return what the page links to on this site, pictures included."""
    found = LINK.findall(CODE.sub("``", prose(page)))
    return [one for one in found if not OTHER_SITE.match(one)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    found: list[str] = []
    for heading in HEADING.findall(FENCED.sub("", page.read_text())):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.append(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return frozenset(
        name if not before else f"{name}-{before}"
        for at, name in enumerate(found)
        for before in [found[:at].count(name)]
    )


def broken(page: str) -> list[str]:
    """Return the links of a page whose file or heading does not exist."""
    wrong = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        exists = target.is_file() and target.resolve().is_relative_to(ROOT)
        if not exists or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(path: str) -> None:
    assert broken(path) == []


@pytest.mark.parametrize("path", PAGES)
def test_every_file_named_in_full_exists(path: str) -> None:
    named = NAMED.findall((ROOT / path).read_text())

    assert [file for file in named if not (ROOT / file).exists()] == []


def test_the_pages_link_to_each_other() -> None:
    assert {"README.md", "CONTRIBUTING.md", "clients/python/README.md"} <= set(PAGES)
    assert len(links("README.md")) > 15
    assert any("#" in link for page in PAGES for link in links(page))


def test_a_wrong_file_or_heading_would_be_found(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# One `x`, two\n# One x two\n[a](b.md) [b](#one-x-two-1) [c](#two) `[d](e.md)`"
    )
    monkeypatch.setattr("tests.contracts.test_links.ROOT", tmp_path)

    assert broken("a.md") == ["b.md", "#two"]
