"""Bisect: which versions turned a check, over the API."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.timeline.models import Session, Version
from tests.timeline.bisect.asking import LOST, bisect, flips, place
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def test_every_flip_is_told_the_newest_first(trip: Run) -> None:
    found = bisect(trip)

    assert flips(found) == [(5, False), (4, True), (2, False)]
    assert (found["first_bad"]["version"], found["last_good"]["version"]) == (2, 4)
    assert (found["exact"], found["flip_count"], found["has_more"]) == (True, 3, False)
    assert found["covered"] == {"first": place(trip, 0), "last": place(trip, 6)}


def test_or_the_oldest_first(trip: Run) -> None:
    found = bisect(trip, order="oldest")

    assert flips(found) == [(2, False), (4, True), (5, False)]


def test_only_versions_that_touched_the_place_are_looked_into(trip: Run) -> None:
    found = bisect(trip)

    assert [one["version"] for one in found["looked_at"]] == [0, 2, 4, 5]
    assert (found["looked_into"], found["candidates"]) == (4, 4)
    assert (found["versions"], found["untouched"]) == (7, 3)
    assert found["whole_state"] is False


def test_a_flip_tells_who_wrote_it_when_and_why(trip: Run) -> None:
    *_, first = bisect(trip)["data"]

    assert first["reasoning"] == "The tool failed."
    assert (first["release"], first["model"]) == ("1.8.1", None)
    assert first["actor"]["kind"] == "key"
    assert (first["op"], first["turn"]) == ("update", None)
    assert (first["was"], first["outcome"]) == ("holds", "fails")
    assert (first["after"], first["certain"]) == (place(trip, 1), True)
    made = Version.objects.get(session_id=trip.id, number=2)
    assert first["created_at"] == trip.get("versions", 2)["created_at"]
    assert first["trace_id"] == made.trace_id


def test_a_flip_names_the_turn_that_made_it(begin: Begin) -> None:
    run = begin({"total": 1})
    turn = run.turn(state_after={"total": 2_000}, reasoning="She said two thousand.")

    (found,) = bisect(run, "state.total<=1500")["data"]

    assert found["version"] == 1
    assert found["turn"]["id"] == turn["id"]
    assert found["turn"]["reasoning"] == "She said two thousand."


def test_ends_that_agree_do_not_hide_what_is_between(begin: Begin) -> None:
    run = begin({"total": 1})
    run.patch({"total": 2_000})
    run.patch({"total": 2})

    found = bisect(run, "state.total<=1500")

    assert (found["first"]["holds"], found["last"]["holds"]) == (True, True)
    assert flips(found) == [(2, True), (1, False)]


def test_a_check_that_never_turned_has_no_flip(trip: Run) -> None:
    found = bisect(trip, "state.step<100")

    assert (found["data"], found["exact"]) == ([], True)
    assert found["first_bad"] is None
    assert found["last_good"] == place(trip, 6) | {"outcome": "holds", "holds": True}


def test_a_place_that_was_never_there_is_no_error(trip: Run) -> None:
    found = bisect(trip, "there:state.nothing.at.all")

    assert (found["data"], found["exact"]) == ([], True)
    assert found["first_bad"] == place(trip, 0) | {"outcome": "fails", "holds": False}
    assert (found["last_good"], found["candidates"]) == (None, 1)


def test_a_check_may_be_json(trip: Run) -> None:
    check = {"not": {"test": "in", "place": "state/destination", "values": [None]}}

    found = bisect(trip, check)

    assert found["check"] == "NOT state.destination IN [null]"
    assert found["pointers"] == ["/destination"]
    assert len(flips(found)) == 3


def test_a_part_of_a_history_is_looked_through(trip: Run) -> None:
    found = bisect(trip, **{"from": 2, "to": 4})

    assert flips(found) == [(4, True)]
    assert found["first"] == place(trip, 2) | {"outcome": "fails", "holds": False}
    assert found["last"] == place(trip, 4) | {"outcome": "holds", "holds": True}
    assert found["versions"] == 3


def test_one_version_is_a_history_as_well(trip: Run) -> None:
    found = bisect(trip, **{"from": 2, "to": 2})

    assert (found["data"], found["versions"], found["exact"]) == ([], 1, True)


def test_a_check_of_the_whole_state_says_so(begin: Begin) -> None:
    run = begin({"a": 1})
    run.patch({"a": 2})
    run.patch({"b": 1})
    run.hold("pause")
    run.hold("resume")

    found = bisect(run, "size:state=1")

    assert flips(found) == [(2, False)]
    # What changed nothing cannot have turned it.
    assert (found["whole_state"], found["candidates"]) == (True, 3)


def test_the_version_before_may_turn_a_check(begin: Begin) -> None:
    run = begin({"step": 0})
    run.patch({"step": 5})
    run.patch({"other": 1})
    run.patch({"step": 6})

    found = bisect(run, "state.step>was.step", order="oldest")

    assert flips(found) == [(1, True), (2, False), (3, True)]


def test_what_is_undecided_is_no_pass(begin: Begin) -> None:
    run = begin({"items": [1]})
    run.patch({"items": list(range(600_000))})
    run.patch({"items": [1]})

    found = bisect(run, "unique:state.items", order="oldest")

    assert flips(found) == [(1, None), (2, True)]
    assert found["data"][0]["outcome"] == "undecided"
    assert found["first_bad"]["version"] == 1
    assert found["first_bad"]["holds"] is None


def test_what_is_in_a_list_is_found_by_the_lists_own_row(begin: Begin) -> None:
    run = begin({"items": [{"id": "a", "n": 1}, {"id": "b", "n": 9}]})
    run.patch({"other": 1})
    run.put({"items": [{"id": "b", "n": 9}, {"id": "a", "n": 1}], "other": 1})

    found = bisect(run, "state.items.0.n=1")

    assert flips(found) == [(2, False)]
    assert found["candidates"] == 2


def test_what_an_append_could_not_list_is_looked_into(begin: Begin) -> None:
    run = begin({"many": {}, "total": 1})
    wide = {f"k{n}": n for n in range(400)}
    run.put({"many": wide, "total": 1, "z": {"last": 1}})
    run.put({"many": {}, "total": 1, "z": {"last": 2}})

    assert Version.objects.get(session_id=run.id, number=2).changes_truncated
    assert flips(bisect(run, "state.z.last=1")) == [(2, False), (1, True)]


def test_what_was_set_aside_is_passed_by(trip: Run) -> None:
    trip.rollback(1)

    live, every = bisect(trip), bisect(trip, lineage="all", order="oldest")

    assert (live["data"], live["exact"], live["versions"]) == ([], True, 3)
    assert (live["set_aside"], live["candidates"]) == (5, 1)
    assert flips(every) == [(2, False), (4, True), (5, False), (7, True)]
    assert [one["set_aside_by"] for one in every["data"]] == [7, 7, 7, None]


def test_the_way_that_led_to_a_version_set_aside_is_the_one_of_then(trip: Run) -> None:
    trip.rollback(1)

    assert flips(bisect(trip, to=5)) == [(5, False), (4, True), (2, False)]


def test_flips_come_page_by_page(trip: Run) -> None:
    for order, expected in (("newest", [5, 4, 2]), ("oldest", [2, 4, 5])):
        told: list[int] = []
        more: dict[str, Any] = {}
        while True:
            found = bisect(trip, order=order, limit=1, **more)
            told += [one["version"] for one in found["data"]]
            if not found["has_more"]:
                break
            more = {"starting_after": found["next"]}
        assert told == expected


@pytest.mark.parametrize(
    ("check", "position"),
    [("state.total", 11), ("total<5", 0), ("state.a=1 OR b", 13), ("", 0)],
)
def test_a_check_that_cannot_be_read_is_refused_at_its_place(
    trip: Run, check: str, position: int
) -> None:
    answer = trip.client.post(trip.path("bisect"), {"check": check})

    assert_refused(answer, 400, "invalid_request", "check")
    assert answer.body["error"]["position"] == position


@pytest.mark.parametrize("check", [None, 5, ["state.a=1"], {"test": "?"}])
def test_what_is_no_check_is_refused(trip: Run, check: Any) -> None:
    answer = trip.client.post(trip.path("bisect"), {"check": check})

    assert_refused(answer, 400, "invalid_request", "check")


def test_without_a_check_it_is_refused(trip: Run) -> None:
    assert_refused(
        trip.client.post(trip.path("bisect"), {}), 400, "invalid_request", "check"
    )


def test_a_check_that_is_too_long_is_refused(trip: Run) -> None:
    check = {"any": [{"test": "there", "place": "state/" + "x" * 400}] * 20}

    answer = trip.client.post(trip.path("bisect"), {"check": check})

    assert_refused(answer, 400, "invalid_request", "check")


@pytest.mark.parametrize(
    ("asked", "param"),
    [({"from": 5, "to": 4}, "from"), ({"to": 7}, "to"), ({"from": 7}, "from")],
)
def test_versions_that_there_are_none_of_are_refused(
    trip: Run, asked: dict[str, int], param: str
) -> None:
    body = {"check": LOST, **asked}

    answer = trip.client.post(trip.path("bisect"), body)

    assert_refused(answer, 422, "unacceptable_range", param)
    assert answer.body["error"]["head"] == 6


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("from", one) for one in (-1, "1", 1.0, True)),
        *(("limit", one) for one in (0, 201)),
        *(("lineage", one) for one in ("", "dead", 1)),
        ("order", "up"),
        *(("starting_after", one) for one in ("", "x", "e30=", "W10=", "x" * 501)),
    ],
)
def test_what_cannot_be_is_refused_by_name(trip: Run, name: str, value: Any) -> None:
    body = {"check": LOST, name: value}

    answer = trip.client.post(trip.path("bisect"), body)

    assert_refused(answer, 400, "invalid_request", name)


def test_a_place_of_another_session_is_nowhere_to_go_on_from(
    trip: Run, begin: Begin
) -> None:
    other = begin({"destination": "NYC"})
    other.patch({"destination": None})
    other.patch({"destination": "LAX"})
    more = bisect(other, limit=1)["next"]
    body = {"check": LOST, "starting_after": more}

    answer = trip.client.post(trip.path("bisect"), body)

    assert_refused(answer, 400, "invalid_request", "starting_after")


def test_a_field_that_nobody_knows_is_refused(trip: Run) -> None:
    body = {"check": LOST, "version": 1}

    answer = trip.client.post(trip.path("bisect"), body)

    assert_refused(answer, 400, "unknown_field", "version")


def test_it_is_asked_by_post(trip: Run) -> None:
    answer = trip.client.get(trip.path("bisect"))

    assert_refused(answer, 405, "method_not_allowed")


def test_a_key_that_only_reads_may_ask(
    trip: Run, api: Clients, make_key: Keys, project: Project
) -> None:
    before = Session.objects.get(id=trip.id).head_number
    reader = Run(api(make_key(project=project, scope="read")), trip.made)

    assert len(bisect(reader)["data"]) == 3
    assert Session.objects.get(id=trip.id).head_number == before


def test_a_stranger_nobody_and_an_unknown_id(
    trip: Run, api: Clients, make_key: Keys, other_project: Project
) -> None:
    body = {"check": LOST}
    stranger = api(make_key(project=other_project))

    assert_refused(stranger.post(trip.path("bisect"), body), 404, "session_not_found")
    assert_refused(
        api(None).post(trip.path("bisect"), body), 401, "authentication_failed"
    )
    unknown = "/v1/sessions/sess_0000000000000000000000000x/bisect"
    assert_refused(trip.client.post(unknown, body), 404, "session_not_found")


def test_a_session_that_was_deleted_is_not_found(trip: Run) -> None:
    trip.client.send("DELETE", trip.path())

    answer = trip.client.post(trip.path("bisect"), {"check": LOST})

    assert_refused(answer, 404, "session_not_found")
