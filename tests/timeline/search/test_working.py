"""Finding sessions by their tasks and schema, by what they used, and what is open."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from apps.core.roles.names import Role
from apps.timeline.ledger.facts import tasked
from apps.timeline.search import parse_query, write_clause
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline.runs import Begin, Clients, Run, assert_refused
from tests.timeline.search.asking import ids, matches, page, versions

pytestmark = pytest.mark.django_db

TASKS = [
    {"id": 5, "title": "Book the hotel", "status": "failed"},
    {"id": "plan", "title": "Send the Plan", "status": "done"},
]


@pytest.fixture
def trip(begin: Begin) -> Run:
    return begin({"n": 1}, tasks=TASKS, schema_version="1.0.0", step_number=5)


@pytest.fixture
def other(begin: Begin) -> Run:
    return begin({"tasks": TASKS}, tasks=[{"id": 6, "title": "Book the hotel"}])


@pytest.mark.parametrize(
    "q",
    [
        "task:failed",
        "task:5",
        "task:5=failed",
        "task:PLAN=completed",
        "task:plan=done",
        'task:"send the plan"',
        'task:"book the HOTEL"=failed',
        "schema:1.0.0",
        "step:5 task:failed age<24h",
        "-schema:2.0.0 task:completed",
        "task:failed OR schema:9",
    ],
)
def test_each_word_finds_its_session(trip: Run, other: Run, q: str) -> None:
    assert ids(trip.client, q) == [trip.id]
    assert page(trip.client, q)["notices"] == []


def test_it_is_what_the_head_has(trip: Run) -> None:
    client = trip.client
    trip.send("PATCH", "tasks/5", {"status": "completed"})
    trip.patch({"n": 2}, schema_version="2.0.0")

    assert ids(client, "task:failed") == ids(client, "schema:1.0.0") == []
    assert ids(client, "task:5=completed schema:2.0.0") == [trip.id]
    assert versions(client, "task:5=completed") == [(trip.id, n) for n in (2, 1, 0)]

    trip.rollback(0)
    assert ids(client, "task:5=failed schema:1.0.0") == [trip.id]
    assert ids(client, "task:5=completed") == ids(client, "schema:2.0.0") == []
    trip.patch(tasks=[])
    assert ids(client, "task:5") == ids(client, "task:failed") == []


def test_a_fork_has_what_it_begins_with(trip: Run) -> None:
    trip.patch(tasks=[])

    fork = trip.fork(version=0)

    assert ids(trip.client, "task:5=failed schema:1.0.0") == [fork.id]


def test_a_batch_leaves_what_its_last_version_has(trip: Run) -> None:
    two = [{"tasks": [{"id": "a"}]}, {"tasks": [{"id": "b"}], "schema_version": "3"}]
    trip.post("versions", {"versions": two})

    assert ids(trip.client, "task:b=pending schema:3") == [trip.id]
    assert ids(trip.client, "task:a") == ids(trip.client, "task:5") == []


def test_without_the_part_it_is_the_list_in_the_state(begin: Begin) -> None:
    run = begin({"tasks": TASKS, "n": 1})
    client = run.client
    assert ids(client, "task:5=failed") == [run.id]
    run.patch({"n": 2})
    assert ids(client, "task:5=failed") == ids(client, "task:plan=done") == [run.id]

    run.patch({"tasks": [{"id": 5, "status": "skipped"}]})
    assert ids(client, "task:5=failed") == ids(client, "task:plan") == []
    assert ids(client, "task:5=skipped") == [run.id]
    run.put({"n": 3})
    assert ids(client, "task:5") == []
    run.rollback(1)
    assert ids(client, "task:5=failed") == [run.id]
    run.hold("pause")
    run.hold("resume")
    assert ids(run.fork().client, "task:5=failed") != [run.id]

    run.patch(tasks=[{"id": 9}])
    assert run.id not in ids(client, "task:5")
    assert ids(client, "task:9") == [run.id]
    run.patch({"tasks": None})
    assert ids(client, "task:9") == [run.id]


def test_a_match_tells_as_what_it_was_found(trip: Run) -> None:
    (found,) = matches(trip.client, "task:5=failed")

    assert found["clause"] == "task:5=failed"
    assert (found["where"], found["version"]) == ("task", None)


def test_of_a_long_list_the_first_are_found_and_it_says_so(begin: Begin) -> None:
    many = [{"id": f"t{n}"} for n in range(tasked.MOST + 1)]
    run = begin({}, tasks=many)

    assert ids(run.client, f"task:t{tasked.MOST - 1}") == [run.id]
    beyond = page(run.client, f"task:t{tasked.MOST}")
    assert beyond["data"] == []
    assert "the first 100 are searched" in beyond["notices"][0]

    run.patch(tasks=[{"id": "long", "note": "x" * tasked.LARGEST}])
    assert ids(run.client, "task:long") == []
    run.patch(tasks=many[:3])
    assert page(run.client, "task:t2")["notices"] == []


def test_what_nobody_can_name_is_passed_by(begin: Begin) -> None:
    odd = [None, True, 7, "Just a text", {"id": True, "title": ["x"]}, {"id": 10**40}]
    run = begin({}, tasks=[*odd, {"title": "x" * 300, "status": 5}])

    assert ids(run.client, 'task:"just a TEXT"=pending') == [run.id]
    assert ids(run.client, "task:7") == [run.id]
    assert ids(run.client, "task:true") == []


@pytest.mark.parametrize(
    ("q", "at", "suggestion"),
    [
        ("task:5=faild", 7, "task:…=failed"),
        ("task:", 5, None),
        ('task:" "', 5, None),
        ("task>5", 4, "task:…"),
        ("tasks:failed", 0, "task:failed"),
        ("schema_version:1", 0, "schema:1"),
        ("cost:cheap", 5, "cost>0.5 or cost>0.5USD"),
        ("cost>-1", 5, "cost>0.5 or cost>0.5USD"),
        ("tokens>5USD", 7, "tokens>1000"),
        ("cost:3..1", 5, None),
        ("cost:..", 5, None),
        ("cost:1USD..2EUR", 5, None),
        ("effect:done", 7, None),
        ("budget:reachd", 7, "budget:reached"),
        ("approval:closed", 9, None),
    ],
)
def test_what_is_not_understood_is_refused(
    api: Clients, q: str, at: int, suggestion: str | None
) -> None:
    answer = api().get("/v1/search", {"q": q})

    assert_refused(answer, 400, "invalid_request", "q")
    assert answer.body["error"]["position"] == at
    assert answer.body["error"]["suggestion"] == suggestion


@pytest.mark.parametrize(
    "q",
    [
        "task:failed",
        'task:"failed"',
        'task:"a b"=pending',
        "schema:2.0.0",
        "cost>0.5",
        "cost<=3USD",
        "cost:0.1..2EUR",
        "tokens:5..9",
        "effect:owed",
        "budget:warned",
    ],
)
def test_what_is_written_is_read_alike(q: str) -> None:
    (clause,) = parse_query(q, now=timezone.now()).clauses

    assert write_clause(clause) == q


@pytest.fixture
def spenders(begin: Begin) -> list[Run]:
    """Sessions that used 1.5 USD, 4 USD, 2 EUR, and nothing that they say."""
    made = [begin({}) for _ in range(4)]
    for run, costs, currency in (
        (made[0], ["0.5", "1"], "USD"),
        (made[1], ["4.00"], "USD"),
        (made[2], ["2"], "EUR"),
    ):
        for cost in costs:
            run.turn(
                usage={"cost": cost, "currency": currency, "input_tokens": 100},
            )
    made[3].turn()
    return made


@pytest.mark.parametrize(
    ("q", "wanted"),
    [
        ("cost>1.5", [1, 2]),
        ("cost>=1.5", [0, 1, 2]),
        ("cost>=1.5USD", [0, 1]),
        ("cost:1..2", [0, 2]),
        ("cost:2EUR", [2]),
        ("cost<2", [0]),
        ("tokens>100", [0]),
        ("tokens:100", [1, 2]),
        ("-cost>0", [3]),
        ("cost:..2EUR cost>0", [2]),
    ],
)
def test_sessions_are_found_by_what_they_used(
    spenders: list[Run], q: str, wanted: list[int]
) -> None:
    found = page(spenders[0].client, q)

    expected = [spenders[n].id for n in wanted]
    assert sorted(one["session_id"] for one in found["data"]) == sorted(expected)
    assert "the newest sessions were looked through" in found["notices"][0]


def test_what_was_used_is_told(spenders: list[Run]) -> None:
    (found,) = matches(spenders[0].client, "cost>3USD")

    assert (found["where"], found["value"]) == ("cost", "4 USD")


def test_sessions_of_others_are_not_found(
    trip: Run, spenders: list[Run], api: Clients, make_key: Any
) -> None:
    stranger = api(make_key(agents=["another"]))

    for q in ("task:failed", "schema:1.0.0", "cost>0", "tokens>0"):
        assert ids(stranger, q) == []


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_makes_what_the_writes_made(trip: Run, begin: Begin) -> None:
    trip.send("PATCH", "tasks/5", {"status": "skipped"})
    listing = begin({"tasks": TASKS})
    project_all()
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("DELETE FROM timeline_term")
        cursor.execute(
            "INSERT INTO timeline_unsearched (session_id, project_id)"
            " SELECT id, project_id FROM timeline_session"
        )
    assert ids(trip.client, "task:5=skipped") == []

    call_command("rebuild_search")

    assert ids(trip.client, "task:5=skipped schema:1.0.0") == [trip.id]
    assert ids(trip.client, "task:5=failed") == [listing.id]


def test_an_objective_is_carried_until_another_is_named(begin: Begin) -> None:
    run = begin({"n": 0}, schema_version="1.0.0", objective_status="Researching")
    run.patch({"n": 1})
    run.turn(state_after={"n": 2})
    run.put({"n": 3}, objective_status="Writing", schema_version="2.0.0")
    run.hold("pause")
    run.hold("resume")
    run.rollback(1)

    told = [run.get("versions", n) for n in range(7)]
    assert [one["objective_status"] for one in told] == [
        *["Researching"] * 3,
        *["Writing"] * 3,
        "Researching",
    ]
    assert [one["schema_version"] for one in told] == [
        *["1.0.0"] * 3,
        *["2.0.0"] * 3,
        "1.0.0",
    ]
    fork = run.fork(version=4)
    assert fork.get("versions", 0)["objective_status"] == "Writing"
    call_command("verify", "--session", run.id)


def test_an_objective_that_asks_for_a_person_is_answered_by_the_next_write(
    begin: Begin,
) -> None:
    run = begin({"n": 0}, objective_status="WAITING_FOR_APPROVAL")

    run.patch({"n": 1})

    assert run.get("versions", 1)["objective_status"] is None
    assert ids(run.client, "status:waiting") == []
    assert run.fork(version=0).get("versions", 0)["objective_status"] is None


def test_facets_say_what_the_sessions_share_and_how_far_they_looked(
    trip: Run, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    trip.turn(usage={"cost": "2.5", "currency": "USD"})
    begin({}, tasks=[{"id": 1, "status": "failed"}])
    trip.post("effects", {"key": "a", "tool": "pay", "arguments": {}})
    client = trip.client

    facets = page(client, "", include_facets="true")["facets"]

    assert (facets["counted"], facets["is_all"]) == (2, True)
    found = {one["term"]: one["count"] for one in facets["data"]}
    assert found == {
        "schema:1.0.0": 1,
        "task:failed": 2,
        "task:completed": 1,
        "cost>1USD": 1,
        "cost>0.1USD": 1,
        "cost>0.01USD": 1,
        "effect:begun": 1,
    }
    for term, count in found.items():
        assert len(ids(client, term)) == count
    assert "facets" not in page(client, "")

    monkeypatch.setattr("apps.timeline.api.search.COUNTED", 1)
    facets = page(client, "task:failed", include_facets="true")["facets"]
    assert (facets["counted"], facets["is_all"]) == (1, False)


def test_versions_have_no_facets(trip: Run) -> None:
    asked = {"q": "", "kind": "versions", "include_facets": "true"}

    answer = trip.client.get("/v1/search", asked)

    assert_refused(answer, 400, "invalid_request", "include_facets")


def test_what_is_open_is_found(trip: Run, other: Run) -> None:
    client = trip.client
    effect = trip.post("effects", {"key": "a", "tool": "pay", "arguments": {}})
    assert ids(client, "effect:begun") == [trip.id]
    finish = f"effects/{effect['id']}/finish"
    trip.post(finish, {"attempt": 1, "status": "unknown"})
    assert ids(client, "effect:unknown") == [trip.id]
    assert ids(client, "effect:begun") == []
    trip.post(finish, {"attempt": 1, "status": "done", "result": {}})
    assert ids(client, "effect:unknown") == []

    trip.patch({"n": 2})
    trip.post("effects", {"key": "b", "tool": "pay", "arguments": {}})
    asked = other.post("approvals", {"tool": "pay", "arguments": {}, "key": "pay"})
    assert asked["status"] == "pending"
    assert ids(client, "approval:open") == [other.id]


def test_what_a_rollback_owes_is_found(trip: Run) -> None:
    trip.patch({"n": 2})
    effect = trip.post("effects", {"key": "a", "tool": "pay", "arguments": {}})
    finish = f"effects/{effect['id']}/finish"
    trip.post(finish, {"attempt": 1, "status": "done", "result": {}})
    assert ids(trip.client, "effect:owed") == []

    trip.rollback(0)

    assert ids(trip.client, "effect:owed") == [trip.id]
    trip.post(f"effects/{effect['id']}/compensation", {"status": "done"})
    assert ids(trip.client, "effect:owed") == []
