"""What a page may weigh: our styles and scripts, as they are sent."""

from apps.core.http.stylesheet import stylesheet
from tests.commands import ROOT

SCRIPTS = ROOT / "static" / "js"


def test_styles_and_scripts_fit_their_budget():
    assert styles() + scripts() <= 80_000


def test_styles_fit_theirs():
    assert styles() <= 40_000


def styles() -> int:
    text, _ = stylesheet()
    for layer in ("tokens", "base", "components", "pages"):
        assert f"@layer {layer}{{" in text
    return len(text.encode())


def scripts() -> int:
    """Return the bytes of all scripts, of which there must be some."""
    sizes = [one.stat().st_size for one in SCRIPTS.rglob("*.js")]
    assert sizes, f"{SCRIPTS} has no script."
    return sum(sizes)
