"""What the histories are made of: small states full of what is easily confused."""

from hypothesis import strategies as st

keys = st.sampled_from(["a", "b", "id", "a/b", "~1", "", "0", "escalated"])
scalars = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, 1e16, 10**30, -(2**63), "", "1", "é\x00"]
)
items = st.builds(lambda id, v: {"id": id, "v": v}, st.integers(0, 3), scalars)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.lists(items, max_size=3),
    st.dictionaries(keys, scalars, max_size=2),
)
states = st.dictionaries(keys, values, max_size=3)

# Which session and which version, counted around: shrinks to the first, the newest.
which = st.sampled_from([0, 0, 0, 0, 1, 1, 2, 3])
places = st.integers(0, 30)
# What the caller says about the head, and whether in the body or in If-Match.
sights = st.sampled_from([*5 * ["none"], *3 * ["right"], "stale", "ahead"])
verbs = st.sampled_from(["turn", "turn", "pause", "resume", "resume", "close"])
names = st.sampled_from([None, None, None, None, "n1", "n2", "n3"])
pointers = st.sampled_from(["/a", "/b", "/id", "/a~1b", "/~01", "/0", "/a/0", "/b/id"])
# Most do not exist: an update that removes is mostly refused.
removals = st.one_of(st.just([]), st.just([]), st.lists(pointers, max_size=2))
# The other parts of a checkpoint; most writes send none.
parts = st.one_of(
    st.just({}),
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "messages": st.one_of(st.none(), st.lists(values, max_size=2)),
            "tool_results": st.dictionaries(keys, scalars, max_size=2),
            "tasks": st.just([]),
        },
    ),
)
labels = st.sampled_from(["good", "bad/odd", "über"])
objectives = st.sampled_from([None, None, None, "In Progress", "WAITING_FOR_YOU"])
updates = st.builds(
    lambda state, remove, name, objective, parts: {
        "state": state,
        **parts,
        **({"remove": remove} if remove else {}),
        **({"external_id": name} if name else {}),
        **({"objective_status": objective} if objective else {}),
    },
    states,
    removals,
    names,
    objectives,
    parts,
)
replaces = st.builds(
    lambda state, parts: {"op": "replace", "state": state, **parts}, states, parts
)
batches = st.lists(st.one_of(updates, replaces), min_size=1, max_size=3)
