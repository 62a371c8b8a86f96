"""Pages that end where their work does: together they find what one page finds."""

from random import Random
from typing import Any

import pytest

from apps.core.admission import gate, work
from apps.core.admission.gate import Gate
from apps.timeline.search import places
from tests.timeline.runs import Begin, Run, assert_refused
from tests.timeline.search.asking import page, pages, results

pytestmark = pytest.mark.django_db

KEYS = 260
QUERIES = (
    "ever:wanted",
    "wanted",
    "ever:state.v=wanted",
    "changed:state.v",
    "now:wanted",
    "ever:other ever:wanted",
    "wanted changed:state.v user:u_1",
    "ever:state.k1=1 ever:wanted rolled-back:no",
    "u_1",
    "ever:nowhere",
)


def large(random: Random) -> dict[str, Any]:
    """Return a state that differs from every other in more places than are indexed."""
    n = random.randrange(1_000_000)
    value = random.choice(["wanted", "other", None])
    return {f"k{key}": key + n for key in range(KEYS)} | {"v": value, "k1": 1}


@pytest.fixture
def histories(begin: Begin) -> list[Run]:
    """Sessions of which the change rows do not tell everything."""
    random = Random(11)
    made = [
        begin(large(random) if n % 2 else {"v": "other"}, user_id=f"u_{n % 2}")
        for n in range(5)
    ]
    for run in made:
        for n in range(random.randrange(2, 5)):
            run.put(large(random) if random.random() < 0.7 else {"v": "wanted", "n": n})
    return [*made, made[1].fork(), made[3].fork(state=large(random))]


def found(client: Any, q: str, kind: str) -> list[tuple[str, int | None]]:
    return [
        (one["session_id"], one["version"]) for one in results(client, q, kind=kind)
    ]


@pytest.mark.parametrize("kind", ["sessions", "versions"])
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("apps.timeline.search.states.MOST_STATES", 1),
        ("apps.timeline.search.states.MOST_STATES", 3),
        ("apps.core.admission.work.PAGE", 1),
        ("apps.core.admission.work.PAGE", 1_500),
        ("apps.timeline.search.states.MOST_LISTED", 2),
    ],
)
def test_pages_find_together_what_one_finds(
    histories: list[Run],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    most: int,
    kind: str,
) -> None:
    client = histories[0].client
    whole = {q: found(client, q, kind) for q in QUERIES}
    assert len([q for q in QUERIES if whole[q]]) >= 6

    monkeypatch.setattr(name, most)

    assert {q: found(client, q, kind) for q in QUERIES} == whole


def test_a_page_that_ends_before_it_found_anything_says_so(
    histories: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.core.admission.work.PAGE", 1)

    *others, last = pages(histories[0].client, "ever:state.k1=2")

    assert len(others) > 5
    for one in others:
        assert one["has_more"]
        assert any("go on with next" in notice for notice in one["notices"])
    assert (last["has_more"], last["next"]) == (False, None)
    assert not any(one["data"] for one in (*others, last))


def test_what_an_index_rejects_is_not_looked_into(
    histories: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.core.admission.work.PAGE", 1)

    (only,) = pages(histories[0].client, "ever:state.k1=2 user:nobody")

    assert only["notices"] == []


def test_a_value_is_found_however_many_stand_before_it() -> None:
    state = {"rows": [{"n": n, "true": True} for n in range(30_000)], "a/b": [1, "x"]}

    assert list(places.holding(state, ["x"])) == ["/a~1b/1"]
    assert list(places.holding(state, [29_999])) == ["/rows/29999/n"]
    assert list(places.holding(state, [1])) == ["/a~1b/0", "/rows/1/n"]
    assert len(list(places.holding(state, [True]))) == 30_000


@pytest.mark.parametrize("place", [".7", ".1.2.3", "~", ".x", ":1.2"])
def test_a_place_at_which_no_page_ends_is_refused(run: Run, place: str) -> None:
    asked = {"q": "ever:x", "starting_after": f"{run.id}{place}"}

    answer = run.client.get("/v1/search", asked)

    assert_refused(answer, 400, "invalid_request", "starting_after")


def test_nobody_goes_on_in_a_session_that_is_not_theirs(
    run: Run, begin: Begin, api: Any, make_key: Any, other_project: Any
) -> None:
    theirs = begin({"v": "wanted"}, client=api(make_key(project=other_project)))

    for place in (f"{theirs.id}.0", f"{theirs.id}.0.5", f"{theirs.id}:9"):
        for kind in ("sessions", "versions"):
            one = page(run.client, "ever:wanted", kind=kind, starting_after=place)
            assert theirs.id not in str(one["data"])


def test_much_work_in_a_search_waits_at_the_gate(
    histories: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Gate(permits=1, seconds=0.01)
    monkeypatch.setattr("apps.core.http.ApiView.gate", one)
    monkeypatch.setattr(gate, "GATED_WORK", 2_000)
    assert work.PAGE > gate.GATED_WORK

    with one.hold():
        answer = histories[0].client.get("/v1/search", {"q": "ever:state.k1=2"})

    assert_refused(answer, 503, "service_unavailable")
