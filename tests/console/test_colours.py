"""Colours keep their contrast: computed from the tokens, in both themes."""

import re
from itertools import product

import pytest

from tests.commands import ROOT

TOKENS = (ROOT / "static" / "css" / "tokens.css").read_text()
PAIRS = {
    name: both
    for name, *both in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", TOKENS
    )
}
BANDS = [name for name in PAIRS if name.startswith("band-")]
TINTS = [name for name in PAIRS if name.endswith("-tint")]
GROUNDS = ["ground", "canvas", "raised", "sunken"]
# What draws marks, dots, bars and the edges of fields.
MARKS = [
    *("update-mark", "rollback-mark", "edge", "accent"),
    *("rollback", "fork", "hold", "flag", "good"),
]
MARK, TEXT = 3.0, 4.5


def luminance(colour):
    """Return how light a colour is, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def below(names, grounds, least, theme):
    """Return which of these is seen too little on which ground."""
    found = {
        f"{name} on {ground}": round(contrast(PAIRS[name][at], PAIRS[ground][at]), 2)
        for name, ground in product(names, grounds)
        for at in [("light", "dark").index(theme)]
    }
    assert len(found) == len(names) * len(grounds) > 0
    return {pair: ratio for pair, ratio in found.items() if ratio < least}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_mark_is_seen_on_every_band(theme):
    assert below(MARKS, BANDS, MARK, theme) == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_mark_is_seen_on_every_ground_and_tint(theme):
    assert below(MARKS, GROUNDS + TINTS, MARK, theme) == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_is_read_on_every_ground_tint_and_band(theme):
    texts = ["text", "text2", "text3"]

    assert below(texts, GROUNDS + TINTS + BANDS, TEXT, theme) == {}


def test_marks_and_bands_are_all_known():
    """A new mark or band is held to it too: none is named elsewhere."""
    assert len(BANDS) == 4
    assert {name for name in PAIRS if name.endswith("-mark")} <= set(MARKS)


def test_the_colour_that_was_too_faint_would_be_noticed():
    faint = contrast("#7d8898", PAIRS["band-critical"][0])

    assert faint < MARK < contrast(PAIRS["update-mark"][0], PAIRS["band-critical"][0])
