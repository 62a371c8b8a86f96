"""Searching sessions: each clause alone, all combined, and why each was found."""

from typing import Any

import pytest

from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused
from tests.timeline.search.asking import ids, matches, page, pages, results, versions

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(begin: Begin) -> Run:
    """An order that was open, then refunded, then rolled back to open."""
    made = begin(
        {"order": {"id": "A-17", "total": 17}, "status": "open"},
        user_id="u_17",
        external_id="order-17",
    )
    made.patch({"status": "refunded"}, reasoning="The customer insisted")
    made.rollback(0)
    return made


@pytest.fixture
def other(begin: Begin) -> Run:
    """Another session, which no clause about the order meets."""
    return begin({"order": {"id": "A-18", "total": "17"}, "status": "closed"})


@pytest.mark.parametrize(
    "q",
    [
        'state.order.id="A-17"',
        "state.order.id:A-17",
        "state.order.total=17",
        "now:A-17",
        "ever:A-17",
        "ever:refunded",
        "ever:state.status=refunded",
        "changed:state.status",
        "user:u_17",
        "external:order-17",
        "rolled-back:yes",
        "rolled-back:yes created>0001-01-01 created<9999-12-31 age<1h",
        "words:insisted",
        '"customer INSISTED"',
        "insisted",
        "A-17",
        "refunded",
        "state.status=open",
        'state.order.id="A-17" ever:state.status=refunded rolled-back:yes insisted',
    ],
)
def test_each_clause_finds_its_session(order: Run, other: Run, q: str) -> None:
    if q == "changed:state.status":
        other = other.fork()  # a fork has held it, and has not changed it
        assert other.id not in ids(order.client, q)
        assert order.id in ids(order.client, q)
        return
    assert ids(order.client, q) == [order.id]


@pytest.mark.parametrize(
    "q",
    [
        "state.status=refunded",
        'state.order.total="18"',
        "state.order=17",
        "ever:state.order.id=refunded",
        "changed:state.nothing",
        "user:u_18",
        "external:order-18",
        "label:known-good",
        "flag:null",
        "words:unheard",
        "forked:yes",
        "status:deleted",
        "agent:nobody",
        "trace:none",
        "session:none",
        "created<2020-01-01",
        "ever:refunded state.status=closed",
        "' OR 1=1 --",
        "%_%",
        "\\\\x00",
        "';DROP",
    ],
)
def test_it_finds_nothing_where_nothing_is(order: Run, other: Run, q: str) -> None:
    assert ids(order.client, q) == []


def test_a_number_is_not_its_text_unless_either_will_do(order: Run, other: Run) -> None:
    client = order.client

    assert ids(client, "state.order.total=17") == [order.id]
    assert ids(client, 'state.order.total="17"') == [other.id]
    assert ids(client, "state.order.total:17") == [other.id, order.id]
    assert ids(client, "state.order.total=17.0") == [order.id]
    assert ids(client, "now:17") == [other.id, order.id]
    assert ids(client, 'ever:"17"') == [other.id]


@pytest.mark.parametrize(
    ("state", "q"),
    [
        ({"v": True}, "state.v=true"),
        ({"v": None}, "state.v=null"),
        ({"v": 0}, "state.v=0"),
        ({"v": -0.0}, "state.v=0"),
        ({"v": 10**40}, f"state.v={10**40}"),
        ({"v": "a\x00b"}, 'state.v="a\\u0000b"'),
        ({"v": "ü"}, "state.v=ü"),
        ({"a/b": {"c~d": 1}}, "/a~1b/c~0d=1"),
    ],
)
def test_values_are_found_as_they_are(begin: Begin, state: Any, q: str) -> None:
    others = [begin({"v": one}) for one in (1, "1", False, "true", "null", "a␀b")]
    run = begin(state)

    assert ids(run.client, q) == [run.id]
    assert run.id in ids(run.client, f"ever:{q}".replace("ever:/", "ever:/"))
    assert len(others) == 6


def test_what_is_held_again_after_a_rollback_is_held_now(order: Run) -> None:
    assert ids(order.client, "state.status=open") == [order.id]
    assert ids(order.client, "state.status=refunded") == []
    order.rollback(1)
    assert ids(order.client, "state.status=refunded") == [order.id]
    assert ids(order.client, "state.status=open") == []
    assert ids(order.client, "ever:state.status=open") == [order.id]


def test_what_turned_from_one_type_to_another_is_found_by_the_new(begin: Begin) -> None:
    run = begin({"v": 1})
    run.patch({"v": True})

    assert ids(run.client, "state.v=true") == [run.id]
    assert ids(run.client, "state.v=1") == []
    assert ids(run.client, "ever:state.v=1") == [run.id]


def test_a_fork_holds_what_it_was_begun_with(order: Run) -> None:
    fork = order.fork(version=1)

    assert ids(order.client, "state.status=refunded") == [fork.id]
    assert ids(order.client, "ever:state.status=refunded") == [fork.id, order.id]
    assert ids(order.client, "ever:A-17 forked:yes") == [fork.id]
    assert ids(order.client, "ever:A-17 forked:no") == [order.id]
    assert ids(order.client, "changed:state.status forked:yes") == []
    fork.patch({"status": "lost"})
    assert ids(order.client, "state.status=refunded") == []
    assert ids(order.client, "ever:refunded") == [fork.id, order.id]


def test_sub_graphs_are_found_by_the_session_they_name(
    order: Run, other: Run, begin: Begin, api: Clients, make_key: Keys, project: Any
) -> None:
    children = [
        begin({"step": number}, metadata={"parent_session_id": order.id, "n": number})
        for number in range(3)
    ]
    begin({"step": 3}, metadata={"parent_session_id": "somebody", "of": order.id})
    newest_first = [one.id for one in reversed(children)]
    client = order.client

    assert ids(client, f"parent:{order.id}") == newest_first
    assert ids(client, f"parent:{order.id}", limit=1) == newest_first
    assert ids(client, f"parent:{order.id} state.step=1") == [children[1].id]
    assert ids(client, f"state.step=1 parent:{order.id}") == [children[1].id]
    assert ids(client, f"parent:{other.id}") == []
    limited = api(make_key("read", agents=["nobody"]))
    assert ids(limited, f"parent:{order.id}") == []


def test_a_sub_graph_of_another_project_is_not_found(
    order: Run, begin: Begin, api: Clients, make_key: Keys, other_project: Any
) -> None:
    stranger = api(make_key(project=other_project))
    theirs = begin(client=stranger, metadata={"parent_session_id": order.id})

    assert ids(order.client, f"parent:{order.id}") == []
    assert ids(stranger, f"parent:{order.id}") == [theirs.id]


def test_a_large_fork_is_found_by_what_had_no_room(begin: Begin) -> None:
    run = begin({f"k{n}": n for n in range(400)})
    fork = run.fork(state={"k1": "changed"})

    for q in ("state.k399=399", "ever:state.k399=399", "ever:399", "now:399"):
        assert ids(run.client, q) == [fork.id, run.id]
    assert ids(run.client, "changed:state.k1") == [], "both began with it"
    fork.patch({"k1": "again"})
    assert ids(run.client, "changed:state.k1") == [fork.id]


def test_a_version_with_too_many_changes_is_looked_into(begin: Begin) -> None:
    run = begin({"a": 1})
    run.patch({f"k{n}": n for n in range(400)})
    run.put({"a": 2})

    assert ids(run.client, "ever:state.k390=390") == [run.id]
    assert ids(run.client, "ever:390") == [run.id]
    assert ids(run.client, "state.k390=390") == []
    assert ids(run.client, "ever:state.k390=391") == []
    assert ids(run.client, "changed:state.k390") == [run.id]
    assert ids(run.client, "changed:state.k999") == []


def test_items_are_found_by_position_and_by_id(begin: Begin) -> None:
    run = begin({"items": [{"id": "x", "qty": 1}, {"id": "y", "qty": 2}]})
    run.patch({"items": [{"id": "y", "qty": 3}, {"id": "x", "qty": 1}]})
    client = run.client

    assert ids(client, "state.items.0.qty=3") == [run.id]
    assert ids(client, "/items/y/qty=3") == [run.id]
    assert ids(client, 'state.items."id=y".qty=3') == [run.id]
    assert ids(client, "/items/y/qty=2") == []
    assert ids(client, "ever:/items/y/qty=2") == [run.id]
    assert ids(client, "ever:/items/x/qty=2") == []
    assert ids(client, "changed:/items/y/qty") == [run.id]
    assert ids(client, "changed:state.items") == [run.id]


def test_unkeyed_items_are_found_by_position(begin: Begin) -> None:
    run = begin({"tags": ["a", "b"]})
    run.patch({"tags": ["a", "c"]})

    assert ids(run.client, "state.tags.1=c") == [run.id]
    assert ids(run.client, "ever:state.tags.1=b") == [run.id]
    assert ids(run.client, "changed:state.tags.1") == [run.id]


def test_a_long_value_is_looked_for_in_heads_and_refused_in_the_past(
    begin: Begin, run: Run
) -> None:
    long = "x" * 300
    holder = begin({"note": long})

    assert ids(run.client, f"state.note={long}") == [holder.id]
    assert page(run.client, f"state.note={long}")["notices"]
    answer = run.client.get("/v1/search", {"q": f"ever:state.note={long}"})
    assert_refused(answer, 400, "invalid_request", "q")


def test_flags_labels_and_traces_are_found(run: Run) -> None:
    run.patch({"city": None}, trace_id="t-1")
    run.send("POST", "versions/2/labels", {"label": "known-good"})
    turn = run.turn("Book it", "Booked!", trace_id="t-2")
    client = run.client

    assert ids(client, "flag:null") == [run.id]
    assert ids(client, "label:known-good") == [run.id]
    assert ids(client, "words:known") == [run.id]
    assert ids(client, "trace:t-1") == ids(client, "trace:t-2") == [run.id]
    assert ids(client, "booked") == [run.id]
    assert versions(client, "flag:null") == [(run.id, 3)]
    assert versions(client, "label:known-good") == [(run.id, 2)]
    assert versions(client, "trace:t-1") == [(run.id, 3)]
    (why,) = matches(client, "words:booked")
    assert (why["where"], why["turn_number"]) == ("turn", turn["turn_number"])
    assert why["version"] == 3


def test_a_label_that_was_taken_away_is_not_found(run: Run) -> None:
    for number in (1, 2):
        run.send("POST", f"versions/{number}/labels", {"label": "good"})
    run.client.delete(run.path("versions", 1, "labels", "good"))

    assert ids(run.client, "label:good") == [run.id]
    assert versions(run.client, "label:good") == [(run.id, 2)]
    run.client.delete(run.path("versions", 2, "labels", "good"))
    assert ids(run.client, "label:good") == ids(run.client, "words:good") == []


def test_a_trace_that_nobody_chose_is_found(run: Run) -> None:
    trace_id = run.get("versions")["data"][0]["trace_id"]

    assert ids(run.client, f"trace:{trace_id}") == [run.id]


def test_every_result_says_why(order: Run) -> None:
    q = 'state.order.id="A-17" ever:refunded changed:state.status insisted user:u_17'
    why = {match["clause"]: match for match in matches(order.client, q)}

    assert len(why) == 5
    now = why['state.order.id="A-17"']
    assert (now["where"], now["version"], now["pointer"]) == ("head", 2, "/order/id")
    assert now["value"] == "A-17"
    ever = why["ever:refunded"]
    assert (ever["version"], ever["pointer"], ever["value"]) == (
        1,
        "/status",
        "refunded",
    )
    assert why["changed:state.status"]["version"] == 2
    assert (why["insisted"]["where"], why["insisted"]["version"]) == ("reasoning", 1)
    assert why["user:u_17"]["version"] is None


def test_versions_meet_the_clauses_about_versions_together(order: Run) -> None:
    client = order.client

    assert versions(client, "changed:state.status") == [(order.id, 2), (order.id, 1)]
    assert versions(client, "ever:refunded") == [(order.id, 1)]
    assert versions(client, "ever:refunded insisted") == [(order.id, 1)]
    assert versions(client, "ever:open insisted") == []
    assert versions(client, "rolled-back:yes") == [(order.id, 2)]
    assert versions(client, "user:u_17", limit=1) == [
        (order.id, 2),
        (order.id, 1),
        (order.id, 0),
    ]
    assert versions(client, "changed:state.status", limit=1) == [
        (order.id, 2),
        (order.id, 1),
    ]


WHY = {"reasoning": "He asked for it."}


def test_what_says_no_reason_is_found(begin: Begin) -> None:
    said, blank, none = (begin({"n": 0}) for _ in range(3))
    said.patch({"n": 1}, **WHY)
    blank.patch({"n": 1}, reasoning=" \t\n")
    blank.put({"n": 2})
    none.patch({"n": 1}, **WHY)
    none.put({"n": 2})
    none.patch({"n": 3}, **WHY)

    assert ids(none.client, "reasoned:no") == [none.id, blank.id]
    assert ids(none.client, "-reasoned:no") == [said.id]
    found = versions(none.client, "reasoned:no")
    assert found == [(none.id, 2), (blank.id, 2), (blank.id, 1)]
    by_replacing = versions(none.client, "reasoned:no op:replace")
    assert by_replacing == [(none.id, 2), (blank.id, 2)]


def test_rollbacks_without_a_reason_are_found(begin: Begin) -> None:
    said, undone, none = (begin({"n": 0}) for _ in range(3))
    for one in (said, undone, none):
        one.patch({"n": 1}, **WHY)
    said.rollback(0, reason="It was wrong.")
    undone.rollback(0, reason="It was wrong.")
    undone.post("undo", {})
    none.rollback(0)
    none.post("undo", {})

    client = none.client
    assert ids(client, "rolled-back:unreasoned") == [none.id]
    assert versions(client, "rolled-back:unreasoned") == [(none.id, 2)]
    assert versions(client, "reasoned:no op:rollback") == [(none.id, 2)]
    (match,) = page(client, "rolled-back:unreasoned")["data"][0]["matches"]
    assert (match["where"], match["version"]) == ("unreasoned", 2)


def test_holds_and_beginnings_need_no_reason(begin: Begin) -> None:
    made = begin({"n": 0})
    made.hold("pause")
    made.hold("resume")
    fork = made.fork(version=0)

    assert ids(fork.client, "reasoned:no") == []


def test_pages_hold_while_sessions_are_added(begin: Begin) -> None:
    made = [begin({"status": "open"}) for _ in range(7)]
    client = made[0].client
    first = page(client, "state.status=open", limit=3)
    begin({"status": "open"})
    made[1].patch({"status": "open", "step": 1})

    rest = ids(client, "state.status=open", limit=3, starting_after=first["next"])

    seen = [one["session_id"] for one in first["data"]] + rest
    assert seen == [run.id for run in reversed(made)]


def test_a_page_that_ends_with_the_last_result_has_no_next(begin: Begin) -> None:
    for _ in range(3):
        run = begin({"status": "open"})

    assert [len(one["data"]) for one in pages(run.client, "open", limit=3)] == [3]


def test_a_page_that_has_looked_at_enough_goes_on_from_there(
    begin: Begin, monkeypatch: Any
) -> None:
    monkeypatch.setattr("apps.timeline.search.finder.MOST_LOOKED_AT", 4)
    monkeypatch.setattr("apps.timeline.search.finder.PROBED", 2)
    wanted = begin({"status": "open"}, user_id="u_1")
    for _ in range(9):
        begin({"status": "open"})

    found = pages(wanted.client, "state.status=open updated>2020-01-01 rolled-back:no")

    assert len(found) > 1
    assert sum(len(one["data"]) for one in found) == 10
    assert any("looked at" in notice for notice in found[0]["notices"])


def test_a_page_that_may_look_into_no_more_states_goes_on_from_there(
    begin: Begin, monkeypatch: Any
) -> None:
    monkeypatch.setattr("apps.timeline.search.states.MOST_STATES", 2)
    long = "x" * 300
    made = [begin({"note": long if n % 2 else "short"}) for n in range(6)]

    found = results(made[0].client, f"state.note={long}")

    assert [one["session_id"] for one in found] == [made[n].id for n in (5, 3, 1)]


@pytest.mark.parametrize("common", [-1, 0, 1_000_000])
def test_words_page_however_common_they_are(
    begin: Begin, monkeypatch: Any, common: int
) -> None:
    monkeypatch.setattr("apps.timeline.search.conditions.wording.COMMON", common)
    made = [begin({"n": n}) for n in range(5)]
    for run in made[:3]:
        run.patch({"n": -1}, reasoning="Said the same word")
        run.turn("The same word", "Again, and the same")

    found = ids(made[0].client, "words:same", limit=1)
    assert found == [run.id for run in reversed(made[:3])]
    assert ids(made[0].client, "same now:-1", limit=2) == found
    assert len(versions(made[0].client, "words:same", limit=1)) == 3


def test_deleted_and_expired_sessions_are_not_found(begin: Begin, run: Run) -> None:
    gone = begin({"city": "NYC"})
    gone.client.delete(gone.path())
    old = begin({"city": "NYC"}, ttl_seconds=3600)
    expire(old)

    assert ids(run.client, "state.city=NYC") == [run.id]
    assert ids(run.client, "ever:NYC") == [run.id]
    assert ids(run.client, f"session:{gone.id}") == []


def test_it_finds_nothing_of_another_project(
    run: Run, begin: Begin, api: Clients, make_key: Keys, other_project: Any
) -> None:
    stranger = api(make_key(project=other_project))
    theirs = begin({"city": "NYC"}, client=stranger, external_id="x")
    theirs.patch({"city": "NYC", "n": 1}, reasoning="Secret plans", trace_id="t")

    assert ids(run.client, "state.city=NYC") == [run.id]
    for q in ("secret", "trace:t", "external:x", f"session:{theirs.id}", "state.n=1"):
        assert ids(run.client, q) == []
    assert ids(stranger, "ever:NYC") == [theirs.id]


def test_it_finds_no_session_of_another_project_by_its_id(
    begin: Begin, api: Clients, make_key: Keys, other_project: Any
) -> None:
    theirs = begin(client=api(make_key(project=other_project)))
    # More than one, so that the id leads the search.
    made = [begin() for _ in range(3)]
    client = made[0].client

    assert ids(client, f"session:{theirs.id}") == []
    assert ids(theirs.client, f"session:{theirs.id}") == [theirs.id]


def test_a_key_for_some_agents_finds_their_sessions(
    run: Run, api: Clients, make_key: Keys
) -> None:
    limited = api(make_key("read", agents=["billing"]))

    assert ids(limited, "state.city=NYC") == ids(limited, "") == []
    assert ids(limited, "agent:travel") == []
    assert ids(api(make_key("read", agents=["travel"])), "NYC") == [run.id]


def test_without_a_query_it_finds_all(run: Run, other: Run) -> None:
    assert ids(run.client, "") == [other.id, run.id]


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"q": "colour:red"}, "q"),
        ({"q": "x" * 3000}, "q"),
        ({"q": 'words:"!!!"'}, "q"),
        ({"kind": "turns"}, "kind"),
        ({"limit": "0"}, "limit"),
        ({"starting_after": "sess_1"}, "starting_after"),
        ({"starting_after": "x' OR 1"}, "starting_after"),
    ],
)
def test_it_refuses_what_it_does_not_understand(
    api: Clients, query: Any, param: str
) -> None:
    assert_refused(api().get("/v1/search", query), 400, "invalid_request", param)


def test_it_wants_a_key_and_a_get(api: Clients, make_key: Keys) -> None:
    assert api(None).get("/v1/search").status == 401
    assert api().post("/v1/search", {}).status == 405
    assert api(make_key("read")).get("/v1/search").status == 200


def expire(run: Run) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_session SET expires_at = now() - interval '1 second'"
            " WHERE id = %s",
            [run.id],
        )
