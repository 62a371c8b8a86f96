"""Why results were found: told together, and as far as a budget goes."""

from typing import Any

import pytest

from tests.contracts.test_query_counts import statements
from tests.timeline.runs import Begin, Run
from tests.timeline.search.asking import ids, page, versions

pytestmark = pytest.mark.django_db

ORDER = {"order": {"id": "A-17", "total": 17}, "status": "open"}


def an_order(begin: Begin, **fields: Any) -> Run:
    """Begin a session that every query of these tests finds."""
    made = begin(ORDER, user_id="u_17", **fields)
    made.patch({"status": "refunded"}, reasoning="The customer insisted")
    made.send("POST", "versions/1/labels", {"label": "seen"})
    made.rollback(0, trace_id="t-17")
    return made


@pytest.mark.parametrize(
    ("kind", "q"),
    [
        ("sessions", 'state.order.id="A-17" user:u_17'),
        ("sessions", "now:17 rolled-back:yes trace:t-17"),
        ("sessions", "A-17 ever:refunded changed:state.status words:insisted"),
        ("sessions", "/order/total:17 label:seen forked:no"),
        ("versions", "user:u_17"),
        ("versions", "changed:state.status"),
        ("versions", "ever:refunded insisted state.status=open label:seen"),
        ("versions", "rolled-back:yes trace:t-17 now:A-17"),
    ],
)
def test_more_results_take_no_more_statements(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, kind: str, q: str
) -> None:
    client = an_order(begin).client
    asked = {"q": q, "kind": kind, "limit": "100"}

    def read() -> tuple[int, bytes]:
        answer = client.get("/v1/search", asked)
        return answer.status, answer.content

    few, _ = statements(monkeypatch, read)
    count = len(page(client, **asked)["data"])
    for _ in range(9):
        an_order(begin)
    many, _ = statements(monkeypatch, read)
    found = page(client, **asked)["data"]

    assert len(found) == 10 * count > 0
    assert len(many) == len(few), "\n".join(many)
    reasons = [
        [{**match, "version": 0} for match in one["matches"]] for one in found[::count]
    ]
    assert all(one == reasons[0] for one in reasons)


def test_many_incomplete_versions_are_read_many_at_a_time(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> Run:
        run = begin({"a": 1})
        run.patch({f"k{n}": n for n in range(300)})
        return run

    client = make().client
    asked = {"q": "ever:299", "limit": "100"}

    def read() -> tuple[int, bytes]:
        answer = client.get("/v1/search", asked)
        return answer.status, answer.content

    few, _ = statements(monkeypatch, read)
    for _ in range(9):
        make()
    many, _ = statements(monkeypatch, read)

    assert len(page(client, **asked)["data"]) == 10
    assert len(many) == len(few), "\n".join(many)


def test_states_beyond_the_budget_are_told_of_without_their_place(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.search.telling.explaining.MOST_READ", 1)
    runs = [begin(ORDER) for _ in range(3)]

    found = page(runs[0].client, "now:A-17")

    places = [one["matches"][0]["pointer"] for one in found["data"]]
    assert places == ["/order/id", None, None]
    assert found["notices"] == [
        "the places in 2 states are not told, which are more than are read for one page"
    ]


def test_states_are_read_in_batches_without_a_difference(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [an_order(begin) for _ in range(4)]
    q = 'state.order.id="A-17" ever:refunded'
    whole = page(runs[0].client, q)

    monkeypatch.setattr("apps.timeline.search.states.BATCH_BYTES", 1)
    assert page(runs[0].client, q) == whole


def test_an_incomplete_version_is_listed_where_others_meet_by_index(
    begin: Begin,
) -> None:
    run = begin({"v": "wanted", "n": 0})
    run.put({"n": 1})
    run.patch({**{f"k{n}": n for n in range(300)}, "v": "wanted"})
    run.patch({f"k{n}": -n for n in range(300)})
    run.patch({"n": 2})

    for q in ("ever:state.v=wanted", "ever:wanted", "wanted", "changed:state.v"):
        assert (run.id, 2) in versions(run.client, q)
        assert (run.id, 3) not in versions(run.client, q), "it only held it"
    assert versions(run.client, "ever:wanted", limit=1) == [(run.id, 2), (run.id, 0)]
    assert versions(run.client, "changed:state.k299") == [(run.id, 3), (run.id, 2)]
    assert versions(run.client, "ever:state.k299=299", limit=1) == [(run.id, 2)]
    assert page(run.client, "ever:wanted", kind="versions")["notices"] == []


def test_a_large_fork_has_not_changed_what_it_began_with(begin: Begin) -> None:
    run = begin({f"k{n}": n for n in range(400)})
    fork = run.fork(state={"k1": "changed"})

    assert versions(run.client, "changed:state.k399") == []
    assert versions(run.client, "ever:state.k399=399") == [(fork.id, 0), (run.id, 0)]


def test_one_name_may_be_a_sessions_and_a_versions(begin: Begin) -> None:
    named = begin(ORDER, external_id="order-17")
    named.patch({"n": 1})
    other = begin(ORDER)
    other.patch({"n": 1}, external_id="order-17")
    other.patch({"n": 2})

    assert ids(named.client, "external:order-17") == [other.id, named.id]
    assert versions(named.client, "external:order-17") == [
        (other.id, 1),
        (named.id, 1),
        (named.id, 0),
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_of_versions_go_on_in_the_middle_of_a_session(
    begin: Begin, limit: int
) -> None:
    runs = [begin({"n": 0}) for _ in range(3)]
    for run in runs:
        for number in range(4):
            run.patch({"n": number % 2})
            run.patch({"m": number})
    expected = [(run.id, n) for run in reversed(runs) for n in (7, 5, 3)]

    assert versions(runs[0].client, "changed:state.n", limit=limit) == expected
    every = versions(runs[0].client, "forked:no", limit=limit)
    assert every == [(run.id, n) for run in reversed(runs) for n in range(8, -1, -1)]


@pytest.mark.parametrize("q", ["ever:state.items.0.qty=2", "changed:/items/0/qty"])
def test_a_position_among_items_with_ids_is_answered_by_a_notice(
    begin: Begin, q: str
) -> None:
    run = begin({"items": [{"id": "x", "qty": 2}]})

    (notice,) = page(run.client, q)["notices"]

    assert "name the item, as in /items/A-17" in notice
    assert page(run.client, q.replace("0", "x"))["notices"] == []
    assert ids(run.client, "ever:/items/x/qty=2") == [run.id]
