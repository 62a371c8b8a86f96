"""What a session is about: set by its agent, or known from what it holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.mapping import Mapping
from apps.audit.comparing import Comparison
from apps.audit.models import AuditRecord, Event
from apps.core.roles.names import Role
from apps.diffs.meaning.sayings import title_from
from apps.timeline.models import Opening, Pending
from apps.timeline.queries import Subject, subjects, titles
from apps.timeline.verification import verify_session
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import project_all
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db(transaction=True)

HELLO = (
    "Hello, my flight to Lisbon was cancelled, and I need another one by Friday noon. "
    "With two bags."
)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
ODD = ("<b>Bold</b>", "\u202eright to left", FAMILY * 20, "t" * 300, "a\x01\nb")


def title_of(run: Run) -> str | None:
    return titles([run.id]).get(run.id)


def said(run: Run, content: Any, **fields: Any) -> None:
    body = {"input": {"content": content}, "output": {"content": "Sure."}} | fields
    answer = run.client.post(run.path("turns"), body)
    assert answer.status == 201, answer.body


def test_an_agent_gives_a_session_a_title_when_it_begins(begin: Begin) -> None:
    run = begin(title="Cancel the return leg")

    assert run.get()["title"] == "Cancel the return leg"
    assert title_of(run) == "Cancel the return leg"


def test_a_title_is_set_replaced_and_removed(run: Run) -> None:
    assert run.get()["title"] is None

    for title in ("One", "Two", None):
        answer = run.client.patch(run.path(), {"title": title})
        assert (answer.status, answer.body["title"]) == (200, title)
        assert run.get()["title"] == title

    assert run.get()["version"] == 2


def test_what_does_not_name_the_title_leaves_it(begin: Begin) -> None:
    run = begin(title="Mine")

    answer = run.client.patch(run.path(), {"metadata": {"a": 1}})

    assert answer.body["title"] == run.get()["title"] == "Mine"


@pytest.mark.parametrize("title", ODD)
def test_a_title_is_kept_exactly(begin: Begin, title: str) -> None:
    run = begin(title=title)

    assert run.get()["title"] == title
    assert run.client.patch(run.path(), {"title": title}).body["title"] == title


@pytest.mark.parametrize(
    "title", ["", " \n", "t" * 301, "t" * 10_000, "a\x00b", 17, ["a"], {"a": 1}]
)
def test_what_is_no_title_is_refused_where_it_stands(run: Run, title: Any) -> None:
    created = run.client.post("/v1/sessions", {"agent_id": "travel", "title": title})
    changed = run.client.patch(run.path(), {"title": title, "metadata": {"a": 1}})
    forked = run.client.post(run.path("fork"), {"title": title})

    for answer in (created, changed, forked):
        assert_refused(answer, 400, "invalid_request", param="title")
    assert run.get()["metadata"] == {}


def test_only_who_may_write_the_session_can_set_it(
    run: Run, api: Clients, make_key: Keys, other_project: Project
) -> None:
    reader, nobody = api(make_key(scope="read")), api(None)
    stranger = api(make_key(project=other_project))
    assert reader.patch(run.path(), {"title": "x"}).status == 403
    assert nobody.patch(run.path(), {"title": "x"}).status == 401
    assert stranger.patch(run.path(), {"title": "x"}).status == 404
    assert run.client.patch("/v1/sessions/sess_0", {"title": "x"}).status == 404
    assert run.client.put(run.path(), {"title": "x"}).status == 405
    assert run.get()["title"] is None


def test_a_repetition_answers_as_it_did_whatever_came_since(begin: Begin) -> None:
    run = begin(title="First")
    body = {"agent_id": "travel", "title": "Made once"}
    made = run.client.post("/v1/sessions", body, Idempotency_Key="k")
    path = f"/v1/sessions/{made.body['id']}"
    change = {"title": "Changed"}
    changed = run.client.patch(path, change, Idempotency_Key="c")
    run.client.patch(path, {"title": "Later"})

    again = run.client.post("/v1/sessions", body, Idempotency_Key="k")
    changed_again = run.client.patch(path, change, Idempotency_Key="c")

    assert (again.body["id"], again.body["title"]) == (made.body["id"], "Made once")
    assert changed_again.body == changed.body
    assert run.client.get(path).body["title"] == "Later"


def test_of_two_at_once_one_is_the_title_and_both_are_recorded(
    run: Run, project: Project
) -> None:
    def patch(title: str) -> int:
        try:
            return run.client.patch(run.path(), {"title": title}).status
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(patch, ["One", "Two"])) == [200, 200]

    assert run.get()["title"] in {"One", "Two"}
    events = Event.objects.filter(stream_id=run.id, action="session.updated")
    assert events.count() == 2
    secret = bytes(project.index_key)
    comparison = Comparison(project_id=project.id, secret=secret, session_id=run.id)
    assert list(comparison.differences()) == []


def test_records_cover_it_and_do_not_quote_it(run: Run) -> None:
    run.client.patch(run.path(), {"title": "Mrs Kowalczyk"})
    run.client.patch(run.path(), {"title": None})

    events = Event.objects.filter(stream_id=run.id, action="session.updated")
    told = list(events.order_by("id").values_list("details", flat=True))
    assert [one["title"] for one in told] == ["set", "removed"]
    record = AuditRecord.objects.filter(details__row__of="session").first()
    assert record is not None
    assert "title" in record.details["row"]["columns"]
    assert "Kowalczyk" not in str(record.details)


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ({"objective": "Rebook to Lisbon"}, "Rebook to Lisbon"),
        ({"objective": {"id": 1, "text": "Rebook"}}, "Rebook"),
        ({"objective": {"title": "T", "description": "D"}}, "T"),
        ({"objective": "o" * 900}, "o" * 200),
        ({**{f"k{n}": n for n in range(90)}, "objective": {"text": "Deep"}}, "Deep"),
        ({"objective": "a\x00b"}, "a␀b"),
        ({"objective": ""}, None),
        ({"objective": {"text": {"a": 1}}}, None),
        ({"objective": ["a"]}, None),
        ({"objective": None}, None),
    ],
)
def test_the_objective_in_the_state_is_its_title(
    begin: Begin, state: dict[str, Any], title: str | None
) -> None:
    run = begin(state)

    assert title_of(run) == title
    report = verify_session(run.id)
    assert (report.is_valid, report.first_derived) == (True, None)


def test_the_title_follows_the_objective_of_the_head(begin: Begin) -> None:
    run = begin({"objective": "o" * 900})
    run.patch({"objective": "p" * 900})
    assert title_of(run) == "p" * 200
    run.client.post(run.path("rollback"), {"version": 0})
    assert title_of(run) == "o" * 200
    run.client.put(run.path("state"), {"state": {"a": 1}})
    assert title_of(run) is None
    run.client.patch(run.path(), {"title": "Set"})
    run.patch({"objective": "Another"})
    assert title_of(run) == "Set"
    assert verify_session(run.id).first_derived is None


def test_the_customers_first_words_are_its_title(run: Run) -> None:
    said(run, "")
    said(run, HELLO)
    said(run, "And a hotel.")
    expected = f"{HELLO[:74]}…"

    pending = title_of(run)
    assert not Opening.objects.exists()
    project_all()

    assert not Pending.objects.exists()
    assert pending == title_of(run) == expected
    assert Opening.objects.get(session_id=run.id).text == expected


def test_words_come_from_the_first_turns_alone(run: Run) -> None:
    for _ in range(10):
        said(run, "")
    said(run, "At last.")
    assert title_of(run) is None
    project_all()

    assert title_of(run) is None


def test_without_turns_first_words_are_those_of_the_messages(run: Run) -> None:
    run.patch({"messages": [{"type": "ai", "content": "Hello"}]})
    assert title_of(run) is None
    kept = [{"type": "ai", "content": "Hello"}, {"type": "human", "content": HELLO}]

    run.patch({"messages": kept})

    assert title_of(run) is not None
    assert HELLO.startswith(str(title_of(run)).rstrip("…"))
    assert verify_session(run.id).first_derived is None
    said(run, "The turn's words")
    assert title_of(run) == "The turn's words"
    run.patch({"objective": "Move it"})
    assert title_of(run) == "Move it"


def test_a_mapped_place_names_a_session_at_once(begin: Begin, project: Project) -> None:
    run = begin({"objective": "Usual", "goal": {"text": "Mapped"}, "who": {"id": 17}})
    long, none = begin({"goal": {"text": "x" * 201}}), begin({"goal": "elsewhere"})
    everywhere = [run.id, long.id, none.id]

    map_states(project, title="/goal/text", user="/who/id")

    assert subjects(everywhere) == {
        run.id: Subject("Mapped", "17"),
        long.id: Subject(),
        none.id: Subject(),
    }
    run.client.patch(run.path(), {"title": "Mine"})
    run.patch({"who": None})
    assert subjects([run.id]) == {run.id: Subject("Mine", None)}
    run.patch({"goal": None})
    long.patch({"goal": None})
    map_states(project, title="/goal")
    long.patch({"goal": {"text": "an object by now"}})
    assert titles(everywhere) == {run.id: "Mine", none.id: "elsewhere"}


def map_states(project: Project, **places: str) -> None:
    agents.map_states(
        act=act_in(project), reference="travel", mapping=Mapping(**places)
    )


def test_a_rebuild_makes_the_same_of_them(run: Run) -> None:
    said(run, [{"role": "system", "content": "Policy"}, {"role": "user", "text": "Hi"}])
    project_all()
    before = title_of(run)

    call_command("rebuild_search", "--check")
    with acting_as(Role.WORKER):
        Opening.objects.update(text="forged")
    with pytest.raises(CommandError):
        call_command("rebuild_search", "--check")
    call_command("rebuild_search", "--all")

    assert before == title_of(run) == "Hi"


def test_a_fork_has_its_origins_title_until_it_has_its_own(begin: Begin) -> None:
    run = begin({"n": 1})
    said(run, HELLO)
    fork = run.client.post(run.path("fork"), {}).body["id"]
    again = run.client.post(f"/v1/sessions/{fork}/fork", {}).body["id"]
    assert titles([fork, again]).keys() == {fork, again}

    run.client.patch(run.path(), {"title": "The origin's"})
    assert set(titles([run.id, fork, again]).values()) == {"The origin's"}

    run.client.patch(f"/v1/sessions/{fork}", {"title": "The fork's"})
    found = titles([run.id, fork, again])
    assert found == {run.id: "The origin's", fork: "The fork's", again: "The fork's"}


def test_a_fork_began_with_what_was_said_in_its_origin(run: Run) -> None:
    said(run, "The first words")
    said(run, "and others")
    fork = run.fork()
    said(fork, "The fork's own")

    before = titles([fork.id])
    project_all()

    assert before == titles([fork.id]) == {fork.id: "The first words"}


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("  two\n lines ", "two lines"),
        ({"content": {"text": "nested"}}, "nested"),
        ([{"type": "ai", "text": "No."}, {"type": "human", "text": "Yes"}], "Yes"),
        ([{"role": "assistant", "content": "No."}], None),
        ({"messages": [{"role": "user", "content": [{"text": "Part"}]}]}, "Part"),
        ({"role": ["user"], "content": "odd"}, "odd"),
        ("x" * 200, "x" * 79 + "…"),
        (FAMILY * 50, FAMILY * 11 + "…"),
        ("a\x00b", "a␀b"),
        (" \t", None),
        (17, None),
        (None, None),
        ({"a": {"b": "under no name we know"}}, None),
        ([[[[[[[["too deep"]]]]]]]], None),
    ],
)
def test_first_words_are_found_in_what_was_said(content: Any, title: Any) -> None:
    assert title_from({"content": content}) == title
