"""Long texts that begin alike are shown where they part."""

from hypothesis import given
from hypothesis import strategies as st

from apps.diffs.compare import compare
from apps.diffs.excerpts import common_end, common_start, excerpts
from apps.diffs.summary import summary
from tests.diffs.states import bounded

LONG = "All rooms face the sea. " * 200
FAMILY = "👨\u200d👩\u200d👧"

texts = st.text(alphabet="ab", max_size=12)


@bounded
@given(texts, texts)
def test_the_start_and_end_that_two_texts_share(before: str, after: str) -> None:
    start = common_start(before, after)
    end = common_end(before, after, after_start=start)

    assert before[:start] == after[:start]
    assert start == min(len(before), len(after)) or before[start] != after[start]
    assert before[len(before) - end :] == after[len(after) - end :]
    left = min(len(before), len(after)) - start - end
    assert left >= 0
    assert not left or before[-1 - end] != after[-1 - end]


def test_they_part_before_the_emoji_that_differs_in_its_middle() -> None:
    boy = FAMILY.replace("👧", "👦")

    assert common_start(f"ab{FAMILY}", f"ab{boy}") == 2
    assert common_end(f"{FAMILY}ab", "👩\u200d👩\u200d👧ab", after_start=0) == 2


def test_both_excerpts_show_the_difference_and_where_it_is() -> None:
    found = excerpts(f"{LONG}open all year", f"{LONG}closed in May", 60)

    assert found is not None
    assert found.position == len(LONG) + 1
    assert found.before.endswith("face the sea. open all year")
    assert found.after.endswith("face the sea. closed in May")
    assert found.before[0] == found.after[0] == "…"
    assert max(len(found.before), len(found.after)) <= 60


def test_texts_that_differ_at_once_need_no_excerpt() -> None:
    assert excerpts(f"Once {LONG}", f"Twice {LONG}", 60) is None


def test_texts_that_are_shown_whole_need_no_excerpt() -> None:
    assert excerpts("a" * 59 + "b", "a" * 59 + "c", 60) is None
    assert summary(compare({"n": "a" * 55 + "b"}, {"n": "a" * 55 + "c"})) == (
        f"n changed from {'a' * 55}b to {'a' * 55}c"
    )


def test_an_excerpt_goes_on_as_far_as_it_may() -> None:
    found = excerpts(LONG, f"{LONG}And more. {LONG}", 60)

    assert found is not None
    assert found.before.endswith("face the sea. ")
    assert found.after.endswith("…")
    assert len(found.after) <= 60


def test_a_sentence_says_where_two_long_texts_part() -> None:
    words = summary(compare({"text": f"{LONG}open"}, {"text": f"{LONG}closed"}))

    assert words.startswith("text changed at character 4,801 from …")
    assert words.endswith("the sea. closed")
    assert "the sea. open to …" in words


def test_a_long_number_is_told_like_a_text() -> None:
    words = summary(compare({"n": 10**99 + 1}, {"n": 10**99 + 2}))

    assert words.startswith("n changed at character 100 from …0000")
    assert words.endswith("0002")


def test_sentences_keep_values_from_right_to_left_in_their_places() -> None:
    words = summary(compare({"שם": "שש"}, {"שם": "גג"}))

    assert words == ("\u2068שם\u2069 changed from \u2068שש\u2069 to \u2068גג\u2069")
