"""What `compare` reports, case by case."""

import sys
from typing import Any

import pytest

from apps.diffs.changes import MISSING, Change, Kind
from apps.diffs.compare import compare


def reported(before: Any, after: Any) -> list[tuple[str, str]]:
    return [(c.pointer, c.kind.value) for c in compare(before, after)]


def nested(depth: int, leaf: Any) -> Any:
    for level in range(depth):
        leaf = {"d": leaf} if level % 2 else [leaf]
    return leaf


def test_equal_states_have_no_changes() -> None:
    assert not compare({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})


def test_key_order_is_no_difference() -> None:
    assert not compare(
        {"a": 1, "b": [{"c": 1, "d": 2}]}, {"b": [{"d": 2, "c": 1}], "a": 1}
    )


def test_null_is_a_value_and_missing_is_not() -> None:
    (change,) = compare({}, {"a": None})

    assert change == Change("/a", Kind.ADDED, MISSING, None)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (True, 1, "type_changed"),
        (0, False, "type_changed"),
        (1, 1.0, "type_changed"),
        (1, 2.5, "changed"),
        (0.0, -0.0, "changed"),
        pytest.param(10**4000, 10**4000 + 1, "changed", id="4000 digits"),
        (2**70, float(2**70), "type_changed"),
        ("1", 1, "type_changed"),
        (None, 0, "type_changed"),
        ([], {}, "type_changed"),
        (2**63, 2**63 + 1, "changed"),
    ],
)
def test_values_that_python_or_databases_confuse_differ(
    before: Any, after: Any, kind: str
) -> None:
    assert reported({"a": [{"b": before}]}, {"a": [{"b": after}]}) == [("/a/0/b", kind)]


def test_pointers_are_escaped() -> None:
    assert reported({"a/b": {"~": 1}}, {"a/b": {"~": 2}}) == [("/a~1b/~0", "changed")]


def test_an_insertion_at_the_front_is_one_change() -> None:
    items = [{"id": n, "text": "same"} for n in range(50)]

    assert reported({"l": items}, {"l": [{"id": "new"}, *items]}) == [("/l/0", "added")]
    assert reported(["a", "b", "a", "c"], ["x", "a", "b", "a", "c"]) == [
        ("/0", "added")
    ]


def test_reordered_items_are_moved_as_few_as_possible() -> None:
    items = [{"id": n} for n in "abcde"]

    (change,) = compare(items, [items[4], *items[:4]])

    assert change == Change("/0", Kind.MOVED, {"id": "e"}, {"id": "e"}, "/4")


def test_a_changed_item_shows_the_inner_change() -> None:
    before = [{"id": 1, "n": 1}, {"id": 2, "n": 1}]
    after = [{"id": 0}, {"id": 2, "n": 5}, {"id": 1, "n": 1}]

    assert reported(before, after) == [
        ("/0", "added"),
        ("/1", "moved"),
        ("/1/n", "changed"),
    ]


def test_an_edit_between_equal_unkeyed_items_is_found() -> None:
    before = [{"role": "user", "text": str(n % 3)} for n in range(30)]
    after = [{"role": "system"}, *(dict(item) for item in before)]
    after[15]["text"] = "edited"

    assert reported(before, after) == [("/0", "added"), ("/15/text", "changed")]


def test_names_that_repeat_do_not_identify() -> None:
    before = [{"name": "a", "n": 1}, {"name": "a", "n": 2}]

    assert reported(before, before[1:]) == [("/0", "removed")]


def test_what_exceeds_the_budget_is_replaced_while_siblings_keep_detail() -> None:
    before = {"wide": {str(n): n for n in range(50)}, "to": "LAX"}
    after = {"wide": {str(n): -n - 1 for n in range(50)}, "to": "NYC"}

    comparison = compare(before, after, budget=20)

    assert [c.pointer for c in comparison] == ["/wide", "/to"]
    assert comparison.coarse == ("/wide",)
    assert comparison.truncated


def test_changes_are_frozen() -> None:
    (change,) = compare(1, 2)

    with pytest.raises(AttributeError):
        change.pointer = "/x"  # type: ignore[misc]


def test_depth_of_128_needs_no_deeper_stack_than_the_default() -> None:
    assert sys.getrecursionlimit() <= 1000

    comparison = compare(nested(128, {"x": 1}), nested(128, {"x": True}))

    (change,) = comparison
    assert change.pointer.count("/") == 129


def test_what_stands_below_a_very_long_key_is_reported_as_one_change() -> None:
    key = "k" * 100_000
    before = {key: {str(n): 0 for n in range(1_000)}, "city": "Rome"}
    after = {key: {str(n): 1 for n in range(1_000)}, "city": "NYC"}

    found = compare(before, after)

    assert [change.pointer for change in found] == [f"/{key}", "/city"]
    assert found.coarse == (f"/{key}",)


def test_a_few_changes_below_a_very_long_key_keep_their_detail() -> None:
    key = "k" * 100_000

    found = compare({key: {"a": 1, "b": 2}}, {key: {"a": 1, "b": 3}})

    assert [change.pointer for change in found] == [f"/{key}/b"]
