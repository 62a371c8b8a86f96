"""What looking at a text may cost does not depend on who wrote it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import re2

from apps.data.policies.detectors.detector import Detector
from apps.data.policies.detectors.looking import PERSONAL, SECRETS, Detectors
from apps.data.policies.expressions import ExpressionSet
from tests.data.policies.corpus import NEARLY

MEGABYTE = 1 << 20


@pytest.mark.parametrize("text", NEARLY.values(), ids=NEARLY)
def test_confirmations_are_bounded(text: str) -> None:
    asked: Counter[int] = Counter()
    watched = tuple(
        watching(detector, asked, number)
        for number, detector in enumerate((*PERSONAL, *SECRETS))
    )
    filled = text.encode() * (MEGABYTE // len(text))

    next(Detectors(watched).each(filled), None)

    assert asked
    assert all(asked[number] <= watched[number].most for number in asked)


def watching(detector: Detector, asked: Counter[int], number: int) -> Detector:
    def confirm(candidate: Any) -> bool:
        asked[number] += 1
        return detector.confirm(candidate)

    return replace(detector, confirm=confirm)


def test_what_comes_after_too_many_near_misses_counts_as_found() -> None:
    text = NEARLY["cards"].encode() * 1_001

    seen = [one.seen.kind for one in Detectors(PERSONAL).each(text)]

    assert seen == ["card"]


def test_a_megabyte_of_digits_and_spaces_is_looked_at_whole() -> None:
    text = b"31 41 592 6535 " * (MEGABYTE // 15) + b"mail a@example.com"

    assert "email" in {one.seen.kind for one in Detectors(PERSONAL).each(text)}


def test_a_set_that_gave_up_says_that_anything_may_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowded = ExpressionSet(["x", "y"])
    # What RE2 answers when its states do not fit, which no small pattern brings about.
    monkeypatch.setattr(re2.Set, "Match", lambda *_: None)

    assert crowded.found_in(b"neither") == [0, 1]


def test_a_set_with_memory_says_what_may_be_there() -> None:
    assert ExpressionSet(["x", "y", "[xz]"]).found_in(b"axb") == [0, 2]
