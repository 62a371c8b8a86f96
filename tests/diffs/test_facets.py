"""Which values a session is found by."""

from hypothesis import given
from hypothesis import strategies as st

from apps.diffs import pointers
from apps.diffs.changes import Json
from apps.diffs.facets import facets, leaves
from tests.diffs.states import bounded, objects


def test_it_maps_pointers_to_scalars() -> None:
    state = {"order": {"id": "A/1", "lines": [{"n~": 2}]}, "paid": False, "at": None}

    assert facets(state) == {
        "/paid": False,
        "/at": None,
        "/order/id": "A/1",
        "/order/lines/0/n~0": 2,
    }


def test_shallow_values_win() -> None:
    state = {"deep": {str(n): n for n in range(100)}, "id": 7}

    found = facets(state, limit=2)

    assert found == {"/id": 7, "/deep/0": 0}


def test_long_texts_are_left_out() -> None:
    assert facets({"a": "x" * 201, "b": "x" * 200, "c": 10**200}) == {"/b": "x" * 200}


def test_values_are_cleaned_for_the_database() -> None:
    state = {"\x00": "a\x00b", "big": 2**63, "small": -(2**63), "inf": float("inf")}

    assert facets(state) == {
        "/␀": "a␀b",
        "/big": "9223372036854775808",
        "/small": -(2**63),
        "/inf": "inf",
    }


def test_nothing_is_looked_for_below_a_very_long_key() -> None:
    state = {"k" * 301: {"a": {"b": 1}}, "id": 7}

    assert facets(state) == {"/id": 7}


def test_it_says_from_which_depth_on_values_are_left_out() -> None:
    state = {"id": 7, "rows": [[n, {}] for n in range(70)], "none": {}}

    found = leaves(state)

    assert (len(found.values), found.cut_depth) == (64, 3)
    assert leaves({"id": 7, "none": {}}).cut_depth is None


def test_a_wide_state_is_not_walked_to_its_end() -> None:
    texts = {str(n): "x" * 201 for n in range(10_001)}

    assert leaves({"texts": texts, "id": 7}).cut_depth == 2


def test_a_long_list_of_rows_is_not_walked_to_its_end() -> None:
    found = leaves({"id": 7, "rows": [{"a": 1}] * 10_001})

    assert (found.values, found.cut_depth) == ({"/id": 7}, 2)


@bounded
@given(objects, st.integers(1, 8))
def test_it_finds_what_is_found_by_walking_value_by_value(
    state: Json, limit: int
) -> None:
    values, cut_depth = walked(state, limit)

    found = leaves(state, limit)

    assert list(found.values.items()) == list(values.items())
    assert found.cut_depth == cut_depth


def walked(state: Json, limit: int) -> tuple[dict[str, Json], int | None]:
    """Return the short scalars of a state, and from which depth on some are missing."""
    found: dict[str, Json] = {}
    waiting: list[tuple[tuple[str, ...], Json]] = [((), state)]
    for path, container in waiting:
        is_object = isinstance(container, dict)
        entries = container.items() if is_object else enumerate(container)
        for token, value in entries:
            if len(found) == limit:
                return found, len(path) + 1
            place = (*path, str(token))
            if isinstance(value, dict | list):
                waiting += [(place, value)] if value else []
            elif not isinstance(value, str) or len(value) <= 200:
                found[pointers.join(place)] = value
    return found, None
