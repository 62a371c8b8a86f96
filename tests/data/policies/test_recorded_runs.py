"""What the recorded runs hold of people, as it was counted by hand.

Every finding was looked at: 56 e-mail addresses, 55 street addresses, labelled names
and dates of birth, and nothing that is not personal data.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from apps.data.policies import detectors

RECORDED = os.environ.get("STEPBACK_RUNS")
pytestmark = pytest.mark.skipif(
    not RECORDED, reason="STEPBACK_RUNS names no recorded runs"
)


def texts(value: Any) -> Iterator[bytes]:
    if isinstance(value, str):
        yield value.encode()
    elif isinstance(value, dict | list):
        children = value.values() if isinstance(value, dict) else value
        for child in children:
            yield from texts(child)


@pytest.fixture(scope="module")
def messages() -> list[bytes]:
    lines = Path(str(RECORDED)).read_bytes().splitlines()
    return [text for line in lines for text in texts(orjson.loads(line)["messages"])]


def test_the_people_in_the_runs_are_found(messages: list[bytes]) -> None:
    places = {
        (number, one.start, one.seen.kind)
        for number, text in enumerate(messages)
        for one in detectors.personal_data().each(text)
    }

    assert Counter(kind for *_, kind in places) == {
        "email": 56,
        "address": 55,
        "name": 956,
        "birth_date": 502,
    }


def test_the_runs_hold_no_secrets(messages: list[bytes]) -> None:
    assert not [
        one.seen.kind for text in messages for one in detectors.secrets().each(text)
    ]
