"""What a page may weigh: our styles and scripts, as they are sent."""

from pathlib import Path

from tests.commands import ROOT

STYLES = ROOT / "static" / "css"
SCRIPTS = ROOT / "static" / "js"


def test_styles_and_scripts_fit_their_budget():
    assert weight(STYLES, "*.css") + weight(SCRIPTS, "*.js") <= 80_000


def test_styles_fit_theirs():
    assert weight(STYLES, "*.css") <= 48_000


def weight(folder: Path, kind: str) -> int:
    """Return the bytes of the files of one kind, of which there must be some."""
    sizes = [one.stat().st_size for one in folder.rglob(kind)]
    assert sizes, f"{folder} has no {kind}."
    return sum(sizes)
