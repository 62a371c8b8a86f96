"""Terms that leave out, that any of may hold, that bound a number, and of versions."""

from typing import Any

import pytest

from tests.conftest import Api
from tests.timeline.runs import Begin, Run, assert_refused
from tests.timeline.search.asking import ids, matches, page, results, versions

pytestmark = pytest.mark.django_db


@pytest.fixture
def orders(begin: Begin) -> list[Run]:
    """Three orders: one refunded, one cancelled after a word, one that is open."""
    refunded = begin({"status": "open", "amount": 10}, user_id="u_1")
    refunded.patch({"status": "refunded", "amount": 20}, release="2026.11.1")
    cancelled = begin({"status": "open", "amount": 15.5}, user_id="u_2")
    cancelled.patch({"status": "cancelled"}, reasoning="They insisted", model="gpt-4o")
    waiting = begin({"status": "open", "amount": "20"}, user_id="u_3")
    waiting.patch({"n": 1}, release="2026.11.2", step_number=7)
    return [refunded, cancelled, waiting]


def places(client: Api, orders: list[Run], q: str, **query: Any) -> list[int]:
    """Return which of the orders are found, by their places, newest first."""
    made = [run.id for run in orders]
    return [made.index(one) for one in ids(client, q, **query)]


@pytest.mark.parametrize("limit", [1, 100])
@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("-user:u_2", [2, 0]),
        ("-refunded", [2, 1]),
        ("-ever:refunded -insisted", [2]),
        ("-state.status=open", [1, 0]),
        ("-changed:state.status", [2]),
        ("open -cancelled -user:u_3", [0]),
        ("-nothing-like-it", [2, 1, 0]),
        ("user:u_1 OR user:u_3", [2, 0]),
        ("refunded OR insisted", [1, 0]),
        ("state.status=open OR ever:refunded", [2, 0]),
        ("user:u_9 OR ever:nowhere", []),
        ("user:u_1 OR -insisted", [2, 0]),
        ("user:u_1 OR user:u_2 insisted", [1]),
        ("-user:u_1 OR -user:u_2", [2, 1, 0]),
        ("/amount>15", [1, 0]),
        ("/amount>=15.5", [1, 0]),
        ("/amount>15.5", [0]),
        ("/amount<20", [1]),
        ("/amount:10..16", [1]),
        ("state.amount:20..", [0]),
        ("-/amount>0", [2]),
        ("/nothing>0", []),
        ("/amount>15 OR user:u_3", [2, 1, 0]),
        ("release:2026.11.1", [0]),
        ("release:2026.11", []),
        ("model:gpt-4o OR step:7", [2, 1]),
        ("op:rollback", []),
        ("op:create", [2, 1, 0]),
        ("2026.11", [2, 0]),
        ("2026.11.2", [2]),
    ],
)
def test_terms_combine(orders: list[Run], q: str, found: list[int], limit: int) -> None:
    assert places(orders[0].client, orders, q, limit=limit) == found


def test_an_or_says_which_of_its_terms_are_met(orders: list[Run]) -> None:
    found = results(orders[0].client, "refunded OR user:u_3 OR insisted")

    told = [[(m["clause"], m["where"]) for m in one["matches"]] for one in found]
    assert told == [
        [("user:u_3", "user")],
        [("insisted", "reasoning")],
        [("refunded", "change")],
    ]


def test_what_is_left_out_tells_of_no_version(orders: list[Run]) -> None:
    (why, _) = matches(orders[0].client, "-refunded insisted")

    assert (why["clause"], why["where"]) == ("-refunded", "without")
    assert why["version"] is why["pointer"] is None


def test_versions_meet_any_of_the_terms_about_versions(orders: list[Run]) -> None:
    client, first, second = orders[0].client, orders[0].id, orders[1].id

    found = versions(client, "ever:refunded OR insisted", limit=1)
    assert found == [(second, 1), (first, 1)]
    assert versions(client, "release:2026.11.1 -user:u_3") == [(first, 1)]
    everywhere = versions(client, "user:u_1 OR ever:refunded")
    assert everywhere == [(first, 1), (first, 0)], (
        "its user is that of all its versions"
    )


@pytest.mark.parametrize("most", [1, 2, 3, 400])
def test_an_or_that_looks_into_states_gets_further_page_by_page(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Each of its terms may look into so many, and neither stops the other."""
    made = [begin({"n": 0}) for _ in range(3)]
    for number, run in enumerate(made):
        for count in range(4):
            run.patch({f"k{n}": n + count for n in range(300)})
        run.patch({"last": number})
    monkeypatch.setattr("apps.timeline.search.states.MOST_STATES", most)
    monkeypatch.setattr("apps.timeline.search.conditions.combining.MOST_STATES", most)
    client = made[0].client

    # The first version has these, so all of the others are looked into for them.
    q = "ever:state.k298=298 OR ever:state.k297=9999"
    assert ids(client, q) == [run.id for run in reversed(made)]
    assert ids(client, "-ever:state.k298=298") == []
    assert ids(client, "-ever:state.k298=9999 -ever:state.k297=9999") == [
        run.id for run in reversed(made)
    ]


def test_a_number_that_a_head_had_no_room_for_is_found(begin: Begin) -> None:
    run = begin({f"k{n:03}": "x" for n in range(80)} | {"z": {"amount": 120}})
    fork = run.fork(state={"z": {"amount": 90}})

    assert ids(run.client, "/z/amount>100") == [run.id]
    assert ids(run.client, "/z/amount:50..200") == [fork.id, run.id]
    assert ids(run.client, "/z/amount>120") == []


def test_a_number_of_an_item_is_found_by_the_items_id(begin: Begin) -> None:
    run = begin({"items": [{"id": "A-17", "qty": 3}, {"id": "A-18", "qty": 9}]})

    assert ids(run.client, "/items/A-18/qty>5") == [run.id]
    assert ids(run.client, "/items/A-17/qty>5") == []
    assert ids(run.client, "/items/0/qty<5") == [run.id]


def test_large_numbers_are_bounded_as_they_are(begin: Begin) -> None:
    run = begin({"n": 2**53 + 1, "huge": 10**40, "yes": True})

    assert ids(run.client, f"/n>{2**53}") == [run.id]
    assert ids(run.client, f"/n>{2**53 + 1}") == []
    assert ids(run.client, f"/huge>={10**40}") == [run.id]
    assert ids(run.client, f"/huge>{10**40}") == []
    assert ids(run.client, "/yes>=0") == []


def test_a_range_says_how_it_was_looked_for(orders: list[Run]) -> None:
    (notice,) = page(orders[0].client, "/amount>1")["notices"]

    assert notice.startswith("/amount>1: no index has numbers in order")


@pytest.mark.parametrize("q", ["jmo1mg", "JMO1MG", "Jmo1Mg", "ANNA", "anna lee"])
def test_whole_values_and_ids_in_keys_are_found_in_any_case(
    begin: Begin, q: str
) -> None:
    run = begin({"seen": {}, "who": "Anna" if " " not in q else "Anna Lee"})
    run.patch({"seen": {"JMO1MG": {"status": None}}})
    begin({"seen": {}, "who": "Ann"})

    assert ids(run.client, f'"{q}"') == [run.id]
    fork = run.fork()
    assert ids(run.client, f'"{q}"') == [fork.id, run.id]


def test_a_word_for_a_key_is_no_id(begin: Begin) -> None:
    run = begin({"status": 1, "AB": 2})

    assert ids(run.client, "status") == ids(run.client, "AB") == []


def test_labels_are_found_by_their_beginning_while_they_are_given(run: Run) -> None:
    run.send("POST", "versions/1/labels", {"label": "known-good-by-night"})
    run.send("POST", "versions/0/labels", {"label": "known-good"})

    for q in ("kno", "known-g", "known-good-by-night", "known-good-by-n"):
        assert ids(run.client, q) == [run.id], q
    run.client.delete(run.path("versions", 1, "labels", "known-good-by-night"))
    assert ids(run.client, "known-good-by") == []
    assert ids(run.client, "known-go") == [run.id]
    run.client.delete(run.path("versions", 0, "labels", "known-good"))
    assert ids(run.client, "kno") == []


def test_a_reason_code_is_found_as_what_it_is(run: Run) -> None:
    run.patch({"n": 1})
    run.rollback(0, reason_code="wrong_refund")

    for q in ("wrong_refund", "reason:wrong_refund"):
        (why,) = matches(run.client, q)
        assert (why["where"], why["version"]) == ("reason", 4)


def test_the_deed_is_the_version_that_changed_the_thing_last(begin: Begin) -> None:
    run = begin({"order": {"id": "A-17", "status": "open"}, "n": 0})
    run.patch({"order": {"id": "A-17", "status": "sent"}})
    run.patch({"order": {"id": "A-17", "status": "lost"}})
    run.patch({"n": 1})
    run.rollback(2)
    only_told = begin({"order": {"id": "a-17", "status": "open"}})

    first, second = results(run.client, "A-17")

    assert [one["where"] for one in first["matches"]] == ["state"]
    assert first["session_id"] == only_told.id
    deed, held = second["matches"]
    assert (deed["where"], deed["version"]) == ("change", 2)
    assert deed["pointer"] == "/order"
    assert (held["where"], held["version"]) == ("state", 0)


def test_the_deed_on_what_a_key_names_is_found_too(begin: Begin) -> None:
    run = begin({"seen": {}, "changed": {}})
    run.patch({"seen": {"JMO1MG": {"status": None}}})
    run.patch({"changed": {"JMO1MG": ["cancel"]}})
    run.patch({"seen": {}})

    (deed, held) = matches(run.client, "jmo1mg")

    assert (deed["where"], deed["version"]) == ("change", 3)
    assert deed["pointer"] == "/seen/JMO1MG"
    assert (held["where"], held["version"]) == ("state", 2)


def test_words_are_quoted_where_they_were_said(begin: Begin) -> None:
    run = begin({"n": 0})
    run.patch({"n": 1}, reasoning=f"{'So much. ' * 30}The bag was lost. {'Oh. ' * 60}")
    run.turn("Where is my blue bag?", f"{'Well. ' * 50}It was never lost.")

    (why,) = matches(run.client, "words:blue")
    assert why["quote"] == "Where is my blue bag?"
    (why,) = matches(run.client, 'words:"never lost"')
    assert why["quote"].endswith("Well. It was never lost.")
    (why,) = matches(run.client, 'words:"lost oh"')
    assert "The bag was lost. Oh." in why["quote"]
    assert why["quote"].startswith("…")
    assert why["quote"].endswith("…")
    assert len(why["quote"]) < 180


@pytest.mark.parametrize(
    "q", [" ".join(["a"] * 60), " OR ".join(["a"] * 200), "score:a<b", "a OR"]
)
def test_what_is_too_much_is_refused_at_its_place(run: Run, q: str) -> None:
    answer = run.client.get("/v1/search", {"q": q})

    assert_refused(answer, 400, "invalid_request", "q")
    assert answer.body["error"]["position"] <= len(q)


@pytest.mark.parametrize("limit", [1, 100])
@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("review:failed", [0]),
        ("review:fine", [1]),
        ("review:none", [2]),
        ("-review:failed", [2, 1]),
        ("score:reward", [1, 0]),
        ("score:reward<0.5", [0]),
        ("score:reward>=0.5 review:fine", [1]),
        ("score:tone OR review:failed", [2, 0]),
        ("-score:reward", [2]),
        ("score:reward>1", []),
        ("cancelled score:reward", [1]),
    ],
)
def test_sessions_are_found_by_how_they_went(
    orders: list[Run], q: str, found: list[int], limit: int
) -> None:
    refunded, cancelled, waiting = orders
    give(refunded, "review", {"outcome": "fine"})
    give(refunded, "review", {"outcome": "failed"})
    give(refunded, "score", {"name": "reward", "value": 0})
    give(cancelled, "review", {"outcome": "fine"})
    give(cancelled, "score", {"name": "reward", "value": 0.1})
    give(cancelled, "score", {"name": "reward", "value": 1})
    give(waiting, "score", {"name": "tone", "value": 3})

    assert places(waiting.client, orders, q, limit=limit) == found


def give(run: Run, what: str, body: dict[str, Any]) -> None:
    assert run.client.put(run.path(what), body).status == 200
