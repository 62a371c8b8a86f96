"""Signs of loss."""

from apps.diffs.compare import compare
from apps.diffs.flags import flags


def test_a_lost_top_level_key_is_flagged() -> None:
    assert flags(compare({"a": 1, "b": 2}, {"a": 1}), 13, 7) == ("keys_lost",)


def test_a_lost_inner_key_is_not() -> None:
    assert flags(compare({"a": {"b": 1}}, {"a": {}}), 13, 8) == ()


def test_a_value_turned_null_anywhere_is_flagged() -> None:
    before, after = {"a": [{"b": 1}]}, {"a": [{"b": None}]}

    assert flags(compare(before, after), 15, 18) == ("nulled",)


def test_a_null_that_was_added_is_not() -> None:
    assert flags(compare({}, {"a": None}), 2, 10) == ()


def test_a_state_that_halves_is_flagged_unless_it_is_tiny() -> None:
    comparison = compare({"a": "xx"}, {"a": "x"})

    assert flags(comparison, 1000, 500) == ("shrank",)
    assert flags(comparison, 1000, 501) == ()
    assert flags(comparison, 100, 10) == ()
