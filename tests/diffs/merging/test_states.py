"""Merging states as agents keep them: chats, carts, plans, counters, windows."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from apps.diffs.changes import MISSING
from apps.diffs.merging import Choice, Clash, Merge, Pick, Side, merge

Edit = Callable[[Any], object]


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text} for text in texts]


def steps(*names: str, **done: bool) -> list[dict[str, Any]]:
    return [{"id": name, "done": done.get(name, False)} for name in names]


def merged(base: Any, ours: Edit, theirs: Edit) -> Merge:
    """Merge what two edits make of a state."""
    sides = [copy.deepcopy(base), copy.deepcopy(base)]
    ours(sides[0])
    theirs(sides[1])
    return merge(base, *sides)


def told(found: Merge) -> list[tuple[str, str, str]]:
    return [(one.side.value, one.kind.value, one.pointer) for one in found.changes]


def clashes(found: Merge) -> list[tuple[Clash, str]]:
    return [(one.kind, one.pointer) for one in found.conflicts]


def chosen(base: Any, ours: Any, theirs: Any, *choices: Choice) -> Any:
    """Merge with choices for the conflicts, in their order."""
    found = merge(base, ours, theirs)
    assert found.value is MISSING
    picked = zip(found.conflicts, choices, strict=True)
    with_choices = {conflict.id: choice for conflict, choice in picked}
    return merge(base, ours, theirs, choices=with_choices).value


OURS, THEIRS, BASE = (Choice(pick) for pick in (Pick.OURS, Pick.THEIRS, Pick.BASE))
BOTH, BOTH_TURNED = Choice(Pick.OURS_THEIRS), Choice(Pick.THEIRS_OURS)


class TestObjects:
    TRIP = {"to": "LAX", "seat": {"row": 4, "class": "economy"}, "price": 120}

    def test_each_side_changes_another_key(self) -> None:
        found = merged(
            self.TRIP,
            lambda trip: trip["seat"].update(row=5),
            lambda trip: trip.update(price=99, note="window"),
        )

        assert found.value == {
            "to": "LAX",
            "seat": {"row": 5, "class": "economy"},
            "price": 99,
            "note": "window",
        }
        assert told(found) == [
            ("ours", "changed", "/seat/row"),
            ("theirs", "changed", "/price"),
            ("theirs", "added", "/note"),
        ]
        assert found.sides() == {Side.OURS: 1, Side.THEIRS: 2}

    def test_both_change_different_keys_of_one_object(self) -> None:
        found = merged(
            self.TRIP,
            lambda trip: trip["seat"].update(row=5),
            lambda trip: trip["seat"].update({"class": "first"}),
        )

        assert found.value["seat"] == {"row": 5, "class": "first"}

    def test_both_set_one_value_differently(self) -> None:
        found = merged(
            self.TRIP,
            lambda trip: trip["seat"].update(row=5),
            lambda trip: trip["seat"].update(row=6),
        )

        (conflict,) = found.conflicts
        assert found.value is MISSING
        assert (conflict.kind, conflict.pointer) == (Clash.VALUE, "/seat/row")
        assert (conflict.base, conflict.ours, conflict.theirs) == (4, 5, 6)
        assert conflict.picks == (Pick.OURS, Pick.THEIRS, Pick.BASE, Pick.VALUE)
        assert found.clashes() == {Clash.VALUE: 1}

    @pytest.mark.parametrize(
        ("choice", "row"),
        [(OURS, 5), (THEIRS, 6), (BASE, 4), (Choice(Pick.VALUE, None), None)],
    )
    def test_what_is_chosen_is_taken(self, choice: Choice, row: Any) -> None:
        assert chosen({"row": 4}, {"row": 5}, {"row": 6}, choice) == {"row": row}

    def test_a_counter_that_both_moved_is_a_conflict_and_not_a_sum(self) -> None:
        found = merge({"turns": 3}, {"turns": 4}, {"turns": 5})

        assert clashes(found) == [(Clash.VALUE, "/turns")]

    def test_a_counter_that_both_moved_alike_is_moved_once(self) -> None:
        found = merge({"turns": 3}, {"turns": 4}, {"turns": 4})

        assert (found.value, told(found)) == (
            {"turns": 4},
            [("both", "changed", "/turns")],
        )

    @pytest.mark.parametrize(
        ("ours", "theirs"), [(1, 1.0), (1, True), (0.0, -0.0), (None, 0), ("1", 1)]
    )
    def test_what_differs_as_json_differs(self, ours: Any, theirs: Any) -> None:
        found = merge({"paid": "?"}, {"paid": ours}, {"paid": theirs})

        assert clashes(found) == [(Clash.VALUE, "/paid")]

    def test_one_that_only_turned_into_a_decimal_changed(self) -> None:
        found = merge({"n": 1, "m": 1}, {"n": 1.0, "m": 1}, {"n": 1, "m": 2})

        assert repr(found.value) == "{'n': 1.0, 'm': 2}"
        assert told(found)[0] == ("ours", "type_changed", "/n")

    def test_one_removes_what_the_other_changes_inside(self) -> None:
        found = merged(
            {"order": {"lines": {"a": 1}, "id": 7}},
            lambda state: state.pop("order"),
            lambda state: state["order"]["lines"].update(a=2),
        )

        (conflict,) = found.conflicts
        assert (conflict.kind, conflict.pointer) == (Clash.REMOVED, "/order")
        assert conflict.ours is MISSING
        assert conflict.theirs == {"lines": {"a": 2}, "id": 7}

    @pytest.mark.parametrize(
        ("choice", "left"), [(OURS, {}), (THEIRS, {"a": 2}), (BASE, {"a": 1})]
    )
    def test_a_removal_is_chosen_like_a_value(self, choice: Choice, left: Any) -> None:
        assert chosen({"a": 1}, {}, {"a": 2}, choice) == left

    def test_both_remove_it(self) -> None:
        found = merge({"a": 1, "b": 2, "c": 3}, {"b": 2, "c": 4}, {"b": 3, "c": 3})

        assert found.value == {"b": 3, "c": 4}
        assert ("both", "removed", "/a") in told(found)

    def test_both_add_a_key_with_different_objects(self) -> None:
        found = merge({}, {"cart": {"a": 1}}, {"cart": {"b": 2}})

        (conflict,) = found.conflicts
        assert (conflict.kind, conflict.pointer) == (Clash.VALUE, "/cart")
        assert conflict.base is MISSING
        assert chosen({}, {"cart": {"a": 1}}, {"cart": {"b": 2}}, BASE) == {}

    def test_one_makes_a_list_of_what_the_other_changes(self) -> None:
        found = merge({"a": {"b": 1}}, {"a": [1]}, {"a": {"b": 2}})

        assert clashes(found) == [(Clash.VALUE, "/a")]

    def test_the_whole_state_can_be_the_conflict(self) -> None:
        assert clashes(merge({"a": 1}, [1], "gone")) == [(Clash.VALUE, "")]

    def test_keys_are_escaped_in_pointers(self) -> None:
        found = merge({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, {"a/b": {"~": 3}})

        assert clashes(found) == [(Clash.VALUE, "/a~1b/~0")]


class TestChats:
    def test_one_side_goes_on_and_the_other_corrects(self) -> None:
        found = merged(
            {"messages": said("hello", "to LAX", "ok")},
            lambda state: state["messages"].extend(said("and back?")),
            lambda state: state["messages"][1].update(text="to SFO"),
        )

        assert found.value == {"messages": said("hello", "to SFO", "ok", "and back?")}
        assert told(found) == [
            ("ours", "added", "/messages/3"),
            ("theirs", "changed", "/messages/1/text"),
        ]

    def test_both_go_on_and_nobody_knows_who_spoke_first(self) -> None:
        found = merge(said("a"), said("a", "b"), said("a", "c", "d"))

        (conflict,) = found.conflicts
        assert (conflict.kind, conflict.pointer, conflict.length) == (
            Clash.INSERTED,
            "/1",
            0,
        )
        assert (conflict.base, conflict.ours, conflict.theirs) == (
            [],
            said("b"),
            said("c", "d"),
        )

    @pytest.mark.parametrize(
        ("choice", "texts"),
        [
            (OURS, "ab"),
            (THEIRS, "acd"),
            (BASE, "a"),
            (BOTH, "abcd"),
            (BOTH_TURNED, "acdb"),
            (Choice(Pick.VALUE, said("x")), "ax"),
        ],
    )
    def test_the_order_of_what_both_said_is_chosen(
        self, choice: Choice, texts: str
    ) -> None:
        sides = said("a"), said("a", "b"), said("a", "c", "d")

        assert chosen(*sides, choice) == said(*texts)

    def test_what_both_appended_alike_stands_once(self) -> None:
        found = merge(said("a"), said("a", "b"), said("a", "b", "c"))

        assert found.value == said("a", "b", "c")
        assert told(found) == [("both", "added", "/1"), ("theirs", "added", "/1")]

    def test_a_window_slides_on_one_side_only(self) -> None:
        found = merge(said("a", "b", "c"), said("b", "c", "d"), said("A", "b", "c"))

        assert clashes(found) == [(Clash.REMOVED, "/0")]
        assert told(found) == [("ours", "added", "/3")]

    def test_a_window_slides_on_both_sides(self) -> None:
        sides = said(*"abcdef"), said(*"cdefgh"), said(*"bcdefx")

        assert clashes(merge(*sides)) == [(Clash.INSERTED, "/6")]
        assert chosen(*sides, BOTH) == said(*"cdefghx")

    def test_a_window_with_keys_slides_on_both_sides(self) -> None:
        found = merge(steps(*"abcd"), steps(*"cdef"), steps(*"bcdef", c=True))

        assert found.value == steps(*"cdef", c=True)
        assert found.sides() == {Side.OURS: 1, Side.BOTH: 3, Side.THEIRS: 1}

    def test_a_list_begins_on_both_sides(self) -> None:
        assert clashes(merge([], said("a"), said("b"))) == [(Clash.INSERTED, "/0")]
        assert merge([], said("a"), said("a", "b")).value == said("a", "b")

    def test_one_empties_what_the_other_goes_on_with(self) -> None:
        found = merge(said("a", "b"), [], said("a", "b", "c"))

        assert found.value == said("c")
        assert found.sides() == {Side.OURS: 2, Side.THEIRS: 1}


class TestListsWithoutKeys:
    def test_sides_change_neighbours(self) -> None:
        assert merge([1, 2, 3, 4], [1, 9, 3, 4], [1, 2, 8, 4]).value == [1, 9, 8, 4]

    def test_both_change_one_item(self) -> None:
        found = merge(["a", "b"], ["a", "x"], ["a", "y"])

        assert clashes(found) == [(Clash.VALUE, "/1")]

    def test_both_change_different_keys_of_one_item(self) -> None:
        base = [{"x": 1, "y": 1}, {"x": 2, "y": 2}]

        found = merge(base, [base[0], {"x": 2, "y": 9}], [base[0], {"x": 8, "y": 2}])

        assert found.value == [{"x": 1, "y": 1}, {"x": 8, "y": 9}]

    def test_one_removes_what_the_other_changes(self) -> None:
        found = merge(["a", "b", "c"], ["a", "c"], ["a", "B", "c"])

        (conflict,) = found.conflicts
        assert (conflict.kind, conflict.pointer) == (Clash.REMOVED, "/1")
        assert (conflict.ours, conflict.theirs) == (MISSING, "B")

    def test_both_rewrite_a_stretch_in_which_nothing_can_be_told_apart(self) -> None:
        sides = list("abcde"), list("axyze"), list("abXde")

        (conflict,) = merge(*sides).conflicts
        assert conflict.kind is Clash.VALUE
        assert conflict.pointer == "/2"

        sides = list("abcde"), list("axye"), list("abXde")
        (conflict,) = merge(*sides).conflicts
        assert (conflict.kind, conflict.pointer, conflict.length) == (
            Clash.WINDOW,
            "/1",
            3,
        )
        assert (conflict.base, conflict.ours, conflict.theirs) == (
            list("bcd"),
            list("xy"),
            list("bXd"),
        )
        assert chosen(*sides, OURS) == list("axye")
        assert chosen(*sides, Choice(Pick.VALUE, [])) == list("ae")

    def test_both_rewrite_a_stretch_alike(self) -> None:
        found = merge(list("abcd"), list("axd"), list("axdy"))

        assert found.value == list("axdy")
        assert found.sides() == {Side.BOTH: 3, Side.THEIRS: 1}

    def test_one_inserts_where_the_other_removes(self) -> None:
        assert merge(list("abc"), list("ac"), list("axbc")).value == list("axc")

    def test_one_moves_an_item_and_the_other_appends(self) -> None:
        assert merge(list("abcd"), list("bacd"), list("abcdx")).value == list("bacdx")

    @pytest.mark.parametrize(
        "theirs", ["aBcd", "acd", "acdb", "axbcd", "abxcd", "dcba"]
    )
    def test_a_moved_item_that_the_other_side_touched_is_never_guessed(
        self, theirs: str
    ) -> None:
        (conflict,) = merge(list("abcd"), list("bacd"), list(theirs)).conflicts

        assert conflict.kind in (Clash.MOVED, Clash.INSERTED, Clash.REMOVED)
        assert (conflict.pointer, conflict.length) == ("", None)
        assert conflict.theirs == list(theirs)


class TestListsWithKeys:
    def test_contents_merge_wherever_the_items_stand(self) -> None:
        found = merge(
            steps("search", "book", "pay"),
            steps("book", "search", "pay", search=True),
            steps("search", "book", "pay", pay=True),
        )

        assert found.value == steps("book", "search", "pay", search=True, pay=True)
        assert set(told(found)) == {
            ("ours", "changed", "/0/done"),
            ("ours", "moved", "/1"),
            ("theirs", "changed", "/2/done"),
        }

    def test_an_item_is_moved_and_changed_by_two(self) -> None:
        found = merge(steps(*"abc"), steps(*"cab"), steps(*"abc", c=True))

        assert found.value == steps(*"cab", c=True)

    def test_both_arrange_a_plan_and_the_items_merge_all_the_same(self) -> None:
        found = merge(
            steps(*"abcdef"),
            steps(*"bacdef", a=True),
            steps(*"abcdfex", d=True),
        )

        assert found.value == steps(*"bacdfex", a=True, d=True)

    ARRANGED = (
        steps(*"abc"),
        steps(*"cba", a=True),
        steps(*"bcax", b=True),
    )

    def test_orders_that_contradict_are_one_conflict_of_keys(self) -> None:
        (conflict,) = merge(*self.ARRANGED).conflicts

        assert (conflict.kind, conflict.pointer) == (Clash.ORDER, "")
        assert (conflict.base, conflict.ours, conflict.theirs) == (
            list("abc"),
            list("cba"),
            list("bcax"),
        )

    @pytest.mark.parametrize(
        ("choice", "order"),
        [
            (OURS, "cbax"),
            (THEIRS, "bcax"),
            (BASE, "axbc"),
            (Choice(Pick.VALUE, list("xcab")), "xcab"),
        ],
    )
    def test_an_order_is_chosen_and_nothing_of_the_items_is_lost(
        self, choice: Choice, order: str
    ) -> None:
        assert chosen(*self.ARRANGED, choice) == steps(*order, a=True, b=True)

    def test_one_removes_what_the_other_changes(self) -> None:
        found = merge(steps(*"abc"), steps(*"ac"), steps(*"abc", b=True))

        assert clashes(found) == [(Clash.REMOVED, "/1")]

    def test_one_removes_what_the_other_moves(self) -> None:
        sides = steps(*"abc"), steps(*"bca"), steps(*"bc")

        assert clashes(merge(*sides)) == [(Clash.MOVED, "/0")]
        assert chosen(*sides, OURS) == steps(*"bca")
        assert chosen(*sides, THEIRS) == steps(*"bc")

    def test_both_add_one_key_with_other_contents(self) -> None:
        (conflict,) = merge(
            steps("a"), steps("a", "b"), steps("a", "b", b=True)
        ).conflicts

        assert (conflict.kind, conflict.pointer) == (Clash.INSERTED, "/1")
        assert Pick.OURS_THEIRS not in conflict.picks

    def test_both_add_one_key_at_different_places(self) -> None:
        found = merge(steps(*"abc"), steps(*"axbc"), steps(*"abxc"))

        (conflict,) = found.conflicts
        assert (conflict.kind, conflict.pointer) == (Clash.WINDOW, "")

    def test_both_add_items_at_one_place(self) -> None:
        sides = steps(*"ab"), steps(*"axb"), steps(*"ayzb", a=True)

        assert clashes(merge(*sides)) == [(Clash.INSERTED, "/1")]
        assert chosen(*sides, BOTH) == steps(*"axyzb", a=True)

    def test_an_item_beside_one_that_the_other_moved_has_no_certain_place(self) -> None:
        found = merge(steps(*"abcd"), steps(*"bcda"), steps(*"axbcd"))

        assert clashes(found) == [(Clash.ORDER, "")]

    def test_without_a_key_on_one_side_it_goes_by_content(self) -> None:
        twice = [*steps(*"ab"), *steps("b")]

        found = merge(steps(*"ab"), steps(*"ab", a=True), twice)

        assert found.value == [*steps(*"ab", a=True), *steps("b")]

    def test_values_that_are_equal_in_python_alone_are_other_keys(self) -> None:
        base = [{"id": 1}, {"id": "1"}]

        assert merge(base, [{"id": "1"}], [*base, {"id": 2}]).value == [
            {"id": "1"},
            {"id": 2},
        ]
