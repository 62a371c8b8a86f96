"""Words of messages that versions keep beside their states are found as words of turns.

What a version brought is found at it, and only there, however the list goes on.
"""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from apps.core import json, sql
from apps.core.roles.names import Role
from apps.timeline import bodies, projection
from apps.timeline.models import Pending, Text, Unsearched
from apps.timeline.projection import kept, texts
from apps.timeline.projection.texts import TextKind, brought_messages, messages_text
from apps.timeline.search.conditions import wording
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline.damage import damage, place_of
from tests.timeline.runs import Begin, Run
from tests.timeline.search.asking import ids, matches, page, versions
from tests.timeline.search.test_rebuild import UNSEARCHED, stored

pytestmark = pytest.mark.django_db(transaction=True)

POLICY = {"role": "system", "content": "Never refund basic economy tickets"}
ASKED = {"role": "user", "content": "My reservation ZFA04Y was lost, please help"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "look_up", "arguments": '{"code": "ZFA04Y"}'},
        }
    ],
}
ANSWERED = {"role": "tool", "tool_call_id": "call_1", "content": '{"seat": "17C"}'}
SAID = {"role": "assistant", "content": [{"type": "text", "text": "It is seat 17C"}]}


@pytest.fixture
def told(begin: Begin) -> Run:
    """A conversation of three versions, each with all of it until then."""
    made = begin({"step": 0})
    conversation = [POLICY, ASKED]
    for number, more in enumerate([[], [CALLED, ANSWERED], [SAID]], 1):
        conversation = [*conversation, *more]
        made.put({"step": number}, messages=conversation)
    project_all()
    return made


def test_each_message_is_found_at_the_version_that_brought_it(told: Run) -> None:
    client = told.client

    assert versions(client, 'words:"reservation lost"') == [(told.id, 1)]
    assert versions(client, "words:look_up") == [(told.id, 2)]
    assert versions(client, "words:17c") == [(told.id, 3), (told.id, 2)]
    assert ids(client, '"was lost, please"') == [told.id]


def test_a_result_quotes_what_was_said_and_leads_to_its_version(told: Run) -> None:
    (why,) = matches(told.client, 'words:"reservation lost"')

    assert (why["where"], why["version"]) == ("messages", 1)
    assert why["quote"] == ASKED["content"]


def test_instructions_and_the_names_of_speakers_find_nothing(told: Run) -> None:
    for term in ("economy", "assistant", "user", "system"):
        assert ids(told.client, f"words:{term}") == []


def test_messages_that_are_carried_over_or_come_back_are_not_brought_again(
    told: Run,
) -> None:
    told.patch({"step": 4})
    told.rollback(1)
    told.put({"step": 5}, messages=[POLICY, ASKED, {"role": "user", "content": "Now"}])
    project_all()

    assert versions(told.client, "words:lost") == [(told.id, 1)]
    assert versions(told.client, "words:now") == [(told.id, 6)]


def test_a_batch_and_a_fork_bring_theirs(told: Run) -> None:
    items = [
        {"state": {"step": at}, "messages": [ASKED, {"role": "user", "content": word}]}
        for at, word in enumerate(("alpha", "beta"), 4)
    ]
    told.send("POST", "versions", {"versions": items})
    fork = told.fork(version=1)
    project_all()

    assert versions(told.client, "words:alpha") == [(told.id, 4)]
    assert versions(told.client, "words:beta") == [(told.id, 5)]
    assert versions(told.client, "words:lost") == [(fork.id, 0), (told.id, 1)]


def test_it_is_said_while_they_wait_to_be_read(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begin({"step": 0}, messages=[ASKED])
    assert page(made.client, "words:lost")["notices"] == []
    monkeypatch.setattr(wording, "SECONDS_SAID", -1)

    (notice,) = page(made.client, "words:lost")["notices"]

    assert "words of messages that were kept with a version since 20" in notice
    project_all()
    assert page(made.client, "words:lost")["notices"] == []
    assert ids(made.client, "words:lost") == [made.id]


def test_a_long_one_is_cut_and_the_page_says_so(begin: Begin) -> None:
    long = {"role": "user", "content": "so " * 20_000 + "finally"}
    made = begin({"step": 0}, messages=[long])
    project_all()

    assert ids(made.client, "words:finally") == []
    assert "of a longer text the first 32,768" in str(page(made.client, "words:so"))


@pytest.mark.parametrize(("limit", "steps"), [(1, [1] * 6), (10**6, [6])])
def test_much_is_read_some_at_a_time_in_its_order(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, limit: int, steps: list[int]
) -> None:
    made = [begin({"n": 0}) for _ in range(2)]
    for run in made:
        for number in (1, 2):
            content = {"role": "user", "content": f"word{number}"}
            run.put({"n": number}, messages=[content])
    monkeypatch.setattr(kept, "BYTES_AT_ONCE", limit)

    taken = []
    reached = None
    with acting_as(Role.WORKER):
        while Pending.objects.exists():
            step = projection.project_some(reached, now=timezone.now())
            taken, reached = [*taken, step.taken], step.reached

    assert [one for one in taken if one] == steps
    assert Text.objects.filter(kind=TextKind.MESSAGES).count() == 4


def test_one_session_is_projected_whole_however_much_it_is(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begin({"n": 0}, messages=[ASKED])
    for number in range(4):
        content = {"role": "user", "content": f"word{number}"}
        made.put({"n": number}, messages=[content])
    monkeypatch.setattr(kept, "BYTES_AT_ONCE", 1)

    with acting_as(Role.WORKER):
        assert projection.project_session(made.id, now=timezone.now()) == 5

    assert not Pending.objects.exists()
    assert ids(made.client, "words:word3") == [made.id]


def test_rebuilding_makes_what_the_projector_made(told: Run) -> None:
    told.fork(version=2)
    before = stored()
    assert any(row[1] == TextKind.MESSAGES for row in before["timeline_text"])
    call_command("rebuild_search", "--check")

    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM timeline_text WHERE kind = %s AND session_id = %s",
            [TextKind.MESSAGES.value, told.id],
        )
        cursor.execute(UNSEARCHED + "WHERE id = %s", [told.id])

    with pytest.raises(CommandError, match="of 1 sessions something else"):
        call_command("rebuild_search", "--check")
    assert ids(told.client, "words:lost") != [told.id]
    call_command("rebuild_search")
    assert stored() == before


def test_an_update_lists_the_sessions_that_keep_messages(
    told: Run, begin: Begin
) -> None:
    other = begin({"a": "x" * 1_000})
    other.patch({"b": 1})
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(sql.statement("timeline", "list_kept_words_v1"))

    assert list(Unsearched.objects.values_list("session_id", flat=True)) == [told.id]


@pytest.fixture
def kept_in_states(begin: Begin) -> Run:
    """A conversation that stands in the state itself, as LangGraph keeps it."""
    made = begin({"messages": [POLICY, ASKED], "step": 0})
    made.put({"messages": [POLICY, ASKED, CALLED, ANSWERED], "step": 1})
    made.patch({"step": 2})
    made.put({"messages": [POLICY, ASKED, CALLED, ANSWERED, SAID], "step": 3})
    project_all()
    return made


def test_messages_of_a_state_are_found_where_they_were_brought(
    kept_in_states: Run,
) -> None:
    client = kept_in_states.client

    assert versions(client, 'words:"reservation lost"') == [(kept_in_states.id, 0)]
    assert versions(client, "words:look_up") == [(kept_in_states.id, 1)]
    assert versions(client, "words:17c") == [
        (kept_in_states.id, 3),
        (kept_in_states.id, 1),
    ]
    assert ids(client, '"was lost, please"') == [kept_in_states.id]
    assert ids(client, "words:economy") == []
    (why,) = matches(client, 'words:"reservation lost"')
    assert (why["where"], why["version"]) == ("messages", 0)
    assert why["quote"] == ASKED["content"]


def test_a_fork_and_a_change_among_many_bring_those_of_the_state(
    kept_in_states: Run,
) -> None:
    many = {f"a{number:03}": number for number in range(80)}
    said = {"role": "user", "content": "the ferry instead"}
    kept_in_states.put({**many, "messages": [said]})
    fork = kept_in_states.fork(version=0)
    project_all()

    client = kept_in_states.client
    assert versions(client, "words:ferry") == [(kept_in_states.id, 4)]
    assert versions(client, "words:reservation") == [
        (fork.id, 0),
        (kept_in_states.id, 0),
    ]


def test_rebuilding_makes_what_was_made_of_states(kept_in_states: Run) -> None:
    before = stored()
    assert any(row[1] == TextKind.MESSAGES for row in before["timeline_text"])
    call_command("rebuild_search", "--check")
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM timeline_text WHERE kind = %s", [TextKind.MESSAGES.value]
        )
        cursor.execute(sql.statement("timeline", "list_state_words_v1"))

    listed = Unsearched.objects.values_list("session_id", flat=True)
    assert list(listed) == [kept_in_states.id]
    call_command("rebuild_search")
    assert stored() == before


def test_a_key_of_that_name_that_is_no_list_brings_nothing(begin: Begin) -> None:
    made = begin({"messages": {"count": "seventeen"}})
    made.put({"messages": "eighteen"})
    project_all()

    assert not Text.objects.filter(kind=TextKind.MESSAGES).exists()


def test_a_damaged_body_stops_neither_the_projector_nor_other_sessions(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = (begin({"n": 0}, messages=[ASKED]) for _ in range(2))
    damage(place_of(broken, "body", 0, "data"), b"damaged")
    monkeypatch.setattr(bodies.cache, "get", lambda key: None)

    project_all()

    assert not Pending.objects.exists()
    assert ids(sound.client, "words:lost") == [sound.id]


def written(*messages: Any) -> bytes:
    return json.dumps(list(messages))


@pytest.mark.parametrize(
    ("before", "after", "brought"),
    [
        ([], [1], [1]),
        ([1], [1], []),
        ([1], [1, 2], [2]),
        ([1], [12], [12]),
        ([1, 2], [2, 3], [3]),
        ([{"a": 1}], [{"a": 1}, {"b": 2}], [{"b": 2}]),
        ([1, 1], [1, 1, 1], [1]),
        ([1, 2], [1], []),
    ],
)
def test_what_was_brought_is_what_was_not_there(
    before: list[Any], after: list[Any], brought: list[Any]
) -> None:
    assert brought_messages(written(*before), written(*after)) == brought


def test_of_a_long_conversation_that_was_rewritten_nothing_is_read() -> None:
    long = written(*("x" * 1_000 for _ in range(1_200)))

    assert brought_messages(written(1), long) is None
    assert len(messages_text(written(1), long)) == texts.MOST_TEXT + 1
