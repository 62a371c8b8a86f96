"""The language of migrations: each step does what it says, or says why not."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core import json
from apps.schemas.steps import Failed, apply, read_steps

TRUE = {"op": "remove", "at": "/none"}


def after(state: Any, *steps: Any) -> Any:
    return apply(read_steps(list(steps)), copy.deepcopy(state))


@pytest.mark.parametrize(
    ("step", "before", "then"),
    [
        (
            {"op": "rename", "at": "/a/b", "to": "c"},
            {"a": {"x": 1, "b": 2, "y": 3}},
            {"a": {"x": 1, "c": 2, "y": 3}},
        ),
        ({"op": "rename", "at": "/a/b", "to": "c"}, {"a": None}, {"a": None}),
        ({"op": "rename", "at": "/a", "to": "a"}, {"a": 1}, {"a": 1}),
        ({"op": "move", "at": "/a", "to": "/b/c"}, {"a": 1}, {"b": {"c": 1}}),
        ({"op": "move", "at": "/a", "to": "/b/c"}, {"b": 1}, {"b": 1}),
        ({"op": "remove", "at": "/a/b"}, {"a": {"b": 1}}, {"a": {}}),
        ({"op": "remove", "at": "/a~1b"}, {"a/b": 1}, {}),
        ({"op": "default", "at": "/a/b", "value": []}, {}, {"a": {"b": []}}),
        ({"op": "default", "at": "/a", "value": 1}, {"a": None}, {"a": None}),
        (
            {"op": "map", "at": "/a", "values": [{"from": 1, "to": "one"}]},
            {"a": 1},
            {"a": "one"},
        ),
        (
            {"op": "map", "at": "/a", "values": [{"from": 1, "to": 2}], "else": 0},
            {"a": True},
            {"a": 0},
        ),
        (
            {"op": "map", "at": "/a", "values": [{"from": 1, "to": "one"}]},
            {"a": 1.0},
            {"a": "one"},
        ),
        ({"op": "convert", "at": "/a", "to": "list"}, {"a": 1}, {"a": [1]}),
        ({"op": "convert", "at": "/a", "to": "list"}, {"a": [1]}, {"a": [1]}),
        ({"op": "convert", "at": "/a", "to": "string"}, {"a": False}, {"a": "false"}),
        ({"op": "convert", "at": "/a", "to": "boolean"}, {"a": "true"}, {"a": True}),
        ({"op": "convert", "at": "/a", "to": "integer"}, {"a": 3.0}, {"a": 3}),
        ({"op": "convert", "at": "/a", "to": "number"}, {"a": "1.5"}, {"a": 1.5}),
        ({"op": "convert", "at": "/a", "to": "integer"}, {"a": None}, {"a": None}),
        (
            {
                "op": "each",
                "at": "/a",
                "steps": [{"op": "convert", "at": "", "to": "string"}],
            },
            {"a": [1, 2]},
            {"a": ["1", "2"]},
        ),
        (
            {
                "op": "each",
                "at": "/a",
                "steps": [
                    {
                        "op": "each",
                        "at": "/b",
                        "steps": [{"op": "rename", "at": "/x", "to": "y"}],
                    }
                ],
            },
            {"a": [{"b": [{"x": 1}, {}]}, {}]},
            {"a": [{"b": [{"y": 1}, {}]}, {}]},
        ),
        ({"op": "each", "at": "/a", "steps": [TRUE]}, {"a": None}, {"a": None}),
    ],
)
def test_a_step_does_what_it_says(step: Any, before: Any, then: Any) -> None:
    made = after(before, step)

    assert json.dumps(made) == json.dumps(then)


@pytest.mark.parametrize(
    ("step", "before", "place"),
    [
        ({"op": "rename", "at": "/a", "to": "b"}, {"a": 1, "b": 2}, "/b"),
        ({"op": "move", "at": "/a", "to": "/b"}, {"a": 1, "b": None}, "/b"),
        ({"op": "move", "at": "/a", "to": "/b/c"}, {"a": 1, "b": 2}, "/b"),
        ({"op": "remove", "at": "/a/0"}, {"a": [1]}, "/a"),
        ({"op": "remove", "at": "/a/b"}, {"a": "text"}, "/a"),
        ({"op": "default", "at": "/a/b", "value": 1}, {"a": None}, "/a"),
        ({"op": "map", "at": "/a", "values": [{"from": 1, "to": 2}]}, {"a": 2}, "/a"),
        ({"op": "convert", "at": "/a", "to": "integer"}, {"a": "3.5"}, "/a"),
        ({"op": "convert", "at": "/a", "to": "integer"}, {"a": 3.5}, "/a"),
        ({"op": "convert", "at": "/a", "to": "integer"}, {"a": True}, "/a"),
        ({"op": "convert", "at": "/a", "to": "number"}, {"a": "NaN"}, "/a"),
        ({"op": "convert", "at": "/a", "to": "boolean"}, {"a": "yes"}, "/a"),
        ({"op": "convert", "at": "/a", "to": "string"}, {"a": {}}, "/a"),
        ({"op": "each", "at": "/a", "steps": [TRUE]}, {"a": {}}, "/a"),
    ],
)
def test_what_cannot_be_done_says_where(step: Any, before: Any, place: str) -> None:
    with pytest.raises(Failed) as refused:
        after(before, step)

    assert (refused.value.at, refused.value.step) == (place, "/steps/0")


def test_a_step_of_an_item_says_which_item() -> None:
    with pytest.raises(Failed) as refused:
        after({"a": [{}, 3]}, {"op": "each", "at": "/a", "steps": [TRUE]})

    assert (refused.value.at, refused.value.step) == ("/a/1", "/steps/0/steps/0")


def test_each_place_has_a_value_of_its_own() -> None:
    made = after(
        {"a": [{}, {"x": 5}]},
        {
            "op": "each",
            "at": "/a",
            "steps": [
                {"op": "default", "at": "/b", "value": {"c": 1}},
                {"op": "move", "at": "/x", "to": "/b/x"},
            ],
        },
    )

    assert made == {"a": [{"b": {"c": 1}}, {"b": {"c": 1, "x": 5}}]}


def test_a_small_migration_makes_no_huge_state() -> None:
    each = {
        "op": "each",
        "at": "/a",
        "steps": [{"op": "default", "at": "/b", "value": "x" * 60_000}],
    }

    with pytest.raises(Failed, match="too large"):
        after({"a": [{} for _ in range(1_000)]}, each)


@given(st.integers())
def test_whole_numbers_of_any_size_survive_as_text_and_back(number: int) -> None:
    to_text = {"op": "convert", "at": "/n", "to": "string"}
    back = {"op": "convert", "at": "/n", "to": "integer"}

    assert after({"n": number}, to_text, back) == {"n": number}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=10,
)
PLACES = st.sampled_from(["/a", "/b", "/a/b", "/a/c", "/c/a/b"])
STEPS = st.lists(
    st.builds(lambda at, to: {"op": "rename", "at": at, "to": to}, PLACES, st.just("z"))
    | st.builds(lambda at: {"op": "move", "at": at, "to": "/y/x"}, PLACES)
    | st.builds(lambda at: {"op": "remove", "at": at}, PLACES)
    | st.builds(
        lambda at, value: {"op": "default", "at": at, "value": value}, PLACES, VALUES
    )
    | st.builds(lambda at: {"op": "convert", "at": at, "to": "string"}, PLACES)
    | st.builds(lambda at: {"op": "each", "at": at, "steps": [TRUE]}, PLACES),
    min_size=1,
    max_size=6,
)


@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), STEPS)
def test_any_steps_on_any_state_are_done_or_refused_and_alike_each_time(
    state: Any, steps: Any
) -> None:
    written = json.dumps(state)
    outcomes = []
    for _ in range(2):
        try:
            outcomes.append(json.dumps(after(state, *steps)))
        except Failed as failed:
            outcomes.append(f"{failed.step} {failed.at}".encode())

    assert outcomes[0] == outcomes[1]
    assert json.dumps(state) == written
