"""The first difference of two values is named, and nothing that differs passes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.replay.differences import Difference, require_same


@pytest.mark.parametrize(
    ("expected", "found", "says"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "at /a/b/1: 2 was expected, 3"),
        ({"a": 1}, {"a": 1.0}, "at /a: 1 was expected, 1.0 was found"),
        ([True], [1], "at /0: true was expected, 1 was found"),
        ([0.0], [-0.0], "at /0: 0.0 was expected, -0.0 was found"),
        ([1], [1, 2], "at /1: nothing was expected, 2 was found"),
        ({"a/b~": 1}, {}, "at /a~1b~0: 1 was expected, nothing was found"),
        ({"a": None}, {}, "at /a: null was expected, nothing was found"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "at the root"),
        ({"a": []}, {"a": {}}, r"at /a: \[\] was expected, \{\} was found"),
        ("x" * 999, "y", r"\(1001 characters\) was expected"),
    ],
)
def test_it_names_the_first_difference(expected: Any, found: Any, says: str) -> None:
    with pytest.raises(Difference, match=f"^version 3, .*{says}"):
        require_same("version 3", expected, found)


def test_equal_values_pass() -> None:
    require_same("version 3", {"a": [1, 2.5, None, "é"]}, {"a": [1, 2.5, None, "é"]})
