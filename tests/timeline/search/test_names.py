"""Ids that stand on the screen are found, whole or by beginning, and as what."""

from typing import Any

import pytest

from apps.timeline.search.conditions import identifying, tracing
from apps.timeline.search.prefixes import Prefix
from tests.timeline.runs import Begin, Clients, Keys, Run
from tests.timeline.search.asking import ids, matches, page, results, versions

pytestmark = pytest.mark.django_db


def why(run: Run, q: str) -> list[tuple[str, Any, Any]]:
    """Return as what the only session is found: kind, value and version."""
    return [
        (one["where"], one.get("value"), one["version"])
        for one in matches(run.client, q)
    ]


@pytest.fixture
def trip(begin: Begin) -> Run:
    made = begin(
        {"city": "Rome"},
        agent_id="travel-agent",
        user_id="cust_3084",
        external_id="booking-TRV-48213",
    )
    made.patch({"city": "NYC"}, external_id="step-3", trace_id="trip-trace-9")
    return made


@pytest.fixture(autouse=True)
def other(begin: Begin) -> Run:
    """Another session, which is not asked about."""
    return begin({}, agent_id="refunds", user_id="cus%_3084", external_id="x_booking")


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("cust_3084", ("user", "cust_3084", None)),
        ("cust_30", ("user", "cust_3084", None)),
        ("cus", ("user", "cust_3084", None)),
        ("travel-agent", ("agent", "travel-agent", None)),
        ("trav", ("agent", "travel-agent", None)),
        ("booking-TRV-48213", ("external_id", "booking-TRV-48213", None)),
        ("booking", ("external_id", "booking-TRV-48213", None)),
        ('"booking-TRV"', ("external_id", "booking-TRV-48213", None)),
        ("step-3", ("external_id", "step-3", 1)),
        ("step", ("external_id", "step-3", 1)),
        ("trip-trace-9", ("trace", "trip-trace-9", 1)),
    ],
)
def test_an_id_is_found_whole_and_by_its_beginning(
    trip: Run, other: Run, q: str, found: Any
) -> None:
    if q == "cus":
        assert set(ids(trip.client, q)) == {trip.id, other.id}
        return
    assert why(trip, q) == [found]


@pytest.mark.parametrize(
    "q", ["ust_3084", "cu", "CUST_3084", "cust%3084", "cust_3085", "tr", "TRV-48213x"]
)
def test_only_beginnings_of_three_characters_letter_by_letter(
    trip: Run, q: str
) -> None:
    assert ids(trip.client, q) == []


def test_a_short_id_is_found_whole(begin: Begin) -> None:
    run = begin({}, user_id="u1", agent_id="ab")
    begin({}, user_id="u17")

    assert why(run, "u1") == [("user", "u1", None)]
    assert why(run, "ab") == [("agent", "ab", None)]


def test_an_id_of_the_session_by_its_beginning(trip: Run, other: Run) -> None:
    assert ids(trip.client, "sess_0") == [trip.id, other.id]
    assert why(trip, trip.id[:-1]) == [("session", trip.id, None)]
    assert ids(trip.client, "sess_") == ids(trip.client, "sess") == []


def test_a_trace_of_ours_by_its_beginning(trip: Run) -> None:
    trip.rollback(0)
    trace = trip.get("versions", 2)["trace_id"]

    assert why(trip, trace) == [("trace", trace, 2)]
    assert why(trip, trace[:-2]) == [("trace", trace, 2)]
    assert versions(trip.client, trace[:-2]) == [(trip.id, 2)]
    assert ids(trip.client, "trace_") == []


def test_more_acts_than_are_looked_at_are_told(
    trip: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "MOST_ACTS", 1)

    found = page(trip.client, "trace_0")

    assert found["notices"] == [
        "trace_0: of the traces that begin with it the newest 1 are found"
    ]


def test_the_name_of_an_agent_is_found_as_the_agent(begin: Begin) -> None:
    run = begin({}, agent_id="tr-1")
    body = {"name": "Anna's helper"}
    run.client.patch("/v1/agents/tr-1", body)

    for q in ("Anna's", '"Anna\'s helper"'):
        assert why(run, q) == [("agent", "tr-1", None)]


def test_a_word_that_is_an_id_too_is_found_as_both(trip: Run, begin: Begin) -> None:
    said = begin({"customer": "cust_3084"})
    said.patch({"n": 1}, reasoning="Called cust_3084 back")
    trip.patch({"n": 1}, reasoning="This is cust_3084")

    found = {
        one["session_id"]: [(m["where"], m["version"]) for m in one["matches"]]
        for one in results(trip.client, "cust_3084")
    }

    assert found == {
        said.id: [("reasoning", 1), ("state", 0)],
        trip.id: [("user", None), ("reasoning", 2)],
    }
    in_state = begin({"customer": "cust_3084"}, user_id="cust_3084")
    (newest, *_) = results(trip.client, "cust_3084")
    assert newest["session_id"] == in_state.id
    assert [(m["where"], m["pointer"]) for m in newest["matches"]] == [
        ("user", None),
        ("state", "/customer"),
    ]


def test_what_is_true_of_a_session_is_true_of_its_versions(trip: Run) -> None:
    trip.patch({"n": 1}, reasoning="cust_3084 asked again")

    found = results(trip.client, "cust_3084", kind="versions")

    assert [one["version"] for one in found] == [2, 1, 0]
    assert [[m["where"] for m in one["matches"]] for one in found] == [
        ["user", "reasoning"],
        ["user"],
        ["user"],
    ]
    assert versions(trip.client, "step-3") == [(trip.id, 1)]
    assert versions(trip.client, "cust_3084 changed:state.n") == [(trip.id, 2)]


def many(begin: Begin, count: int, **names: str) -> list[str]:
    """Begin sessions with numbered names; return them, newest first."""
    return [
        begin({}, **{key: f"{text}{n}" for key, text in names.items()}).id
        for n in range(count)
    ][::-1]


@pytest.mark.parametrize(("few", "most"), [(50, 5_000), (2, 5_000), (2, 3), (0, 0)])
@pytest.mark.parametrize("limit", [1, 3, 100])
def test_many_names_are_listed_newest_first_page_by_page(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, few: int, most: int, limit: int
) -> None:
    """However the sessions of many names are read: merged, sorted or looked through."""
    monkeypatch.setattr(identifying, "FEW", few)
    monkeypatch.setattr(identifying, "MANY", most)
    run = begin({}, agent_id="nobody")
    all_of = {
        "user_": many(begin, 5, user_id="user_"),
        "agent-": many(begin, 5, agent_id="agent-"),
        "order/": many(begin, 5, external_id="order/"),
    }
    again = begin({}, user_id="user_0").id

    for q, expected in all_of.items():
        wanted = [again, *expected] if q == "user_" else expected
        assert ids(run.client, q, limit=limit) == wanted
    assert ids(run.client, "user_0", limit=limit) == [again, all_of["user_"][-1]]


def test_a_beginning_of_too_many_says_how_it_was_looked_for(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, api: Clients, make_key: Keys
) -> None:
    monkeypatch.setattr(identifying, "FEW", 1)
    monkeypatch.setattr(identifying, "MANY", 1)
    many(begin, 3, user_id="user_")
    client = begin({}).client

    (notice,) = page(client, "user_")["notices"]

    assert "so many user ids begin with it" in notice
    limited = api(make_key(agents=["somebody"]))
    assert "user ids" not in str(page(limited, "user_")["notices"])
    assert page(client, "user_1")["notices"] == []


def test_nothing_found_says_how_far_was_looked(trip: Run) -> None:
    (notice,) = page(trip.client, "cust_9999")["notices"]

    assert notice.startswith("cust_9999: looked for in live sessions: as the id of a")
    assert "3 characters" not in notice
    assert "from 3 characters on" in page(trip.client, "zz")["notices"][0]
    assert page(trip.client, "cust_9999 zzz")["notices"] == []


def test_a_key_for_other_agents_finds_nothing_by_any_name(
    trip: Run, api: Clients, make_key: Keys
) -> None:
    limited = api(make_key(agents=["refunds"]))
    trace = trip.get("versions", 1)["trace_id"]
    for q in (
        *("cust_3084", "cust_30", "travel-agent", "trav", "booking", "step-3", "step"),
        *(trip.id, trip.id[:-1], trace, "trip-trace-9"),
    ):
        found = page(limited, q)
        assert found["data"] == [], q
        assert trip.id not in str(found["notices"]).replace(q, "")
    (own,) = page(limited, "cus%")["data"]
    assert own["matches"][0]["value"] == "cus%_3084"


def test_another_projects_names_are_not_found(
    trip: Run, api: Clients, make_key: Keys, other_project: Any
) -> None:
    theirs = api(make_key(project=other_project))
    trace = trip.get("versions", 1)["trace_id"]

    for q in ("cust_3084", "cus", "trav", "booking", "step-3", "sess_0", trace):
        assert page(theirs, q)["data"] == []


def test_expired_and_deleted_sessions_are_not_found(trip: Run) -> None:
    trip.client.delete(trip.path())

    for q in ("cust_3084", "booking-TRV-48213", "step-3", trip.id[:-1]):
        assert page(trip.client, q)["data"] == []


@pytest.mark.parametrize(
    ("text", "fits", "others"),
    [
        ("abc", ["abc", "abcd", "abc\U0010ffff\U0010ffff"], ["ab", "abd", "ABC"]),
        ("ab", ["ab"], ["abc", "a", "ab\x01"]),
        ("a%_", ["a%_", "a%_x"], ["a_%", "axx"]),
        ("ab\ud7ff", ["ab\ud7ff", "ab\ud7ffx"], ["ab\ue000"]),
        ("ab\U0010ffff", ["ab\U0010ffff", "ab\U0010ffffz"], ["ac", "abz"]),
        ("\U0010ffff" * 3, ["\U0010ffff" * 3], ["\U0010ffff" * 2, "a"]),
    ],
)
def test_the_bounds_hold_what_fits_and_nothing_else(
    text: str, fits: list[str], others: list[str]
) -> None:
    prefix = Prefix(text)

    for name in fits:
        assert prefix.fits(name)
        assert text.encode() <= name.encode() < prefix.end.encode()
    for name in others:
        assert not prefix.fits(name)
        assert not text.encode() <= name.encode() < prefix.end.encode()
