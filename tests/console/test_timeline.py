"""The timeline of a session: filters, folds, turns, the strip, jumps, and following."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.console.pages.session import session_page
from apps.core import sql
from apps.core.notes.signed import SigningKey
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from apps.timeline.queries import pages
from apps.timeline.versions.reading import Step
from apps.witness import signing
from tests.accounts.make import make_member
from tests.console.make import (
    KEY,
    NOW,
    PERSON,
    Story,
    address,
    counted_queries,
    signed_in,
)
from tests.timeline.damage import Place, damage, unchain
from tests.witness import forging

HTMX = {"HX-Request": "true"}


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


@pytest.fixture
def trip(project):
    """v1 and v2 updated, v3 rolled back to v1, v4 updated."""
    story = Story(project)
    story.update({"travellers": ["Ann", "Ben", "Cy"]}, reasoning="one more")
    story.update({"dates": None}, reasoning="cancel everything?")
    story.rollback(1, reason="dates lost")
    return story.update({"budget": 1200})


def text_of(client, where, status=200, **headers):
    answer = client.get(where, headers=headers)
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def numbers(text):
    return [int(n) for n in re.findall(r'id="v(\d+)" data-number', text)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("path=/dates", [3, 2, 0]),
        ("path=dates.depart", [3, 2, 0]),
        ("path=/budget", [4]),
        ("path=/nothing/here", []),
        ("op=rollback", [3]),
        ("actor=user", [3]),
        ("actor=sb_7f3a", [4, 2, 1, 0]),
        ("label=known-good", [1]),
        ("path=/dates&actor=olga", [3]),
    ],
)
def test_it_is_filtered(viewer, project, trip, query, found):
    trip.label(1, "known-good")

    text = text_of(viewer, f"{address(project, trip.id)}?{query}")

    assert numbers(text) == found
    assert ("No version of this session matches" in text) == (not found)


def test_a_path_that_is_no_pointer_is_refused(viewer, project, trip):
    answer = viewer.get(f"{address(project, trip.id)}?path=/a~2")

    assert answer.status_code == 400
    assert "not a JSON pointer" in answer.content.decode()


def test_a_version_with_too_many_changes_may_have_touched_the_path(viewer, project):
    story = Story(project).update({"n": {f"k{n}": n for n in range(400)}})
    story.update({"other": 1})

    text = text_of(viewer, f"{address(project, story.id)}?path=/anything")

    assert numbers(text) == [1]


# Decoded bodies are kept once they are committed.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "query", ["", "path=/dates", "path=/dates&op=update&actor=key&label=known-good"]
)
def test_the_timeline_takes_six_statements(viewer, project, trip, query):
    trip.label(2, "known-good")
    where = address(project, trip.id) + f"?{query}"
    to_enter = 3  # who reads (two), and whether they may

    with counted_queries() as sent:
        text_of(viewer, where, **HTMX, **{"HX-Target": "timeline-pane"})

    assert 0 < len(sent) - to_enter <= 6, "\n".join(map(str, sent))


def test_a_deleted_session_is_filtered_by_path_too(viewer, project, trip):
    trip.delete()

    assert numbers(text_of(viewer, f"{address(project, trip.id)}?path=/budget")) == [4]


@pytest.mark.parametrize("query", ["", "?op=update", "?path=/dates"])
def test_notes_on_the_session_stand_in_the_timeline_whatever_is_filtered(
    viewer, project, query
):
    story = Story(project)
    story.note("called the customer")
    story.update({"dates": None})
    story.note("called again")

    text = text_of(viewer, address(project, story.id) + query)

    places = [text.index(said) for said in ("called again", 'id="v1"')]
    assert places == sorted(places)
    assert text.index('id="v1"') < text.index("called the customer")


def test_every_note_on_the_session_is_on_one_page_of_a_filtered_timeline(
    viewer, project, monkeypatch
):
    monkeypatch.setattr(session_page, "ROWS", 2)
    story = Story(project, {"n": 0, "odd": 0})
    for n in range(1, 9):
        story.update({"n": n} if n % 2 else {"odd": n})
        story.note(f"note {n}.")
    where = address(project, story.id) + "?path=/odd"

    first = text_of(viewer, where)
    second = text_of(viewer, f"{where}&after=6")
    third = text_of(viewer, f"{where}&after=2")

    said = [re.findall(r"note \d\.", text) for text in (first, second, third)]
    assert said[0] == ["note 8.", "note 7.", "note 6."]
    assert said[1] == ["note 5.", "note 4.", "note 3.", "note 2."]
    assert said[2] == ["note 1."]


def test_what_stands_at_filtered_versions_is_found_however_much_stands_between(
    viewer, project, monkeypatch
):
    monkeypatch.setattr(pages, "LABELS", 2)
    monkeypatch.setattr(
        pages, "ANNOTATIONS", pages.ANNOTATIONS.replace("LIMIT 500", "LIMIT 2")
    )
    story = Story(project, {"n": 0})
    for n in range(1, 7):
        story.update({"n": n}, reasoning=f"step {n}").label(n, f"a-{n}")
    story.rollback(1).label(7, "zzz")

    text = text_of(viewer, f"{address(project, story.id)}?op=rollback")

    assert "zzz" in text


def test_turns_beyond_a_list_are_told(viewer, project, api, monkeypatch):
    monkeypatch.setattr(session_page, "LISTED_TURNS", 3)
    fewer = sql.of_session(pages.TURNS.replace("LIMIT 200", "LIMIT 3"))
    monkeypatch.setattr(pages, "TURNS", fewer)
    client = api()
    made = client.post(
        "/v1/sessions", {"agent_id": "a", "initial_state": {"n": 0}}
    ).body
    turns = f"/v1/sessions/{made['id']}/turns"
    for n in range(2):
        client.post(turns, {"input": "hi", "output": "bye", "state_after": {"n": n}})
        client.post(turns, {"input": "hi", "output": "bye"})

    text = text_of(viewer, address(project, made["id"]))

    assert text.count("There may be more turns here") == 1
    assert 'href="' + address(project, made["id"], "versions", 0) + "?tab=turns" in text


@pytest.mark.parametrize("query", ["op=nonsense", "after=x", "label=" + "x" * 101])
def test_a_filter_that_means_nothing_says_so(viewer, project, trip, query):
    text = text_of(viewer, f"{address(project, trip.id)}?{query}", 400)

    assert 'role="alert"' in text


def test_a_link_to_a_version_opens_it_where_it_stands(viewer, project, monkeypatch):
    monkeypatch.setattr(session_page, "ROWS", 6)
    monkeypatch.setattr(session_page, "ABOVE", 2)
    story = Story(project, {})
    for n in range(20):
        story.update({"n": n})

    text = text_of(viewer, address(project, story.id, "versions", 9))

    assert numbers(text) == [11, 10, 9, 8, 7, 6]
    assert "?after=18" in text  # newer
    assert "?after=6" in text  # older


def test_quiet_versions_fold_and_stay_reachable(viewer, project):
    story = Story(project, {"n": 1})
    for _ in range(5):
        story.update({"n": 1})
    story.update({"n": 2})

    text = text_of(viewer, address(project, story.id))

    assert "5 quiet versions, v1–v5" in text  # noqa: RUF001
    assert numbers(text) == [6, 5, 4, 3, 2, 1, 0]
    opened = text_of(viewer, address(project, story.id, "versions", 3))
    assert re.search(r"<details open><summary>5 quiet versions", opened)


def test_a_burst_folds_but_not_what_asks_for_attention(viewer, project):
    story = Story(project, {"n": 0, "keep": 1})
    act = story.act(KEY)
    for n in range(10):
        act = replace(act, now=act.now + timedelta(milliseconds=100))
        patch = {"keep": None} if n == 8 else {"n": n + 1}
        timeline.update(session_id=story.id, patch=patch, step=Step(), act=act)

    text = text_of(viewer, address(project, story.id))

    assert "8 versions within 1 s, v1–v8" in text  # noqa: RUF001
    fold = text.index("8 versions within")
    assert text.index('id="v9"') < fold


def test_turns_and_their_calls_stand_at_their_version(viewer, project, api):
    client = api()
    made = client.post(
        "/v1/sessions", {"agent_id": "a", "initial_state": {"n": 0}}
    ).body
    call = {"name": "charge_card", "arguments": {"amount": 9}, "id": "c1"}
    turns = f"/v1/sessions/{made['id']}/turns"
    client.post(
        turns,
        {"input": {"type": "tool_call", "tool_metadata": call}, "output": "paid <b>"},
    )
    client.post(turns, {"input": "hi", "output": "bye", "state_after": {"n": 1}})

    text = text_of(viewer, address(project, made["id"]))
    tab = text_of(viewer, address(project, made["id"], "versions", 0) + "?tab=turns")

    assert "charge_card()" in text
    assert "“hi”" in text
    assert "paid &lt;b&gt;" in text
    assert "&quot;amount&quot;: 9" in tab
    assert "charge_card" in tab


def test_the_strip_shows_the_whole_life_in_words(viewer, project, trip):
    fork = trip.fork(0)

    text = text_of(viewer, address(project, trip.id))

    assert "<title>v3, " in text
    assert "rollback at v3" in text
    assert "flag at v2" in text
    assert "fork of v0" in text
    assert fork in text


def test_the_strip_is_bounded(project, monkeypatch):
    monkeypatch.setattr(pages, "BUCKETS", 4)
    story = Story(project, {})
    for n in range(9):
        story.update({"n": n})
    story.rollback(3)

    buckets = pages.strip_buckets(story.id, 10)

    assert [(one.low, one.high) for one in buckets] == [(0, 1), (2, 4), (5, 7), (8, 10)]
    assert [one.rollback for one in buckets] == [None, None, None, 10]


@pytest.mark.parametrize(
    ("go", "number"),
    [
        ("2", 2),
        ("v0", 0),
        ("99", 4),
        ("2026-03-01 12:02:30", 1),
        ("2026-03-01T12:03Z", 2),
        ("2020-01-01", 0),
        ("2030-01-01", 4),
    ],
)
def test_it_jumps_to_a_number_or_a_time(viewer, project, trip, go, number):
    answer = viewer.get(address(project, trip.id, "jump"), {"go": go})

    where = address(project, trip.id, "versions", number)
    assert answer["Location"] == f"{where}#v{number}"


@pytest.mark.parametrize(
    "go", ["", "x", "1" * 30, "2026-13-45", "0001-01-01T00:00:00+23:59"]
)
def test_a_jump_to_nowhere_says_what_it_takes(viewer, project, trip, go):
    answer = viewer.get(address(project, trip.id, "jump"), {"go": go})

    assert answer.status_code == 400


def test_htmx_gets_the_pane_it_asks_for(viewer, project, trip):
    where = address(project, trip.id, "versions", 2)

    pane = viewer.get(where, headers={**HTMX, "HX-Target": "version-pane"})
    rows = viewer.get(where, headers={**HTMX, "HX-Target": "timeline-pane"})

    assert pane.content.decode().strip().startswith('<section class="version-pane"')
    assert "<html" not in pane.content.decode()
    assert rows.content.decode().strip().startswith('<section class="timeline-pane"')
    assert "HX-Request" in pane["Vary"]


@pytest.mark.parametrize(
    "header", ["HX-Boosted", "HX-History-Restore-Request", "No-Header"]
)
def test_everything_else_gets_the_whole_page(viewer, project, trip, header):
    headers = {**HTMX, "HX-Target": "version-pane", header: "true"}
    if header == "No-Header":
        headers = {}

    answer = viewer.get(address(project, trip.id, "versions", 2), headers=headers)

    assert "<html" in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("against=0", "Changes against v0"),
        ("against=head", "Changes against v4"),
        ("against=2", "state unchanged"),
        ("view=side", "view-side"),
    ],
)
def test_a_version_is_compared_with_any_other(viewer, project, trip, query, says):
    where = address(project, trip.id, "versions", 2)

    assert says in text_of(viewer, f"{where}?{query}")


@pytest.mark.parametrize("query", ["tab=x", "against=x", "against=99", "view=x"])
def test_a_pane_that_means_nothing_is_refused(viewer, project, trip, query):
    where = address(project, trip.id, "versions", 2)

    assert viewer.get(f"{where}?{query}").status_code in (400, 404)


def test_what_stayed_is_folded_and_named(viewer, project, trip):
    text = text_of(viewer, address(project, trip.id, "versions", 2))

    assert "2 unchanged keys" in text
    assert "<code>destination</code>" in text


def test_a_long_text_is_compared_word_by_word(viewer, project):
    words = " ".join(f"word{n}" for n in range(100))
    story = Story(project, {"text": words})
    story.update({"text": words.replace("word50", "changed")})

    text = text_of(viewer, address(project, story.id, "versions", 1))

    assert "<b>word50</b>" in text
    assert "<b>changed</b>" in text
    assert " … " in text


def test_a_checkpoints_messages_are_told_in_its_tab_and_nowhere_above(
    client, viewer, project, api
):
    begun = {
        "agent_id": "travel",
        "initial_state": {},
        "messages": [{"role": "user", "content": "Book me a flight"}],
    }
    made = api().post("/v1/sessions", begun).body["id"]
    where = address(project, made, "versions", 0) + "?tab=checkpoint"
    tab = text_of(viewer, where)
    editor = signed_in(client, make_member(project, "olga", Role.OPERATOR))
    held = {"expected": 0, "key": "a-test-key", "reason": "look"}
    editor.post(address(project, made, "pause"), held)

    told = text_of(editor, where)

    assert tab.count("Book me a flight") == 1
    assert 'class="toast"' not in tab
    # A notice is still one on this tab.
    assert told.count('class="toast"') == 1
    assert "Held: agents&#x27; writes are refused" in told


def test_the_proof_is_verified_on_request(viewer, project, trip):
    where = address(project, trip.id, "versions", 3) + "?tab=proof"

    assert "recomputed just now" not in text_of(viewer, where)
    assert "4 versions up to v3 hold" in text_of(viewer, f"{where}&verify=on")
    assert "not verified yet" not in text_of(viewer, f"{where}&verify=on")


def test_the_proof_of_the_head_says_how_many_turns_hold(viewer, project, trip):
    trip.call("book").call("pay")
    where = address(project, trip.id, "versions", 4) + "?tab=proof&verify=on"

    assert "5 versions up to v4 and 2 turns hold" in text_of(viewer, where)

    damage(Place("timeline_turn", trip.id, 2, "actor_id", None), "somebody")
    told = text_of(viewer, where)
    assert "turn 2 does not hold: its leaf does not follow" in told
    unchain(trip.id, 1, 2)
    told = text_of(viewer, where)
    assert "2 of the turns came before there was a chain of turns" in told


def test_turns_that_are_much_work_are_left_to_the_command(
    viewer, project, trip, monkeypatch
):
    trip.call("book").call("pay")
    monkeypatch.setattr("apps.timeline.verification.turns.walk.TURN", 1 << 40)
    where = address(project, trip.id, "versions", 4) + "?tab=proof&verify=on"

    told = text_of(viewer, where)

    assert "5 versions up to v4 and 1 turn hold" in told
    assert "the turns after turn 1 are not verified" in told


def test_derived_data_of_the_session_as_a_whole_is_named_so(viewer, project, trip):
    damage(Place("timeline_session", trip.id, None, "turn_count", None), 9)
    where = address(project, trip.id, "versions", 4) + "?tab=proof&verify=on"

    assert "Derived data of the session is not as it should be" in text_of(
        viewer, where
    )


def test_a_proof_that_is_much_work_goes_on_where_it_ended(
    viewer, project, trip, monkeypatch
):
    monkeypatch.setattr("apps.core.admission.work.PAGE", 1)
    where = address(project, trip.id, "versions", 3) + "?tab=proof&verify=on"

    first = text_of(viewer, where)
    last = text_of(viewer, f"{where}&verified=2")

    assert "1 version up to v0 hold" in first
    assert "v1 to v3 are not verified yet" in first
    assert "verify=on&amp;verified=0" in first
    assert "1 version up to v3 hold" in last
    assert "not verified yet" not in last
    assert viewer.get(f"{where}&verified=3").status_code == 400


def test_the_proof_says_what_is_signed_and_what_contradicts_it(
    viewer, project, trip, tmp_path, settings
):
    key = SigningKey.made("stepback/test")
    settings.ROOTS, settings.SIGNING_KEY = tmp_path / "roots", key.secret()
    settings.VERIFIER_KEY = str(key.verifier)
    where = address(project, trip.id, "versions", 3) + "?tab=proof&verify=on"
    assert "There are no signatures." in text_of(viewer, where)

    assert signing.sweep(now=timezone.now()) == 1

    head = Session.objects.get(id=trip.id).head_number
    page = text_of(viewer, where)
    # On a busy machine a second may have passed.
    assert re.search(rf"Signed up to v{head} in note 1, \d s ago\.", page)
    assert str(key.verifier) in page

    forging.rewrite(trip.id, 1)

    page = text_of(viewer, where)
    assert "4 versions up to v3 hold" in page
    assert f"something in v0 to v{head} was rewritten" in page
    assert 'class="verdict is-broken"' in page


def test_blame_is_a_page_and_a_part(viewer, project, trip):
    where = address(project, trip.id, "versions", 4, "blame")

    page = text_of(viewer, f"{where}?pointer=/dates")
    part = text_of(viewer, f"{where}?pointer=/dates", **HTMX)

    assert "brought back by" in page
    assert "<html" not in part
    assert viewer.get(f"{where}?pointer=/nowhere").status_code == 404
    assert viewer.get(f"{where}?pointer=x").status_code == 400
    assert viewer.get(f"{where}?pointer=/dates&before=x").status_code == 400


def test_following_answers_what_is_new_and_then_nothing(viewer, project, trip):
    where = address(project, trip.id, "live")

    first = viewer.get(f"{where}?since=2")
    again = viewer.get(
        f"{where}?since=2", headers={"If-None-Match": first.headers["ETag"]}
    )
    trip.update({"n": 1})
    later = viewer.get(
        f"{where}?since=4", headers={"If-None-Match": first.headers["ETag"]}
    )

    assert "2 new versions" in first.content.decode()
    assert (again.status_code, again.content) == (304, b"")
    assert "1 new version<" in later.content.decode()


@pytest.mark.parametrize("verb", ["close", "delete"])
def test_following_ends_where_nothing_can_come(viewer, project, trip, verb):
    operation = getattr(timeline, verb)
    operation(session_id=trip.id, step=Step(), act=trip.act(PERSON))

    answer = viewer.get(address(project, trip.id, "live"))

    assert answer.status_code == 286
    assert "nothing more will come" in answer.content.decode()


def test_the_lineage_draws_forks_of_forks_and_rollbacks(viewer, project, trip):
    fork = trip.fork(1)
    other = Story.__new__(Story)
    other.scope, other.now, other.id = trip.scope, trip.now, fork
    second = other.fork(0)

    for where in (trip.id, fork, second):
        text = text_of(viewer, address(project, where, "lineage"))

        assert text.count('class="lane') == 3
        assert "edge-rollback" in text
        assert text.count("edge-fork") == 2
        assert f"{where} (this one)" in text


def test_a_family_of_another_project_is_not_drawn(viewer, other_project, project):
    story = Story(project, {})
    stranger = Story(other_project, {})

    text = text_of(viewer, address(project, story.id, "lineage"))

    assert stranger.id not in text


def test_a_fork_is_compared_with_its_original(viewer, project, trip):
    fork = trip.fork(2)
    trip.update({"budget": 9})

    text = text_of(viewer, f"/console/{project.slug}/compare?right={fork}")

    assert 'They share all up to <a class="id" href' in text
    assert "v2</a>; since then 3 versions on the left, 1 on the right" in text
    assert "/budget" in text
    assert "/dates" in text


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 200), ("right=x", 400), ("right={id}", 200), ("left=x&right={id}", 400)],
)
def test_a_comparison_needs_two_sessions(viewer, project, trip, query, status):
    where = f"/console/{project.slug}/compare?{query.format(id=trip.id)}"

    answer = viewer.get(where)

    assert answer.status_code == status
    # A side that is missing is picked; nothing is compared before that.
    assert b"What ends up different" not in answer.content
    picked = "right" if query == "right=x" else "left"
    assert f'name="pick" value="{picked}">' in answer.content.decode()


def test_a_comparison_finds_no_session_of_another_project(
    viewer, project, other_project, trip
):
    stranger = Story(other_project, {})
    where = f"/console/{project.slug}/compare?left={trip.id}&right={stranger.id}"

    assert viewer.get(where).status_code == 404


def test_a_time_before_the_first_version_is_the_first(project, trip):
    assert pages.version_at(trip.id, 4, NOW - timedelta(days=1)) == 0
    assert pages.version_at(trip.id, 4, timezone.now()) == 4


def test_side_by_side_shows_the_whole_state_with_what_stayed_folded(
    viewer, project, trip
):
    where = address(project, trip.id, "versions", 2)

    text = text_of(viewer, f"{where}?view=side")

    before, changed, after = text.partition('id="c1"')
    assert changed
    assert "… 1 unchanged key<" in before
    assert "… 1 unchanged key<" in after
    assert "&quot;NYC&quot;" in before
    assert "travellers" in after


def test_a_version_says_its_time_of_day_and_an_older_one_its_date(viewer, project):
    now = timezone.now()
    fresh = Story(project, now=now - timedelta(hours=2))
    old = Story(project, now=now - timedelta(days=3))

    today, before = (
        viewer.get(
            reverse("console:session_detail", args=[project.slug, one.id])
        ).content.decode()
        for one in (fresh, old)
    )

    heads = [
        page.partition('class="entry-head"')[2].partition("</div>")[0]
        for page in (today, before)
    ]
    assert f">{fresh.now:%H:%M:%S}</time>" in heads[0]
    assert 'class="day"' not in heads[0]
    assert f">{old.now:%Y-%m-%d}</time>" in heads[1]
    assert f">{old.now:%H:%M:%S}</time>" in heads[1]
