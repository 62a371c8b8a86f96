"""Listing sessions: every filter, and pages that neither skip nor repeat."""

import json
from typing import Any

import pytest

from apps.accounts.models import Project
from tests.timeline.runs import Begin, Clients, Keys, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def listed(api: Clients) -> Any:
    """`listed(status="paused")` returns the ids on the first page."""
    client = api()

    def ask(**query: Any) -> Any:
        answer = client.get("/v1/sessions", query)
        assert answer.status == 200, answer.content
        return [session["id"] for session in answer.body["data"]]

    return ask


def test_it_lists_the_newest_first_with_states(api: Clients, begin: Begin) -> None:
    runs = [begin({"n": n}) for n in range(3)]
    runs[0].patch({"n": 7})

    answer = api().get("/v1/sessions")

    data = answer.body["data"]
    assert [item["id"] for item in data] == [run.id for run in reversed(runs)]
    assert [item["state"] for item in data] == [{"n": 2}, {"n": 1}, {"n": 7}]
    assert [item["version"] for item in data] == [0, 0, 1]
    assert answer.body["object"] == "list"
    assert answer.body["has_more"] is False
    assert answer.body["first_id"] == runs[2].id
    assert answer.body["last_id"] == runs[0].id


def test_an_empty_list_has_no_ids(api: Clients) -> None:
    body = api().get("/v1/sessions").body

    assert (body["data"], body["has_more"]) == ([], False)
    assert (body["first_id"], body["last_id"]) == (None, None)


def test_it_filters_by_agent_and_by_user(listed: Any, begin: Begin) -> None:
    ours = begin(agent_id="billing", user_id="u-1")
    begin(agent_id="travel", user_id="u-1")
    begin(agent_id="billing", user_id="u-2")

    assert listed(agent_id="billing", user_id="u-1") == [ours.id]
    assert listed(agent_id="nobody") == []


def test_it_filters_by_status(listed: Any, begin: Begin) -> None:
    active, paused, closed = begin(), begin(), begin()
    paused.hold("pause")
    closed.hold("close")

    assert listed(status="active") == [active.id]
    assert listed(status="paused") == [paused.id]
    assert listed(status="closed") == [closed.id]
    assert len(listed()) == 3


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        ({"tier": "gold"}, True),
        ({"order": {"lines": [{"sku": "A-1"}]}}, True),
        ({"order": {"id": 17}, "tier": "gold"}, True),
        ({}, True),
        ({"order": {"id": "17"}}, False),
        ({"tier": None}, False),
        ({"order": {"id": 18}}, False),
        ({"absent": 1}, False),
        ({"a') OR 1=1 --": 1}, False),
        ({"__class": {'$.x"]': 1}}, False),
    ],
)
def test_it_filters_by_what_metadata_contains(
    listed: Any, begin: Begin, wanted: Any, is_found: Any
) -> None:
    lines = [{"sku": "B-2"}, {"sku": "A-1", "count": 2}]
    run = begin(metadata={"tier": "gold", "order": {"id": 17, "lines": lines}})

    assert listed(metadata=json.dumps(wanted)) == ([run.id] if is_found else [])


@pytest.mark.parametrize("value", ["a\0b", "x" * 300, 10**30, 1e-300, {"\0": "\0"}])
def test_it_filters_by_odd_values_as_by_others(
    listed: Any, begin: Begin, value: Any
) -> None:
    run = begin(metadata={"odd": value, "other": 1})
    begin(metadata={"odd": "something else"})

    assert listed(metadata=json.dumps({"odd": value})) == [run.id]


@pytest.mark.parametrize("text", ["[1]", "{", '{"a":1,"a":2}', '{"a":1e400}', "x"])
def test_it_refuses_a_metadata_filter_that_is_no_object(
    api: Clients, text: Any
) -> None:
    answer = api().get("/v1/sessions", {"metadata": text})

    assert_refused(answer, 400, "invalid_request", "metadata")


def test_it_filters_by_when_they_began(listed: Any, begin: Begin) -> None:
    early, middle, late = begin(), begin(), begin()
    moment = middle.made.body["created_at"]

    after_early = listed(created_after=early.made.body["created_at"])
    before_late = listed(created_before=late.made.body["created_at"])

    # Answers carry milliseconds, so a session may lie just after its own moment.
    assert late.id in after_early
    assert late.id not in listed(created_before=moment)
    assert early.id not in listed(created_after="2100-01-01")
    assert set(before_late) <= {early.id, middle.id}


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-01", "2026-02-30", "10000-01-01", "1700000000", ""]
)
def test_it_refuses_a_time_that_is_none(api: Clients, text: Any) -> None:
    answer = api().get("/v1/sessions", {"created_after": text})

    assert_refused(answer, 400, "invalid_request", "created_after")


def test_it_filters_by_where_they_were_forked_from(listed: Any, begin: Begin) -> None:
    run = begin({"a": 1})
    fork, _ = run.fork(), begin()
    deeper = fork.fork()

    assert listed(forked_from=run.id) == [fork.id]
    assert listed(forked_from=fork.id) == [deeper.id]
    assert listed(forked_from="sess_unknown") == []


def test_it_filters_by_a_name_and_something_else_together(
    listed: Any, begin: Begin
) -> None:
    run = begin(external_id="order-17", user_id="u-1")

    assert listed(external_id="order-17", user_id="u-1") == [run.id]
    assert listed(external_id="order-17", user_id="u-2") == []


def test_pages_neither_skip_nor_repeat(api: Clients, begin: Begin) -> None:
    made = [begin().id for _ in range(5)]
    client = api()
    pages, query = [], {"limit": 2}

    while True:
        body = client.get("/v1/sessions", query).body
        pages.append([session["id"] for session in body["data"]])
        assert body["last_id"] == pages[-1][-1]
        if not body["has_more"]:
            break
        query["starting_after"] = body["last_id"]

    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one for page in pages for one in page] == made[::-1]


def test_a_session_begun_meanwhile_does_not_move_the_next_page(
    api: Clients, begin: Begin
) -> None:
    made = [begin().id for _ in range(3)]
    client = api()
    first = client.get("/v1/sessions", {"limit": 2}).body
    begin()

    second = client.get(
        "/v1/sessions", {"limit": 2, "starting_after": first["last_id"]}
    ).body

    assert [session["id"] for session in second["data"]] == [made[0]]


@pytest.mark.parametrize("limit", ["0", "-1", "101", "1000000000", "NaN", "1.5", ""])
def test_a_limit_is_from_1_to_100(api: Clients, limit: Any) -> None:
    answer = api().get("/v1/sessions", {"limit": limit})

    assert_refused(answer, 400, "invalid_request", "limit")


@pytest.mark.parametrize("limit", [1, 100])
def test_the_bounds_of_the_limit_are_accepted(api: Clients, limit: Any) -> None:
    assert api().get("/v1/sessions", {"limit": limit}).status == 200


@pytest.mark.parametrize("status", ["deleted", "expired", "open", ""])
def test_it_refuses_a_status_that_no_list_has(api: Clients, status: Any) -> None:
    answer = api().get("/v1/sessions", {"status": status})

    assert_refused(answer, 400, "invalid_request", "status")


def test_it_does_not_show_sessions_of_another_project(
    api: Clients, begin: Begin, make_key: Keys, other_project: Project
) -> None:
    begin()

    stranger = api(make_key(project=other_project))

    assert stranger.get("/v1/sessions").body["data"] == []


def test_a_limited_key_lists_only_its_agents(
    api: Clients, begin: Begin, make_key: Keys
) -> None:
    ours = begin(agent_id="billing")
    begin(agent_id="travel")

    limited = api(make_key(agents=["billing"]))

    data = limited.get("/v1/sessions").body["data"]
    assert [session["id"] for session in data] == [ours.id]


def test_a_page_ends_before_bodies_that_do_not_fit(api: Clients, begin: Begin) -> None:
    client = api()
    runs = [begin(client=client, messages=["m" * 9_000_000]) for _ in range(2)]

    first = client.get("/v1/sessions").body
    second = client.get("/v1/sessions", {"starting_after": first["last_id"]}).body

    assert [session["id"] for session in first["data"]] == [runs[1].id]
    assert [session["id"] for session in second["data"]] == [runs[0].id]
    assert (first["has_more"], second["has_more"]) == (True, False)
