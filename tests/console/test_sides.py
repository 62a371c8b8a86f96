"""Whole states side by side: every change once, and nothing folded that changed."""

from typing import Any

from hypothesis import given

from apps.console.pages.session.change_table import told
from apps.console.pages.session.differences import side_by_side
from apps.diffs import pointers
from apps.diffs.compare import compare
from apps.diffs.equality import same
from tests.diffs.states import bounded, pairs


def lines(before: Any, after: Any, *, shown: int = 200) -> list[side_by_side.Line]:
    comparison = compare(before, after)
    return side_by_side.lines(comparison, told(comparison, shown=shown).rows, {})


def drawn(found: list[side_by_side.Line]) -> list[str]:
    """Write the lines as a person would see them."""
    written = []
    for line in found:
        if line.kind == "change":
            assert line.row
            text = f"{line.row.sign} {line.key}"
        else:
            text = f"{line.key} {line.text}".strip()
        written.append("  " * line.depth + text)
    return written


def test_what_changed_stands_where_it_is_and_the_rest_is_folded() -> None:
    before = {
        "id": 1,
        "gone": True,
        "dates": {"depart": "a", "return": "b", "days": 3},
        "list": [{"id": 1, "v": 1}, {"id": 2, "v": 2}, {"id": 3, "v": 3}],
        "last": 1,
    }
    after = {
        "id": 1,
        "dates": {"depart": None, "return": "b", "days": 3},
        "list": [{"id": 1, "v": 1}, {"id": 3, "v": 9}],
        "last": 1,
        "new": 2,
    }

    assert drawn(lines(before, after)) == [
        "1 unchanged key",
        "\N{MINUS SIGN} gone",
        "dates 3 keys",
        "  ~ depart",
        "  2 unchanged keys",
        "list 2 items",
        "  1 unchanged item",
        "  \N{MINUS SIGN} 1",
        "  1 2 keys",
        "    1 unchanged key",
        "    ~ v",
        "1 unchanged key",
        "+ new",
    ]


def test_what_is_gone_at_the_end_stands_at_the_end() -> None:
    assert drawn(lines({"a": 1, "b": 2}, {"a": 1})) == [
        "1 unchanged key",
        "\N{MINUS SIGN} b",
    ]


def test_states_that_have_nothing_in_common_are_one_change() -> None:
    assert [line.kind for line in lines({"a": 1}, [1])] == ["change"]


def test_equal_states_have_no_lines() -> None:
    assert lines({"a": 1}, {"a": 1}) == []


def test_changes_beyond_the_first_are_counted_not_called_unchanged() -> None:
    before = {f"k{n}": n for n in range(6)}
    after = dict.fromkeys(before, -1)

    found = drawn(lines(before, after, shown=4))

    assert found[4:] == ["2 changes on another page"]


def test_a_fold_holds_so_much_and_leads_to_the_rest() -> None:
    before = {"n": 0, "all": {f"k{n}": n for n in range(2_000)}}
    after = {"n": 1, "all": before["all"] | {"k1999": -1}}

    fold = next(line for line in lines(before, after) if line.depth == 1)

    assert fold.text == "1,999 unchanged keys"
    assert (len(fold.kept), fold.pointer) == (side_by_side.FOLDED, "/all")
    assert not fold.is_open


@bounded
@given(pairs)
def test_every_change_is_shown_once_and_nothing_folded_has_changed(
    pair: tuple[Any, Any],
) -> None:
    before, after = pair
    comparison = compare(before, after)

    found = lines(before, after)

    numbers = sorted(line.number for line in found if line.kind == "change")
    assert numbers == list(range(1, len(comparison) + 1))
    changed = [one.pointer for one in comparison if one.kind != "removed"]
    for line in found:
        for node in line.kept:
            assert not any(
                pointer == node.pointer or pointer.startswith(f"{node.pointer}/")
                for pointer in changed
            )


@bounded
@given(pairs)
def test_of_objects_the_folded_values_are_the_same_in_both(
    pair: tuple[Any, Any],
) -> None:
    before, after = pair

    for line in lines(before, after):
        for node in line.kept:
            tokens = pointers.split(node.pointer)
            if len(tokens) == 1 and isinstance(before, dict):
                assert same(before[tokens[0]], after[tokens[0]])
