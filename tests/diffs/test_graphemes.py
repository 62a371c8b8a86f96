"""What a reader takes for one character is neither cut nor shown in pieces."""

from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from apps.diffs import graphemes
from apps.diffs.text import (
    isolated,
    isolated_strings,
    shorten,
    shorten_middle,
    visible,
)
from tests.diffs.states import bounded

FAMILY = "👨\u200d👩\u200d👧"
WALES = "🏴" + "".join(chr(0xE0000 + ord(one)) for one in "gbwls") + "\U000e007f"
# Joined emoji, a skin tone, flags, letters of more than one code point, a line break.
CLUSTERS = [
    FAMILY,
    "👍🏽",
    "❤️\u200d🔥",
    "🇩🇪",
    WALES,
    "e\u0301",
    "क्षि",
    "\r\n",
    "a",
    "ä",
    "東",
]
FALLS_APART = [one for one in CLUSTERS if len(one) > 1]

texts = st.lists(st.sampled_from(CLUSTERS), max_size=20).map("".join)


@pytest.mark.parametrize("cluster", FALLS_APART)
def test_a_text_is_cut_before_what_does_not_fit(cluster: str) -> None:
    for longest in range(3, 3 + len(cluster)):
        assert graphemes.cut(f"abc{cluster}def", longest) == "abc"

    assert graphemes.cut(f"abc{cluster}def", 3 + len(cluster)) == f"abc{cluster}"


def test_a_name_loses_its_middle_and_no_emoji_is_cut() -> None:
    assert shorten_middle("agent-eu-west-1", 15) == "agent-eu-west-1"
    assert shorten_middle("agent-of-the-far-eu-west-1", 15) == "agent-o…-west-1"
    assert shorten_middle("x" * 4 + FAMILY + "y" * 30, 10) == "xxxx…yyyyy"
    assert shorten_middle("x" * 30 + FAMILY + "yy", 12).startswith("xxxxx…")
    assert shorten_middle("x" * 30 + "\u202e" + "y" * 5, 12) == "xxxxx…⟨U+202E⟩yyyyy"


def test_a_shortened_text_ends_before_the_emoji_that_does_not_fit() -> None:
    assert shorten("x" * 57 + FAMILY + "y") == "x" * 57 + "…"
    assert shorten("x" * 54 + FAMILY + "yz") == "x" * 54 + FAMILY + "…"


@bounded
@given(texts, st.integers(0, 60))
def test_every_cut_is_between_two_clusters(text: str, longest: int) -> None:
    ends = [0, *(one.end() for one in regex.finditer(r"\X", text))]

    at = len(graphemes.cut(text, longest))

    assert at == max(end for end in ends if end <= longest)


@bounded
@given(texts)
def test_words_are_whole_and_nothing_is_lost(text: str) -> None:
    ends = {0, *(one.end() for one in regex.finditer(r"\X", text))}
    found = graphemes.tokens(text)

    assert "".join(found) == text
    lengths = [len("".join(found[:n])) for n in range(len(found) + 1)]
    assert set(lengths) <= ends
    assert all(first < second for first, second in pairwise(lengths))


def test_where_no_spaces_are_written_each_sign_is_a_word() -> None:
    assert graphemes.tokens("東京です ok") == ["東", "京", "で", "す", " ", "ok"]
    assert graphemes.tokens("nai\u0308ve क्षि") == ["nai\u0308ve", " ", "क्षि"]


@pytest.mark.parametrize("piled", [200, 100_000])
def test_marks_piled_up_without_end_are_cut_like_any_text(piled: int) -> None:
    text = "a" + "\u0301" * piled

    assert len(graphemes.cut(text, 150)) == 150


@pytest.mark.parametrize(
    "text",
    [FAMILY, "👍🏽 ❤️\u200d🔥 🇩🇪", WALES, "می\u200cبینم", "क्\u200dष", "Zürich, שלום"],
)
def test_what_readers_see_as_one_character_stays_whole(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200db", "a⟨U+200D⟩b"),
        (f"{FAMILY}\u200d", f"{FAMILY}⟨U+200D⟩"),
        ("\u200d👩", "⟨U+200D⟩👩"),
        ("pass\u200cword", "pass⟨U+200C⟩word"),
        ("د\u200cم", "د⟨U+200C⟩م"),
        ("\u202e\u2066\u2069\ufeff", "⟨U+202E⟩⟨U+2066⟩⟨U+2069⟩⟨U+FEFF⟩"),
        # Tags spell text that nobody sees: only three flags are made of them.
        ("🏴\U000e0068\U000e0069\U000e007f", "🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩"),
        ("a\x00\x7f\n", "a␀␡␊"),
    ],
)
def test_what_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_text_from_right_to_left_is_isolated_and_no_other_is() -> None:
    assert isolated("שם") == "\u2068שם\u2069"
    assert isolated("Grüße, 東京 5") == "Grüße, 東京 5"
    assert isolated_strings('{"שם": "גג", "n": 5}') == (
        '{\u2068"שם"\u2069: \u2068"גג"\u2069, "n": 5}'
    )
    # A hostile value cannot end its own isolation.
    assert isolated(visible("ש\u2069")) == "\u2068ש⟨U+2069⟩\u2069"
