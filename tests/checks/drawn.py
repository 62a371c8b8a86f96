"""States and checks drawn at random, small enough to meet each other."""

from typing import Any

from hypothesis import strategies as st

from apps.checks import model as m

KEYS = st.sampled_from(["a", "b", "items", "odd key", "x/y", "t~", "0", 'q"', "ü"])
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.sampled_from([0.1, 0.2, 0.3, 1.0, -0.0, 2.5, 1e23, 10**23, 10**60]),
    st.sampled_from(["", "a", "ab", "1", "null", 'q"', "ünder", "a b", "\x00"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)
STATES = st.dictionaries(KEYS, VALUES, max_size=5)


def _pointer(keys: list[str]) -> str:
    return "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in keys)


def places(roots: list[m.Root]) -> st.SearchStrategy[m.Place]:
    pointers = st.lists(KEYS, max_size=3).map(_pointer)
    return st.builds(m.Place, st.sampled_from(roots), pointers)


ITEMS = places([m.Root.ITEM])


def tests(roots: list[m.Root]) -> st.SearchStrategy[Any]:
    place = places(roots)
    of = st.none() | ITEMS
    measured = st.one_of(place, st.builds(m.Size, place), st.builds(m.Sum, place, of))
    operands = measured | st.builds(m.Literal, SCALARS)
    return st.one_of(
        st.builds(m.Compared, measured, st.sampled_from(list(m.Comparison)), operands),
        st.builds(m.There, place),
        st.builds(m.HasType, place, st.sampled_from(list(m.Type))),
        st.builds(m.OneOf, place, st.lists(SCALARS, min_size=1, max_size=3).map(tuple)),
        st.builds(m.Contains, place, SCALARS),
        st.builds(m.Unique, place, of),
    )


def checks(eaches: int = 2, roots: list[m.Root] | None = None) -> Any:
    """Return checks with at most so many `EACH` within each other."""
    here = roots or [m.Root.STATE, m.Root.STATE, m.Root.WAS]
    leaves = tests(here)
    if eaches:
        within = checks(eaches - 1, [*here, m.Root.ITEM, m.Root.ITEM, m.Root.ITEM])
        leaves |= st.builds(m.Each, places(here), within)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(m.All, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(m.AnyOf, st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(m.Not, inner),
        ),
        max_leaves=5,
    )


CHECKS = checks()
