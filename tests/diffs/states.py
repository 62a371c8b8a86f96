"""States for the property tests: small, and full of what is easily confused."""

import copy
import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

bounded = settings(
    max_examples=150,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 0.0, -0.0, 1.0, 10**30, -(2**63), 2**64, "1", "", "a"]),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text("ab~/0\x00é", max_size=3),
)
keys = st.sampled_from(["id", "name", "a", "b", "~1", "a/b", "", "0"])
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(keys, inner, max_size=4),
        st.lists(
            st.fixed_dictionaries({"id": st.integers(0, 6)}, optional={"v": inner}),
            max_size=6,
        ),
    ),
    max_leaves=20,
)
objects = st.dictionaries(keys, values, max_size=5)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two states of which the second was edited from the first."""
    before = draw(objects)
    after = copy.deepcopy(before)
    for _ in range(draw(st.integers(0, 4))):
        edit(draw, after)
    return before, after


def edit(draw: st.DrawFn, state: Any) -> None:
    """Change one thing somewhere in a state."""
    node = draw(st.sampled_from(_containers(state)))
    if isinstance(node, dict):
        node[draw(keys)] = draw(values)
        return
    action = draw(st.sampled_from(["insert", "remove", "set", "reverse", "shuffle"]))
    place = draw(st.integers(0, max(len(node) - 1, 0)))
    if action == "insert" or not node:
        node.insert(place, draw(values))
    elif action == "remove":
        del node[place]
    elif action == "set":
        node[place] = draw(values)
    elif action == "reverse":
        node.reverse()
    else:
        node[:] = draw(st.permutations(node))


def _containers(state: Any) -> list[Any]:
    inner = state.values() if isinstance(state, dict) else state
    return [
        state,
        *(c for v in inner if isinstance(v, dict | list) for c in _containers(v)),
    ]


pairs = st.one_of(st.tuples(objects, objects), edited(), edited())


@st.composite
def _histories(draw: st.DrawFn) -> list[Any]:
    """States of which each was edited from the one before."""
    states = [draw(objects)]
    for _ in range(draw(st.integers(1, 4))):
        following = copy.deepcopy(states[-1])
        for _ in range(draw(st.integers(1, 2))):
            edit(draw, following)
        states.append(following)
    return states


histories = _histories()
