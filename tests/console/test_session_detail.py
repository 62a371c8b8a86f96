"""A session's page and its versions' pages: what changed, what was set aside."""

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Role
from apps.console import queries
from apps.console.pages.session import session_page
from apps.console.templatetags.console import slashed
from apps.core import json
from apps.timeline import bodies, hooks
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from tests.accounts.make import make_member
from tests.acting import erasing
from tests.console.make import (
    KEY,
    NOW,
    STATE,
    Story,
    address,
    counted_queries,
    signed_in,
)

HOSTILE = "<img src=x onerror=alert(1)>\u202e\u0007"
UNKNOWN = "sess_" + "0" * 26


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


@pytest.fixture
def trip(project):
    """v0 created, v1 and v2 updated, v3 rolled back to v1, v4 updated."""
    story = Story(project, user_id="u_17", metadata={"env": "prod"})
    story.update({"travellers": ["Ann", "Ben", "Cy"]}, reasoning="one more")
    story.update({"dates": None}, reasoning="cancel everything?", trace_id="trace-9c1")
    story.rollback(1, reason="dates lost", reason_code="wrong_state")
    return story.update({"budget": 1200})


def text_of(client, *where):
    page = client.get(address(*where))
    assert page.status_code == 200
    return page.content.decode()


def entry_of(text, number):
    """The part of a session's page that is about one version."""
    start = text.index(f'id="v{number}"')
    return text[start : text.index("</li>\n", text.index("provenance", start))]


def class_of(text, number):
    start = text.rindex("<li", 0, text.index(f'id="v{number}"'))
    return text[start : text.index(">", start)]


def test_it_shows_versions_newest_first(viewer, project, trip):
    text = text_of(viewer, project, trip.id)

    places = [text.index(f'id="v{number}"') for number in (4, 3, 2, 1, 0)]
    assert places == sorted(places)


def test_a_version_says_what_changed_in_words_and_as_json(viewer, project, trip):
    text = text_of(viewer, project, trip.id, "versions", 2)
    entry = entry_of(text, 2)

    assert "dates lost (turned null)" in entry
    assert '<span class="pointer">/dates</span>' in text
    assert '<del><bdi dir="ltr">{&quot;depart&quot;: &quot;2026-03-15&quot;' in text
    assert '<ins class="is-null"><bdi>null</bdi></ins>' in text
    assert "cancel everything?" in entry
    assert "turned null" in entry
    assert "trace-9c1" in entry
    assert "sb_7f3a" in entry
    assert "<time class=" in entry


def test_it_asks_once_how_the_session_stands(viewer, project, trip, monkeypatch):
    asked = []

    def among(sessions, now):
        asked.extend(sessions)
        return set(sessions)

    nothing = dict.fromkeys(("newest", "open", "ever"), lambda *_, **__: [])
    one = hooks.Asked(among=among, **nothing)
    monkeypatch.setitem(hooks.ASKED, "test", one)

    assert "waiting" in text_of(viewer, project, trip.id)
    assert asked == [trip.id]


def test_signs_stand_beside_words_for_who_does_not_see_them(viewer, project, trip):
    text = text_of(viewer, project, trip.id, "versions", 1)
    entry = entry_of(text, 1)

    assert '<span class="sign" aria-hidden="true">+</span>' in text
    assert '<span class="kind">added</span>' in text
    assert "Cy added to travellers" in entry


def test_versions_set_aside_stay_and_say_so(viewer, project, trip):
    text = text_of(viewer, project, trip.id)

    aside = [n for n in range(5) if "set-aside" in class_of(text, n)]
    assert aside == [2]
    assert "set aside by <a" in entry_of(text, 2)
    assert address(project, trip.id, "versions", 3) in entry_of(text, 2)


def test_a_rollback_says_where_to_and_why(viewer, project, trip):
    entry = entry_of(text_of(viewer, project, trip.id), 3)

    assert "rollback to v1" in entry
    assert "dates lost" in entry
    assert "wrong_state" in entry
    assert "olga" in entry


def test_labels_stand_at_their_version(viewer, project, trip):
    trip.label(1, "known-good")

    text = text_of(viewer, project, trip.id)

    assert "known-good" in entry_of(text, 1)
    told, _, _ = text.partition('<dialog id="keys"')
    assert told.count("known-good") == 1
    assert "known-good" in text_of(viewer, project, trip.id, "versions", 1)


def test_only_the_label_that_means_well_looks_well(viewer, project, trip):
    trip.label(1, "known-good")
    trip.label(2, "corrupted")

    text = text_of(viewer, project, trip.id)

    assert "badge label good" in entry_of(text, 1)
    assert "✔" in entry_of(text, 1)
    assert "corrupted" in entry_of(text, 2)
    assert "good" not in entry_of(text, 2)
    assert "✔" not in entry_of(text, 2)


def test_a_fork_links_to_its_origin_and_the_origin_to_its_forks(viewer, project, trip):
    fork = trip.fork(2)

    origin = address(project, trip.id, "versions", 2)
    assert origin in text_of(viewer, project, fork)
    assert origin in text_of(viewer, project, fork, "versions", 0)
    assert address(project, fork) in text_of(viewer, project, trip.id)


def test_a_parent_and_its_children_link_to_each_other(viewer, project, trip):
    child = Story(project, metadata={"parent_session_id": trip.id})

    assert "child of" in text_of(viewer, project, child.id)
    assert address(project, trip.id) in text_of(viewer, project, child.id)
    assert "1 child session" in text_of(viewer, project, trip.id)
    assert address(project, child.id) in text_of(viewer, project, trip.id)


def test_of_many_children_the_newest_are_shown_and_all_are_found(
    viewer, project, trip, monkeypatch
):
    monkeypatch.setattr(queries, "SHOWN_FORKS", 2)
    about = {"parent_session_id": trip.id}
    # Ids sort by the millisecond in which they were made.
    children = [
        Story(project, now=NOW + timedelta(hours=hour), metadata=about).id
        for hour in range(3)
    ]

    text = text_of(viewer, project, trip.id)

    assert [one in text for one in children] == [False, True, True]
    assert f"?q=parent:{trip.id}" in text


@pytest.mark.parametrize("named", [UNKNOWN, HOSTILE, 7, None, {"id": UNKNOWN}])
def test_a_parent_that_is_none_is_not_linked(viewer, project, named):
    child = Story(project, metadata={"parent_session_id": named})

    assert "child of" not in text_of(viewer, project, child.id)


def test_a_session_is_no_child_of_itself_nor_of_another_project(
    viewer, project, other_project, trip
):
    timeline.update_metadata(
        session_id=trip.id, metadata={"parent_session_id": trip.id}, act=trip.act(KEY)
    )
    theirs = Story(other_project, metadata={"parent_session_id": trip.id})
    child = Story(project, metadata={"parent_session_id": theirs.id})

    text = text_of(viewer, project, trip.id)

    assert "child of" not in text
    assert "child session" not in text
    assert "child of" not in text_of(viewer, project, child.id)


def test_versions_come_page_by_page(viewer, project, trip, monkeypatch):
    monkeypatch.setattr(session_page, "ROWS", 2)

    first = text_of(viewer, project, trip.id)
    second = viewer.get(address(project, trip.id) + "?after=3").content.decode()
    last = viewer.get(address(project, trip.id) + "?after=1").content.decode()

    assert '?after=3" rel="next"' in first
    assert 'id="v3"' in first
    assert 'id="v2"' not in first
    assert "set-aside" in class_of(second, 2)
    assert 'id="v0"' in last
    assert 'rel="next"' not in last


@pytest.mark.parametrize("after", ["x", "-1", "9" * 30])
def test_a_place_that_means_nothing_is_refused(viewer, project, trip, after):
    page = viewer.get(address(project, trip.id) + f"?after={after}")

    assert page.status_code == 400


def test_a_version_that_changed_very_much_says_how_much(viewer, project):
    story = Story(project, {}).update({f"k{n}": n for n in range(120)})

    text = text_of(viewer, project, story.id)

    assert "120 changes in all" in entry_of(text, 1)
    page = text_of(viewer, project, story.id, "versions", 1)
    assert page.count('<li class="change ') == 120


def test_a_deleted_session_stays_readable_and_says_so(viewer, project, trip):
    trip.delete()

    text = text_of(viewer, project, trip.id)

    assert "This session was deleted" in text
    assert "cancel everything?" in text
    assert '"prod"' not in text  # quotes are escaped
    assert "&quot;prod&quot;" in text


def test_an_expired_session_stays_readable_and_says_so(viewer, project):
    now = timezone.now() - timedelta(hours=2)
    story = Story(project, now=now, ttl_seconds=60)

    assert "This session has expired" in text_of(viewer, project, story.id)
    assert "NYC" in text_of(viewer, project, story.id, "versions", 0)


def test_a_version_shows_its_whole_state_and_its_neighbours(viewer, project, trip):
    text = text_of(viewer, project, trip.id, "versions", 2)
    state = viewer.get(address(project, trip.id, "versions", 2) + "?tab=state")

    assert '<code class="value">&quot;NYC&quot;</code>' in state.content.decode()
    assert '<code class="value">null</code>' in state.content.decode()
    assert "Changes against v1" in text
    assert f'{address(project, trip.id, "versions", 1)}" rel="prev"' in text
    assert f'{address(project, trip.id, "versions", 3)}" rel="next"' in text
    assert "set aside by" in text


def test_a_large_state_shows_its_beginning_and_leads_to_the_rest(viewer, project):
    story = Story(project, {f"key-{n}": "x" * 1_000 for n in range(2_000)})
    where = address(project, story.id, "versions", 0)

    text = viewer.get(f"{where}?tab=state").content.decode()
    further = viewer.get(f"{where}/value?pointer=&start=1900").content.decode()
    whole = viewer.get(f"{where}/value?pointer=/key-1999").content.decode()

    assert '<span class="key">key-0</span>' in text
    assert "key-1999" not in text
    assert ">1,900 more</a>" in text
    assert "x" * 400 not in text
    assert '<span class="key">key-1999</span>' in further
    assert "x" * 1_000 in whole


def test_the_state_can_be_downloaded_but_never_run(viewer, project):
    state = {"big": 2**80, "a": "<script>", "nul": "\u0000"}
    story = Story(project, state)

    answer = viewer.get(address(project, story.id, "versions", 0, "state.json"))

    assert json.parse(answer.content) == state
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == (
        f'attachment; filename="{story.id}-v0.json"'
    )
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_hostile_text_is_shown_and_does_nothing(viewer, project):
    story = Story(
        project, agent=HOSTILE, user_id=HOSTILE, metadata={HOSTILE: HOSTILE}
    ).update(
        {HOSTILE: HOSTILE, "list": [HOSTILE, {HOSTILE: HOSTILE}]},
        reasoning=HOSTILE,
        trace_id=HOSTILE,
        model=HOSTILE,
        release=HOSTILE,
        external_id=HOSTILE,
        objective_status=HOSTILE,
        schema_version=HOSTILE,
    )
    story.rollback(0, reason=HOSTILE, reason_code=HOSTILE)

    pages = [
        text_of(viewer, project, story.id, *rest)
        for rest in ((), ("versions", 1), ("versions", 2))
    ]

    for text in pages:
        assert "<img" not in text
        assert "\u202e" not in text
        assert "\u0007" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩" in text


def tamper(story):
    """Change what was stored, as somebody with the database in hands can."""
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_body SET salt = 'x' WHERE session_id = %s", [story.id]
        )
    bodies.cache.forget(story.id)


def test_a_state_that_is_not_what_was_written_is_not_shown(viewer, project, trip):
    tamper(trip)
    viewer.raise_request_exception = False

    text = text_of(viewer, project, trip.id, "versions", 2)
    where = address(project, trip.id, "versions", 2)
    tabs = [
        viewer.get(f"{where}?tab={tab}").content.decode()
        for tab in ("state", "checkpoint")
    ]
    answer = viewer.get(f"{where}/state.json")

    for shown in (text, *tabs):
        assert "is not the one that was written" in shown
        assert "&quot;NYC&quot;" not in shown
    assert "dates lost (turned null)" in text
    assert answer.status_code == 500


@pytest.mark.parametrize("rest", [(), ("versions", 0), ("versions", 0, "state.json")])
class TestEveryPage:
    def test_it_works_for_a_viewer(self, viewer, project, trip, rest):
        assert viewer.get(address(project, trip.id, *rest)).status_code == 200

    def test_it_is_only_read(self, viewer, project, trip, rest):
        assert viewer.post(address(project, trip.id, *rest)).status_code == 405

    def test_anonymous_people_sign_in_first(self, client, project, trip, rest):
        where = address(project, trip.id, *rest)

        answer = client.get(where)

        assert answer.status_code == 302
        assert answer["Location"].endswith(f"?next={where}")

    def test_a_stranger_finds_nothing(self, client, project, other_project, trip, rest):
        client = signed_in(client, make_member(other_project, "mallory"))

        assert client.get(address(project, trip.id, *rest)).status_code == 404
        assert client.get(address(other_project, trip.id, *rest)).status_code == 404

    def test_an_unknown_session_is_not_found(self, viewer, project, rest):
        assert viewer.get(address(project, UNKNOWN, *rest)).status_code == 404


@pytest.mark.parametrize("number", ["5", "9" * 18, "9" * 40, "-1", "01", "x"])
def test_an_unknown_version_is_not_found(viewer, project, trip, number):
    page = viewer.get(address(project, trip.id, "versions", number))

    assert page.status_code == 404


@pytest.mark.parametrize("name", ["sess_%00", "x", "SESS_" + "0" * 26])
def test_what_is_no_id_of_a_session_is_not_found(viewer, project, name):
    assert viewer.get(address(project, name)).status_code == 404


# Decoded bodies are kept once they are committed: inside a transaction of the test the
# same body would be read again.
@pytest.mark.django_db(transaction=True)
def test_the_number_of_queries_does_not_grow_with_the_versions(viewer, project):
    story = Story(project)

    def go_on():
        story.update({"n": 1}).update({"n": 2}).rollback(0)
        story.label(1, f"label-{story.now:%M}")
        story.fork(1)

    def n_queries(*rest):
        with counted_queries() as sent:
            assert viewer.get(address(project, story.id, *rest)).status_code == 200
        return len(sent)

    go_on()
    before = n_queries(), n_queries("versions", 1)
    go_on()
    after = n_queries(), n_queries("versions", 1)

    assert before == after
    # Signed in (2), membership, session; the timeline's versions, rollbacks, what is
    # attached, turns, the strip and the title; forks; the version, its labels, its two
    # bodies; what waits in the sidebar (3); the line of its life and the
    # verdict (4); how it stands, and whether it is watched; what is owed outside; whom
    # people are asked for, by its row and by how it stands (2); its heartbeat.
    assert max(before) <= 28


WHY = (
    "The customer wants to leave a day later and keep the window seats. The cheaper "
    "fare is gone, so the difference has to be asked for first; the policy allows one "
    "free change within 24 hours of booking, which ended this morning. I will look up "
    "what is left on Thursday, name both prices, and wait for a yes."
)
HEARD = (
    "Could we fly on Thursday instead? My daughter has an exam on Wednesday afternoon, "
    "and we would like to sit together again, please."
)
TOLD = (
    "On Thursday there are two flights with three seats side by side, at 10:05 and at "
    "16:40. Changing costs 75 EUR for each of you. Shall I book the later one?"
)


def test_the_page_of_a_long_session_is_small(client, project):
    # Who may act has the most to choose from.
    viewer = signed_in(client, make_member(project, "olga", Role.OPERATOR))
    state = {f"place-{n:04}": n for n in range(200)}
    story = Story(project, state)
    for n in range(1, 220):
        patch = {f"place-{n % 200:04}": -n, "step": f"step {n}"}
        if n % 9 == 0:
            patch |= {f"seat-{n}": "17C"}
        if n % 9 == 1:
            patch |= {f"seat-{n - 1}": None}
        tools = [{"name": "search_flights", "arguments": {"day": "Thursday"}}]
        state = state | patch
        story.said(
            {"type": "text", "content": HEARD},
            {"type": "text", "content": TOLD, "tool_calls": tools},
            state,
            reasoning=WHY,
            release="2026.11.2",
            model="large-3-2026-10-01",
        )
        if n % 8 == 0:
            story.note(WHY[:180], n)
        if n % 10 == 0:
            story.fork(n)
        if n % 60 == 0:
            story.rollback(n - 20, reason=WHY)
            story.label(n - 20, "known-good")
            story.label(n - 19, "checked by the night shift")

    for rest in ((), ("versions", 100), ("versions", 219)):
        page = viewer.get(address(project, story.id, *rest)).content
        assert b"v222" in page
        assert html.escape(WHY[:150]).encode() in page
        # 110, 113 and 111 kB, of which rows take 46, the strip 16 and the forks 8.
        assert len(page) < 120_000


def test_reading_writes_nothing(viewer, project, trip):
    before = Session.objects.filter(id=trip.id).values().get()

    text_of(viewer, project, trip.id)
    text_of(viewer, project, trip.id, "versions", 0)

    assert Session.objects.filter(id=trip.id).values().get() == before
    assert STATE["destination"] == "NYC"


def test_pointers_wrap_where_a_part_of_them_begins(viewer, project, trip):
    trip.update({"dates": {"depart": "2026-04-01"}})

    text = text_of(viewer, project, trip.id, "versions", 5)

    assert '<span class="pointer">/dates<wbr>/depart</span>' in text


def test_what_a_pointer_holds_is_escaped():
    shown = slashed("/a<b>//c")

    assert shown == "/a&lt;b&gt;<wbr>/<wbr>/c"


def test_the_tree_is_open_and_tinted_where_the_version_changed_something(
    viewer, project
):
    deep = {"trip": {"legs": {"first": {"seat": "1A"}}}, "prefs": {"meal": "veg"}}
    story = Story(project, state=deep)
    story.update({"trip": {"legs": {"first": {"seat": "2C"}}}})

    text = viewer.get(
        address(project, story.id, "versions", 1) + "?tab=state"
    ).content.decode()

    assert "Tinted: what this version set." in text
    tinted = re.findall(r'is-changed">(?:<[^>]*>)*([^<]*)<', text)
    assert tinted == ["seat"]
    opened = re.findall(r'<details open[^>]*><summary><span class="key">([^<]*)<', text)
    assert {"trip", "legs", "first"} <= set(opened)
    assert "prefs" not in opened
    # What began with the session has nothing to set it apart.
    began = viewer.get(address(project, story.id, "versions", 0) + "?tab=state")
    assert "Tinted" not in began.content.decode()
