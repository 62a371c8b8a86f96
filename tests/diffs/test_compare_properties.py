"""The laws of `compare`, held against RFC 6902, DeepDiff and itself."""

import json
from typing import Any

import jsonpatch
from deepdiff import DeepDiff
from hypothesis import given
from hypothesis import strategies as st

from apps.diffs.changes import MISSING, Change, Kind
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.patch import apply, to_patch
from apps.diffs.pointers import join, resolve
from tests.diffs.states import bounded, keys, pairs, scalars, values

ZEROS = {"0.0", "-0.0"}

Pair = tuple[Any, Any]


def written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@bounded
@given(pairs)
def test_applying_the_changes_to_before_gives_after(pair: Pair) -> None:
    before, after = pair

    assert written(apply(before, compare(before, after))) == written(after)


@bounded
@given(pairs, st.integers(0, 6))
def test_a_small_budget_costs_detail_but_never_truth(pair: Pair, budget: int) -> None:
    before, after = pair

    comparison = compare(before, after, budget=budget)

    assert written(apply(before, comparison)) == written(after)
    assert len([c for c in comparison if c.kind is not Kind.MOVED]) <= budget + 1


@bounded
@given(pairs)
def test_there_are_changes_exactly_where_the_texts_differ(pair: Pair) -> None:
    before, after = pair

    assert bool(compare(before, after)) == (written(before) != written(after))


@bounded
@given(pairs)
def test_pointers_hold_the_values_that_are_reported(pair: Pair) -> None:
    before, after = pair

    for change in compare(before, after):
        if change.kind is Kind.REMOVED:
            assert resolve(before, change.pointer) is change.before
        else:
            assert resolve(after, change.pointer) is change.after
        if change.from_pointer is not None:
            assert resolve(before, change.from_pointer) is change.before


@bounded
@given(pairs, st.integers(0, 6) | st.just(10_000))
def test_a_json_patch_gives_after_too(pair: Pair, budget: int) -> None:
    before, after = pair

    patch = to_patch(compare(before, after, budget=budget))
    patched = jsonpatch.apply_patch(before, patch)

    assert written(patched) == written(after)


@bounded
@given(st.dictionaries(keys, values), st.dictionaries(keys, values), st.booleans())
def test_what_an_update_shares_is_told_as_if_it_were_read_anew(
    before: dict[str, Any], patch: dict[str, Any], removes: bool
) -> None:
    after = {**before, **patch}
    if removes and before:
        del after[next(iter(before))]

    shared = compare(before, after)

    assert shared.changes == compare(*json.loads(json.dumps([before, after]))).changes


@bounded
@given(values, values)
def test_equality_agrees_with_the_text(one: Any, two: Any) -> None:
    for other in (two, json.loads(json.dumps(one)), one):
        assert same(one, other) is (written(one) == written(other))


trees = st.recursive(
    scalars, lambda inner: st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


@bounded
@given(st.dictionaries(keys, trees, max_size=4), st.dictionaries(keys, trees))
def test_it_names_the_paths_that_deepdiff_names(before: Any, after: Any) -> None:
    """On states without lists, whose items DeepDiff pairs in another way."""
    theirs = DeepDiff(before, after, view="tree", threshold_to_diff_deeper=0)
    paths = {
        join([str(token) for token in item.path(output_format="list")])
        for items in theirs.values()
        for item in items
    }

    ours = {c.pointer for c in compare(before, after) if not _is_zero_sign(c)}

    assert ours == paths


@bounded
@given(pairs)
def test_deepdiff_agrees_whether_anything_differs(pair: Pair) -> None:
    before, after = pair

    ours = [change for change in compare(before, after) if not _is_zero_sign(change)]

    if ours:
        assert DeepDiff(before, after)
    if DeepDiff(before, after):
        assert compare(before, after)


def _is_zero_sign(change: Change) -> bool:
    """DeepDiff takes 0.0 and -0.0 for the same; written down they differ."""
    if MISSING in (change.before, change.after):
        return False
    return written(change.before) in ZEROS and written(change.after) in ZEROS
