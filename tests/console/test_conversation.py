"""The conversation of a session: from turns and from kept messages, bounded, linked."""

import json
import re
from html import unescape

import pytest
from django.db import connection

from apps.accounts.models import Role
from apps.console.pages.session.conversation import windows
from apps.timeline.models import Session
from apps.timeline.queries.conversation import messages, turns
from tests.accounts.make import make_member
from tests.console.make import address, counted_queries, signed_in
from tests.timeline.damage import Place, damage

HTML = {"Accept": "text/html"}
UNKNOWN = "sess_" + "0" * 26
POLICY = "Never promise a refund."


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


class Talk:
    """A session of an agent that talks, posted as an agent posts it."""

    def __init__(self, client, **begun):
        self.client = client
        said = {"agent_id": "talker", "initial_state": {}} | begun
        self.id = self._made(client.post("/v1/sessions", said))["id"]

    def turn(self, heard="Hi", said="Hello", **more):
        body = {"input": heard, "output": said, **more}
        return self._made(self.client.post(f"/v1/sessions/{self.id}/turns", body))

    def write(self, state=None, **parts):
        body = {"state": state or {}, **parts}
        self._made(self.client.patch(f"/v1/sessions/{self.id}/state", body))
        return self

    def rollback(self, version):
        body = {"version": version}
        self._made(self.client.post(f"/v1/sessions/{self.id}/rollback", body))
        return self

    def _made(self, answer):
        assert answer.status in (200, 201), answer.content
        return answer.body


@pytest.fixture
def talk(api):
    """v1 by a turn, a tool call at v1, v2 by a turn that v3 sets aside, then a turn."""
    talk = Talk(api())
    talk.turn("A seat, please", "Which flight?", state_after={"step": 1})
    talk.turn(called("book", {"seat": "12A"}, "c1"), answer({"booked": True}))
    talk.turn("Cancel all", "All cancelled", state_after={"step": 2})
    talk.rollback(1)
    talk.turn("Thanks", "Bye")
    return talk


def called(name, arguments, call_id):
    call = {"name": name, "arguments": arguments, "id": call_id}
    return {"type": "tool_call", "content": f"Call {name}", "tool_metadata": call}


def answer(output):
    return {"type": "tool_response", "content": str(output), "output": output}


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def calling(call_id, name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    return message("assistant", None, tool_calls=[call])


def page_of(client, project, session_id, query="", status=200):
    where = address(project, session_id, "conversation") + query
    found = client.get(where, headers=HTML)
    assert found.status_code == status, found.content.decode()
    return found.content.decode()


def articles(text):
    return re.findall(r"<article.*?</article>", text, re.DOTALL)


def name_of(article):
    """The accessible name: the text of its heading."""
    heading = re.search(r"<h2.*?</h2>", article, re.DOTALL)[0]
    return unescape(re.sub(r"<[^>]+>", "", heading))


def names(text):
    return [name_of(one).rpartition(",")[0] for one in articles(text)]


def heard(text):
    """What the customer said in the conversation; the page has a title as well."""
    return re.findall(r"heard \d\.", "".join(articles(text)))


def link(text, rel):
    found = re.search(rf'href="([^"]+)" rel="{rel}"', text)
    return unescape(found[1]).partition("/conversation")[2] if found else None


def test_turns_are_told_oldest_first_with_who_spoke(viewer, project, talk):
    text = page_of(viewer, project, talk.id)

    assert names(text) == [
        "Customer, turn 1",
        "Agent, turn 1",
        "Tool, turn 2",
        "Customer, turn 3",
        "Agent, turn 3",
        "Customer, turn 4",
        "Agent, turn 4",
    ]
    assert re.search(r"Customer, turn 1, \d\d:\d\d:\d\d$", name_of(articles(text)[0]))
    assert "Oldest first, read from the 4 turns that the agent recorded" in text


def test_an_article_has_the_name_of_its_heading(viewer, project, talk):
    for article in articles(page_of(viewer, project, talk.id)):
        labelled = re.search(r'aria-labelledby="([^"]+)"', article)[1]
        assert f'<h2 id="{labelled}">' in article


def test_a_tool_call_has_its_arguments_and_its_result(viewer, project, talk):
    tool = articles(page_of(viewer, project, talk.id))[2]

    assert '<code class="tool-name">book</code>' in tool
    assert "&quot;seat&quot;: &quot;12A&quot;" in tool
    assert "&quot;booked&quot;: true" in tool
    assert "Call book" not in tool


def test_what_a_rollback_set_aside_says_so_in_words(viewer, project, talk):
    found = articles(page_of(viewer, project, talk.id))

    aside = [name_of(one) for one in found if "set aside by" in one]
    assert [one.rpartition(",")[0] for one in aside] == [
        "Customer, turn 3",
        "Agent, turn 3",
    ]
    assert all("set-aside" in one for one in found if "set aside by" in one)
    assert address(project, talk.id, "versions", 3) in found[3]
    assert (
        sum('class="message message-customer set-aside"' in one for one in found) == 1
    )


def test_a_message_leads_to_its_version_and_a_version_to_its_place(
    viewer, project, talk
):
    version = address(project, talk.id, "versions", 2)
    pane = viewer.get(version).content.decode()
    way = address(project, talk.id, "conversation") + "?version=2#v2"

    text = page_of(viewer, project, talk.id, "?version=2")

    assert f'href="{way}"' in pane
    place = next(one for one in articles(text) if 'id="v2"' in one)
    assert name_of(place).startswith("Customer, turn 3, ")
    assert "is-selected" in place
    assert f'href="{version}"' in place
    assert "came with </span>v2" in place


def test_a_version_that_brought_nothing_is_where_it_stands(viewer, project, talk):
    text = page_of(viewer, project, talk.id, "?version=3")

    place = next(one for one in articles(text) if 'id="v3"' in one)
    # Turn 4 left v3, the rollback, as it was.
    assert name_of(place).startswith("Customer, turn 4, ")
    text = page_of(viewer, project, talk.id, "?version=0")
    assert "v0 brought no message of its own" in text
    assert text.count('id="v0"') == 1


def test_the_place_of_a_version_behind_the_last_turn(viewer, project, talk):
    talk.write({"n": 1})

    text = page_of(viewer, project, talk.id, "?version=4")

    assert name_of(next(one for one in articles(text) if 'id="v4"' in one)).startswith(
        "Agent, turn 4"
    )


def test_it_is_paged_either_way_without_a_gap(viewer, project, api, monkeypatch):
    monkeypatch.setattr(turns, "TURNS", 3)
    talk = Talk(api())
    for n in range(8):
        talk.turn(f"heard {n}.", f"said {n}.")

    forward, query = [], ""
    while query is not None:
        text = page_of(viewer, project, talk.id, query)
        forward += heard(text)
        query = link(text, "next")
    back, query = [], "?before=9.0&source=turns"
    while query is not None:
        text = page_of(viewer, project, talk.id, query)
        back = heard(text) + back
        query = link(text, "prev")

    assert forward == back == [f"heard {n}." for n in range(8)]


def test_a_page_ends_where_it_would_be_too_long(viewer, project, api, monkeypatch):
    monkeypatch.setattr(windows, "MOST_CHARACTERS", 5_000)
    talk = Talk(api())
    for n in range(6):
        talk.turn(f"heard {n}. " + "x" * 2_000, "ok")

    first = page_of(viewer, project, talk.id)
    last = page_of(viewer, project, talk.id, "?before=7.0")

    assert heard(first) == ["heard 0.", "heard 1."]
    assert heard(last) == ["heard 4.", "heard 5."]
    assert "after=2.0" in link(first, "next")
    assert "before=5.0" in link(last, "prev")


def test_a_long_message_is_folded_and_has_an_address_of_its_own(viewer, project, api):
    talk = Talk(api())
    talk.turn("word " * 20_000 + "the end", "ok")

    text = page_of(viewer, project, talk.id)
    (query,) = re.findall(r'href="[^"]+(\?[^"]+whole=1\.0)"', text)
    whole = page_of(viewer, project, talk.id, unescape(query))

    assert len(text) < 30_000
    assert "the end" not in text
    assert "(100,007 characters)" in text
    assert "the end" in whole
    assert names(whole) == ["Customer, turn 1"]


def test_a_turn_that_is_too_large_for_a_list_is_shown_by_itself(
    viewer, project, api, monkeypatch
):
    talk = Talk(api())
    talk.turn("word " * 60_000, "the answer")

    text = page_of(viewer, project, talk.id)
    whole = page_of(viewer, project, talk.id, "?source=turns&whole=1.1")

    assert "It is too large for this list" in text
    assert "300 kB" in text
    assert "the answer" in whole
    cut = page_of(viewer, project, talk.id, "?whole=1.0")
    assert "This is the beginning. The API has it whole" in cut
    assert len(cut) < 300_000


@pytest.fixture
def kept(api):
    """Messages kept as a part: v0 a policy, v1 a call, v2 set aside by v3, then v4."""
    said = [message("system", POLICY), message("user", "Cancel ABC123")]
    talk = Talk(api(), messages=said)
    said += [
        calling("c1", "get_booking", {"id": "ABC123"}),
        message("tool", '{"paid": 90}', tool_call_id="c1", name="get_booking"),
    ]
    talk.write({"n": 1}, messages=said)
    talk.write({"n": 2}, messages=[*said, message("assistant", "You get $900.")])
    talk.rollback(1)
    talk.write({"n": 3}, messages=[*said, message("assistant", "You get $90.")])
    return talk


def test_kept_messages_are_told_with_the_version_that_brought_them(
    viewer, project, kept
):
    text = page_of(viewer, project, kept.id)
    found = articles(text)

    assert names(text) == [
        "System, message 1",
        "Customer, message 2",
        "Agent, message 3",
        "Agent, message 5",
        "Agent, message 5",
    ]
    came = [re.search(r"came with </span>v(\d)", one)[1] for one in found]
    assert came == ["0", "0", "1", "2", "4"]
    assert ["set aside by" in one for one in found] == [False] * 3 + [True, False]
    assert "Oldest first, read from the list <code>messages</code>" in text


def test_system_text_is_folded(viewer, project, kept):
    policy = articles(page_of(viewer, project, kept.id))[0]

    details = policy.index("<details>")
    assert "System text, 23 characters" in policy
    assert details < policy.index(POLICY) < policy.index("</details>")


def test_an_answer_goes_with_the_call_it_answers(viewer, project, kept):
    call = articles(page_of(viewer, project, kept.id))[2]

    assert "get_booking" in call
    assert "&quot;id&quot;: &quot;ABC123&quot;" in call
    assert "&quot;paid&quot;: 90" in call


def test_an_answer_without_its_call_is_told_by_itself(viewer, project, api):
    lone = message("tool", "[1, 2]", tool_call_id="gone", name="look_up")
    talk = Talk(api(), messages=[lone])

    text = page_of(viewer, project, talk.id)

    assert names(text) == ["Tool look_up, message 1"]
    assert "[1, 2]" in text


def test_messages_in_the_state_are_found_as_well(viewer, project, api):
    asked = {"type": "human", "content": "A seat, please", "id": "h1"}
    blocks = [{"type": "text", "text": "Booked"}, {"type": "text", "text": "12A"}]
    talk = Talk(api(), initial_state={"messages": [asked]})
    reply = {"type": "ai", "content": blocks, "id": "a1"}
    talk.write({"messages": [asked, reply]})

    text = page_of(viewer, project, talk.id)

    assert names(text) == ["Customer, message 1", "Agent, message 2"]
    assert "Booked\n\n12A" in text


def test_a_message_that_is_written_anew_says_so(viewer, project, api):
    first = message("assistant", "Let me", id="m1")
    talk = Talk(api(), messages=[first])
    talk.write({"n": 1}, messages=[first | {"content": "Let me look"}])

    found = articles(page_of(viewer, project, talk.id))

    assert ["written anew" in one for one in found] == [False, True]


def test_what_the_agent_dropped_stays_told(viewer, project, api):
    said = [message("user", f"line {n}.") for n in range(4)]
    talk = Talk(api(), messages=said)
    talk.write({"n": 1}, messages=[message("system", "summary"), said[-1]])

    text = page_of(viewer, project, talk.id)

    assert re.findall(r"line \d\.", text) == [f"line {n}." for n in range(4)]
    assert "summary" in text


def test_the_turns_are_shown_where_the_list_is_shorter(viewer, project, api):
    talk = Talk(api(), messages=[message("user", "only the newest")])
    talk.turn("one", "1")
    talk.turn("two", "2")

    turns_first = page_of(viewer, project, talk.id)
    other = page_of(viewer, project, talk.id, "?source=messages")

    assert names(turns_first)[0] == "Customer, turn 1"
    assert "only the newest" in other
    assert (
        'href="' + address(project, talk.id, "conversation") + "?source=turns" in other
    )


def test_messages_are_paged_either_way_without_a_gap(viewer, project, api, monkeypatch):
    monkeypatch.setattr(messages, "VERSIONS", 2)
    monkeypatch.setattr(messages, "MESSAGES", 3)
    said = [message("user", f"line {n}.") for n in range(5)]
    talk = Talk(api(), messages=list(said))
    for n in range(5, 12):
        talk.write({"quiet": n})
        said.append(message("user", f"line {n}."))
        talk.write({}, messages=list(said))
    expected = [f"line {n}." for n in range(12)]

    forward, query = [], "?source=messages"
    while query is not None:
        text = page_of(viewer, project, talk.id, query)
        forward += re.findall(r"line \d+\.", text)
        query = link(text, "next")
    back, query = [], "?before=99.0&source=messages"
    while query is not None:
        text = page_of(viewer, project, talk.id, query)
        back = re.findall(r"line \d+\.", text) + back
        query = link(text, "prev")

    assert forward == expected
    assert back == expected


MORE_TURNS = """
INSERT INTO timeline_turn (session_id, turn_number, id, head_number, made_version,
       state_after_sent, actor_kind, actor_id, actor_label, trace_id, input_type,
       output_type, codec, data, size, request_digest, created_at)
SELECT session_id, turn_number + n, 'turn_' || lpad(n::text, 26, '0'), head_number,
       false, state_after_sent, actor_kind, actor_id, actor_label, trace_id, input_type,
       output_type, codec, data, size, request_digest, created_at
  FROM timeline_turn, generate_series(1, %s) n WHERE session_id = %s
"""


def with_turns(api, count):
    """A session with as many turns as are asked for, all of which say the same."""
    talk = Talk(api())
    talk.turn("A question of some length. " * 4, "An answer. " * 10)
    with connection.cursor() as cursor:
        cursor.execute(MORE_TURNS, [count - 1, talk.id])
    Session.objects.filter(id=talk.id).update(turn_count=count)
    return talk


@pytest.mark.parametrize("query", ["", "?before=9.0", "?version=0", "?whole=1.1"])
def test_a_thousand_turns_take_as_many_statements_as_ten(viewer, project, api, query):
    few, many = with_turns(api, 10), with_turns(api, 1_000)
    page_of(viewer, project, few.id, query)

    def sent_for(talk):
        with counted_queries() as sent:
            page_of(viewer, project, talk.id, query)
        return sent

    assert len(sent_for(few)) == len(sent_for(many)) > 0
    # Who reads (2), whether they may, the session; the head, which may hold messages,
    # the turns, the place of the version in them, their summaries; the rollbacks; the
    # sidebar (3); the title.
    assert len(sent_for(many)) <= 14


@pytest.mark.parametrize("number", [0, 60])
def test_as_many_versions_take_as_many_statements(viewer, project, api, number):
    few, many = (Talk(api(), messages=[message("user", "Hi")]) for _ in range(2))
    few.write({"n": 1}, messages=[message("user", "Hi"), message("assistant", "Yes")])
    for n in range(number + 9):
        said = [message("user", f"line {one}.") for one in range(n + 2)]
        many.write({"n": n}, messages=said)
    page_of(viewer, project, few.id)

    def n_statements(talk):
        with counted_queries() as sent:
            page_of(viewer, project, talk.id)
        return len(sent)

    # Those of turns, and the versions' bodies in one; the last change, as nothing
    # else is a title; whether people are asked, and incidents are open.
    assert n_statements(few) == n_statements(many) <= 15


@pytest.mark.parametrize("query", ["", "?before=10001.0", "?after=5000.0"])
def test_a_page_of_ten_thousand_turns_is_as_small_as_any(viewer, project, api, query):
    talk = with_turns(api, 10_000)

    text = page_of(viewer, project, talk.id, query)

    assert len(articles(text)) == 2 * turns.TURNS
    assert len(text) < 120_000


def permalinks(text):
    """Return the query and the anchor of each message's link to itself."""
    found = re.findall(r'class="permalink" href="[^"?]+([^"#]+)#([^"]+)"', text)
    return [(unescape(query), anchor) for query, anchor in found]


@pytest.mark.parametrize("source", ["turns", "messages"])
def test_a_message_can_be_linked_to_wherever_it_is(viewer, project, api, source):
    said = [message("user", f"line {n}.") for n in range(200)]
    talk = Talk(api(), messages=said)
    talk.write({"n": 1}, messages=[*said, message("assistant", "At last.")])
    for n in range(9):
        talk.turn(f"heard {n}.")

    for where in ("", "&before=8.0", "&after=0.150"):
        found = permalinks(
            page_of(viewer, project, talk.id, f"?source={source}{where}")
        )
        assert len(found) > 10
        for query, anchor in (found[0], found[1], found[-1]):
            assert f'id="{anchor}"' in page_of(viewer, project, talk.id, query)


@pytest.mark.parametrize("query", ["", "?before=2.0", "?after=0.5000", "?version=1"])
def test_a_page_of_ten_thousand_messages_is_as_small_as_any(
    viewer, project, api, query
):
    said = [message("user", f"line {n}. " + "word " * 40) for n in range(10_000)]
    talk = Talk(api(), messages=said)
    talk.write({"n": 1}, messages=[*said, message("assistant", "At last.")])

    text = page_of(viewer, project, talk.id, query)

    assert 0 < len(articles(text)) <= messages.MESSAGES
    assert len(text.encode()) < 120_000


def test_calls_and_texts_of_any_size_keep_the_page_small(viewer, project, api):
    talk = Talk(api())
    calls = [calling(f"c{n}", "look", {"q": "<&" * 2_000}) for n in range(40)]
    many = [one["tool_calls"][0] for one in calls]
    for _ in range(10):
        talk.turn("<&" * 1_900, {"content": "<&" * 1_900, "tool_calls": many})

    text = page_of(viewer, project, talk.id)

    assert "and 28 more calls" in text
    assert len(text) < 300_000


def test_a_fork_leads_to_what_was_said_before_it(viewer, project, api, talk):
    made = api().post(f"/v1/sessions/{talk.id}/fork", {"version": 1}).body["id"]

    text = page_of(viewer, project, made)

    origin = address(project, talk.id, "conversation") + "?version=1#v1"
    assert f'href="{origin}"' in text


def test_a_session_without_a_conversation_says_so(viewer, project, api):
    talk = Talk(api())

    text = page_of(viewer, project, talk.id)
    looked = page_of(viewer, project, talk.id, "?source=messages")

    assert "There is no turn to read a conversation from" in text
    assert "No version that was read holds a list of messages" in looked


def test_the_page_of_a_session_leads_there_and_back(viewer, project, talk):
    where = address(project, talk.id)
    text = viewer.get(where).content.decode()

    assert f'<a href="{where}/conversation">Conversation</a>' in text
    assert f'<a href="{where}">Timeline</a>' in page_of(viewer, project, talk.id)


def test_a_turn_that_is_damaged_says_so_and_the_others_stay(viewer, project, talk):
    damage(Place("timeline_turn", talk.id, 1, "data", None), b"nonsense")

    text = page_of(viewer, project, talk.id)

    assert "not what was written" in articles(text)[0]
    assert "Thanks" in text
    page_of(viewer, project, talk.id, "?whole=1.0")


def test_a_body_that_is_damaged_says_what_is_missing(viewer, project, kept):
    damage(Place("timeline_body", kept.id, 2, "data", None), b"nonsense")

    text = page_of(viewer, project, kept.id, "?source=messages")

    assert "Not everything is here" in text
    assert address(project, kept.id, "versions", 2) in text
    assert "Cancel ABC123" in text
    page_of(viewer, project, kept.id)
    page_of(viewer, project, kept.id, "?source=messages&whole=2.4", 404)


HOSTILE = "<img src=x onerror=alert(1)>\u202e"
FAMILY = "👨‍👩‍👧‍👦"
SIDES = [
    {"type": HOSTILE, "content": {HOSTILE: HOSTILE}},
    {"role": HOSTILE, "content": [HOSTILE, {"text": HOSTILE}, 7]},
    {"type": "text", "content": None},
    {HOSTILE: [HOSTILE]},
    {},
    {"content": HOSTILE + "שלום " + FAMILY, "tool_calls": "none"},
    {"content": "", "tool_calls": [7, None, {"function": {"name": HOSTILE}}]},
]


@pytest.mark.parametrize("side", SIDES)
def test_hostile_turns_and_messages_are_told_as_text(viewer, project, api, side):
    talk = Talk(api(), messages=[side, HOSTILE, 7, None, [side]])
    talk.turn(side, side)

    for query in ("?source=turns", "?source=messages"):
        text = page_of(viewer, project, talk.id, query)
        assert "<img" not in text
        assert "\u202e" not in text
        for entry in re.findall(r"whole=\d+\.\d+", text):
            page_of(viewer, project, talk.id, f"{query}&{entry}")


def test_right_to_left_is_isolated_and_joined_emoji_stay_joined(viewer, project, api):
    talk = Talk(api())
    talk.turn(f"שלום {FAMILY}", "x" * 1_499 + FAMILY + "y" * 9_000)

    text = page_of(viewer, project, talk.id)

    assert f'dir="auto">שלום {FAMILY}<' in text
    # Cut before the family, not through it.
    assert "x" * 1_499 + "…" in text


@pytest.mark.parametrize(
    "query",
    [
        "?source=nonsense",
        "?after=x",
        "?before=1",
        "?version=x",
        "?version=-1",
        "?whole=1.x",
        "?nonsense=1",
        "?after=1.0&before=2.0",
        "?version=1&after=1.0",
        "?after=" + "9" * 19 + ".0",
    ],
)
def test_what_means_nothing_is_refused_by_name(viewer, project, talk, query):
    text = page_of(viewer, project, talk.id, query, 400)

    assert query.strip("?").partition("=")[0] in text


@pytest.mark.parametrize(
    "query",
    [
        "?version=99",
        "?whole=99.0",
        "?source=messages&whole=99.0",
        "?source=messages&whole=0.7",
    ],
)
def test_what_is_not_there_is_404(viewer, project, talk, query):
    page_of(viewer, project, talk.id, query, 404)


@pytest.mark.parametrize("source", ["turns", "messages"])
@pytest.mark.parametrize(
    "where",
    ["after=99.0", "after=" + "9" * 18 + ".0", "before=0.0", "after=0.999999999"],
)
def test_a_place_beyond_either_end_is_an_empty_page(
    viewer, project, talk, source, where
):
    page_of(viewer, project, talk.id, f"?source={source}&{where}")


def test_nobody_else_sees_it(client, project, other_project, talk):
    where = address(project, talk.id, "conversation")

    anonymous = client.get(where, headers=HTML)
    stranger = signed_in(client, make_member(other_project, "mallory", Role.ADMIN))

    assert anonymous.status_code == 302
    assert "/signin" in anonymous["Location"]
    assert stranger.get(where, headers=HTML).status_code == 404
    foreign = address(other_project, talk.id, "conversation")
    assert stranger.get(foreign, headers=HTML).status_code == 404


def test_an_unknown_session_is_404(viewer, project):
    page_of(viewer, project, UNKNOWN, status=404)
