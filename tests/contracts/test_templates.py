"""Every fragment is part of a page, says what it needs, and nothing is inline."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "templates"
TEMPLATES = sorted(str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.html"))
FRAGMENTS = [name for name in TEMPLATES if Path(name).name.startswith("_")]
HANDLER = re.compile(r"<[^>]+\s(?:on[a-z]+|style)\s*=", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)|<style", re.IGNORECASE)


def text(name: str) -> str:
    return (FOLDER / name).read_text()


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_is_included_by_some_template(fragment: str) -> None:
    assert any(f'"{fragment}"' in text(name) for name in TEMPLATES if name != fragment)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_says_what_context_it_expects(fragment: str) -> None:
    assert "{# Context:" in text(fragment).split("\n")[0]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_holds_no_script_style_or_handler(template: str) -> None:
    # Our CSP would refuse them, silently for whoever looks at the page.
    assert not SCRIPT.search(text(template))
    assert not HANDLER.search(text(template))


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_asks_nobody_else(template: str) -> None:
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", text(template))
