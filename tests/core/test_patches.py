"""JSON Patch: what operations do, what is refused, and what stays as it was."""

import copy
from time import thread_time
from typing import Any

import jsonpatch
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from apps.core import json
from apps.core.errors import PatchFailed, PayloadTooLarge, UnacceptableJson
from apps.diffs.equality import same

Op = dict[str, Any]


def patched(state: Any, *operations: Op) -> Any:
    return json.patched(state, json.operations_of(operations, at="/operations"))


def fails(state: Any, *operations: Op) -> PatchFailed:
    before = copy.deepcopy(state)
    with pytest.raises(PatchFailed) as caught:
        patched(state, *operations)
    assert same(state, before)
    return caught.value


@pytest.mark.parametrize(
    ("state", "operation", "result"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": None}, {"a": 1, "b": None}),
        ({"a": 1}, {"op": "add", "path": "/a", "value": [2]}, {"a": [2]}),
        ({"a": [1, 3]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2, 3]}),
        ({"a": [1]}, {"op": "add", "path": "/a/-", "value": 2}, {"a": [1, 2]}),
        ({"a": [1]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2]}),
        ({"a": {}}, {"op": "add", "path": "/a/-", "value": 2}, {"a": {"-": 2}}),
        ({"a": 1}, {"op": "add", "path": "", "value": {"b": 2}}, {"b": 2}),
        ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
        ({"a": [1, 2]}, {"op": "remove", "path": "/a/0"}, {"a": [2]}),
        ({"a": 1}, {"op": "replace", "path": "/a", "value": True}, {"a": True}),
        ({"a": 1}, {"op": "replace", "path": "", "value": {}}, {}),
        ({"a": 1}, {"op": "move", "from": "/a", "path": "/b"}, {"b": 1}),
        (
            {"a": [1, 2, 3]},
            {"op": "move", "from": "/a/0", "path": "/a/2"},
            {"a": [2, 3, 1]},
        ),
        ({"a": 1}, {"op": "move", "from": "/a", "path": "/a"}, {"a": 1}),
        ({"a": [1]}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": [1], "b": [1]}),
        ({"a": 1}, {"op": "copy", "from": "", "path": "/b"}, {"a": 1, "b": {"a": 1}}),
        ({"a/b": {"~": 1}}, {"op": "remove", "path": "/a~1b/~0"}, {"a/b": {}}),
        ({"": 1}, {"op": "replace", "path": "/", "value": 2}, {"": 2}),
    ],
)
def test_an_operation_is_made(state: Any, operation: Op, result: Any) -> None:
    before = copy.deepcopy(state)

    assert same(patched(state, operation), result)
    assert same(state, before)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0.0, -0.0),
        ([{"a": 1, "b": 2}], [{"b": 2.0, "a": 1}]),
        (10**30, 10**30),
        (None, None),
        ("", ""),
    ],
)
def test_a_test_holds_for_what_is_worth_the_same(one: Any, other: Any) -> None:
    patched({"a": one}, {"op": "test", "path": "/a", "value": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        ([0], [False]),
        ({"a": 1}, {"a": True}),
        (None, False),
        ("1", 1),
        ([1], [1, 1]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ([], {}),
    ],
)
def test_a_test_fails_for_another_value(one: Any, other: Any) -> None:
    error = fails({"a": one}, {"op": "test", "path": "/a", "value": other})

    assert error.details == {"operation": 0, "pointer": "/a"}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/no/a", "value": 1},
        {"op": "add", "path": "/text/a", "value": 1},
        {"op": "add", "path": "/list/3", "value": 1},
        {"op": "add", "path": "/list/-1", "value": 1},
        {"op": "add", "path": "/list/01", "value": 1},
        {"op": "add", "path": "/list/x", "value": 1},
        {"op": "add", "path": "/list/-/a", "value": 1},
        {"op": "remove", "path": "/no"},
        {"op": "remove", "path": "/list/-"},
        {"op": "remove", "path": "/list/2"},
        {"op": "replace", "path": "/no", "value": 1},
        {"op": "replace", "path": "/list/-", "value": 1},
        {"op": "move", "from": "/no", "path": "/a"},
        {"op": "move", "from": "/no", "path": "/no"},
        {"op": "move", "from": "/list", "path": "/no/a"},
        {"op": "copy", "from": "/list/2", "path": "/a"},
        {"op": "test", "path": "/no", "value": None},
    ],
)
def test_what_does_not_fit_the_state_is_named_and_nothing_is_changed(
    operation: Op,
) -> None:
    first = {"op": "add", "path": "/first", "value": 1}

    error = fails({"text": "t", "list": [1, 2]}, first, operation)

    assert (error.code, error.param) == ("patch_failed", "/operations/1")
    assert error.details["operation"] == 1


@pytest.mark.parametrize(
    ("operation", "place"),
    [
        (1, ""),
        ({"path": "/a", "value": 1}, "/op"),
        ({"op": "ADD", "path": "/a", "value": 1}, "/op"),
        ({"op": ["add"], "path": "/a", "value": 1}, "/op"),
        ({"op": "add", "value": 1}, "/path"),
        ({"op": "add", "path": "/a"}, "/value"),
        ({"op": "test", "path": "/a"}, "/value"),
        ({"op": "move", "path": "/a"}, "/from"),
        ({"op": "remove", "path": "a"}, "/path"),
        ({"op": "remove", "path": "/~2"}, "/path"),
        ({"op": "remove", "path": None}, "/path"),
        ({"op": "remove", "path": ""}, "/path"),
        ({"op": "remove", "path": "/a", "value": 1}, "/value"),
        ({"op": "add", "path": "/a", "value": 1, "from": "/b"}, "/from"),
        ({"op": "add", "path": "/a", "value": 1, "a/b": 1}, "/a~1b"),
        ({"op": "move", "from": "/a", "path": "/a/b"}, "/path"),
        ({"op": "move", "from": "", "path": "/a"}, "/path"),
        ({"op": "copy", "from": 3, "path": "/a"}, "/from"),
        ({"op": "remove", "path": "/a" * 130}, "/path"),
    ],
)
def test_what_is_no_operation_is_refused_at_its_place(
    operation: Any, place: str
) -> None:
    with pytest.raises(UnacceptableJson) as caught:
        json.operations_of([operation], at="/operations")

    assert caught.value.param == f"/operations/0{place}"


def test_a_move_beside_a_name_that_begins_alike_is_made() -> None:
    operation = {"op": "move", "from": "/a", "path": "/ab"}

    assert patched({"a": 1}, operation) == {"ab": 1}


def test_more_operations_than_are_taken_are_refused() -> None:
    one = {"op": "test", "path": "", "value": {}}

    assert patched({}, *[one] * json.MOST_OPERATIONS) == {}
    with pytest.raises(UnacceptableJson):
        patched({}, *[one] * (json.MOST_OPERATIONS + 1))


def test_a_copy_is_changed_apart_from_what_it_was_copied_from() -> None:
    result = patched(
        {"a": {"x": [1]}},
        {"op": "add", "path": "/a/x/-", "value": 2},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/x/-", "value": 3},
        {"op": "add", "path": "/a/x/-", "value": 4},
    )

    assert result == {"a": {"x": [1, 2, 4]}, "b": {"x": [1, 2, 3]}}


def test_operations_can_be_made_again_on_another_state() -> None:
    given = [
        {"op": "add", "path": "/a", "value": {"l": []}},
        {"op": "add", "path": "/a/l/-", "value": 1},
    ]
    operations = json.operations_of(given, at="")

    assert json.patched({}, operations) == {"a": {"l": [1]}}
    assert json.patched({"b": 1}, operations) == {"b": 1, "a": {"l": [1]}}


def test_copies_of_copies_end_where_a_state_does() -> None:
    doubles = [{"op": "copy", "from": "", "path": f"/{n}"} for n in range(40)]
    began = thread_time()

    with pytest.raises(PayloadTooLarge):
        patched({"a": ["x" * 10, "y" * 10]}, *doubles)

    # Without an end this needs a terabyte; a tenth of a second here.
    assert thread_time() - began < 20


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "copy", "from": "", "path": "/a" * 120},
        {"op": "add", "path": "/a" * 120, "value": nested(20)},
    ],
)
def test_a_result_that_is_too_deep_is_refused_as_any_state(operation: Op) -> None:
    with pytest.raises(UnacceptableJson):
        json.state_bytes(patched(nested(120), operation))


def is_moved_into_itself(operation: Op) -> bool:
    """Say what the library lets through where it is an item of a list."""
    inside = f"{operation.get('from')}/"
    return operation["op"] == "move" and operation["path"].startswith(inside)


keys = st.sampled_from(["a", "b", "0", "1", "-", "x/y", "~"])
# No 0 and 1: to the library they are False and True.
leaves = st.none() | st.booleans() | st.integers(2, 4) | st.sampled_from(["s", "t"])
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)
states = st.dictionaries(keys, values, max_size=4)
paths = st.lists(keys, max_size=3).map(json.pointer)
operations = st.one_of(
    st.builds(
        lambda op, path, value: {"op": op, "path": path, "value": value},
        st.sampled_from(["add", "replace", "test"]),
        paths,
        values,
    ),
    st.builds(lambda path: {"op": "remove", "path": path}, paths),
    st.builds(
        lambda op, source, path: {"op": op, "from": source, "path": path},
        st.sampled_from(["move", "copy"]),
        paths,
        paths,
    ),
)


@settings(max_examples=1_000)
@given(states, st.lists(operations, max_size=5))
def test_a_patch_does_what_the_library_for_it_does(
    state: dict[str, Any], given: list[Op]
) -> None:
    assume(not any(map(is_moved_into_itself, given)))
    before = copy.deepcopy(state)
    try:
        expected = jsonpatch.apply_patch(copy.deepcopy(state), copy.deepcopy(given))
        expected = expected if isinstance(expected, dict) else "refused"
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError):
        expected = "refused"
    try:
        found = patched(state, *given)
    except (PatchFailed, UnacceptableJson):
        found = "refused"

    assert same(state, before)
    assert same(found, expected), (found, expected)
