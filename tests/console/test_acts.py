"""What an operator does from a session's page: step back, undo, hold, fork, attach."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Role
from apps.accounts.operations import require_rollback_reason
from apps.audit.models import AuditRecord
from apps.core import json
from apps.timeline import operations as timeline
from apps.timeline.models import Label, Note, Session, Version
from apps.timeline.queries import outside
from apps.timeline.versions import fetching, reading
from tests.accounts.make import make_member
from tests.acts import act_by, act_in
from tests.console.make import HTML, KEY, Story, address, signed_in

KEY_FIELD = {"key": "test-key-1"}
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def trip(project):
    """v0 created, v1 and v2 updated a minute ago."""
    story = Story(project, now=timezone.now() - timedelta(minutes=3))
    story.update({"step": 1})
    return story.update({"destination": None, "step": 2})


def head_of(trip):
    head = fetching.head(trip.scope, trip.id, now=timezone.now())
    return head, reading.parsed(head)


def posted(client, where, **fields):
    return client.post(where, {**KEY_FIELD, **fields})


def tried(client, where, **fields):
    """Send a form as a browser does; a conflict leads to a page."""
    return client.post(where, {**KEY_FIELD, **fields}, headers=HTML)


def led_to(client, answer):
    """Follow the redirect of a conflict, as often as the page is loaded anew."""
    assert answer.status_code == 303
    first, again = (client.get(answer["Location"]) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert alerts(first) == alerts(again) != []
    return first.content.decode()


def alerts(answer):
    found = re.findall(r'role="alert">(.*?)</', answer.content.decode(), re.DOTALL)
    assert "no-store" in answer["Cache-Control"]
    return found


def text_of(answer, status=200):
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def hidden(text, name):
    return re.search(rf'name="{name}" value="([^"]*)"', text)[1]


class TestRollback:
    def test_the_preview_tells_what_will_happen(self, operator, project, trip):
        fork = trip.fork(2)
        trip.label(1, "known-good")

        where = address(project, trip.id, "versions", 0, "rollback")
        text = text_of(operator.get(where))

        assert "Roll back to v0?" in text
        assert "destination set to NYC" in text
        assert "2 versions, 0 turns" in text
        assert "No tool call is recorded since v0" in text
        assert "Stepback cannot undo what happened outside" in text
        assert fork in text
        assert "known-good" in text
        assert hidden(text, "expected") == "2"
        assert 'name="hold" checked' in text
        assert "data-focus></textarea>" in text
        assert "autofocus" not in text

    def test_the_preview_says_what_the_agents_next_write_lands_on(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 0, "rollback")
        text = text_of(operator.get(where))
        said = re.search(r"its next write lands on v(\d+) unless it names a ver", text)
        expected = hidden(text, "expected")
        posted(operator, where, expected=expected)
        rolled, state = head_of(trip)
        trip.update({"step": 9})

        assert "or the session is held" in text
        assert "Hold session</label>" in text
        # Unnamed, it merges onto what the rollback left, not onto what the agent saw.
        assert int(said[1]) == rolled.number
        assert head_of(trip)[1] == state | {"step": 9}

    def test_of_a_held_session_it_says_that_it_stays_held(
        self, operator, project, trip
    ):
        trip.pause()

        where = address(project, trip.id, "versions", 0, "rollback")
        text = text_of(operator.get(where))

        assert "held already, and stays held" in text
        assert "next write" not in text

    def test_calls_on_the_version_itself_are_listed_with_a_mark(
        self, operator, project, trip
    ):
        trip.call("charge_card").update({"paid": True}).call("send_mail")
        fork = trip.fork(3)

        where = address(project, trip.id, "versions", 2, "rollback")
        text = text_of(operator.get(where))
        of_fork = address(project, fork, "versions", 0, "rollback")

        called = re.findall(r"<li><code>(\w+)</code>(.*?)</li>", text)
        assert [name for name, _ in called] == ["charge_card", "send_mail"]
        assert "2 tool calls since v2:" in text
        assert "may already be part of v2" in called[0][1]
        assert "may already be part" not in called[1][1]
        held = KEY_FIELD | {"expected": 0, "reason": "look"}
        operator.post(address(project, fork, "pause"), held)
        text = text_of(operator.get(of_fork))
        assert "1 tool call since v0:" in text
        assert "of its origin" in text
        assert f'href="{address(project, trip.id, "versions", 3)}?tab=turns"' in text

    def test_none_is_said_only_where_everything_was_looked_into(
        self, operator, project, trip, monkeypatch
    ):
        trip.call("charge_card")
        monkeypatch.setattr(outside, "TURNS_LOOKED_INTO", 0)

        where = address(project, trip.id, "versions", 0, "rollback")
        text = text_of(operator.get(where))

        assert "No tool call is recorded" not in text
        assert "not everything" in text

    def test_a_session_that_rests_is_not_held_by_default(self, operator, project):
        story = Story(project).update({"step": 1})

        where = address(project, story.id, "versions", 0, "rollback")
        text = text_of(operator.get(where))

        assert 'name="hold">' in text

    def test_it_rolls_back_with_reason_and_hold(self, operator, project, trip):
        where = address(project, trip.id, "versions", 0, "rollback")
        fields = {"reason": "lost it", "reason_code": "wrong_state", "hold": "on"}

        answer = posted(operator, where, expected=2, **fields)

        head, state = head_of(trip)
        assert answer.status_code == 303
        assert answer["Location"] == address(project, trip.id, "versions", 3)
        assert (head.restored_number, head.hold) == (0, "paused")
        assert (head.reasoning, head.reason_code) == ("lost it", "wrong_state")
        assert state["destination"] == "NYC"
        assert (head.actor_kind, head.actor_label) == ("user", "olga")
        records = AuditRecord.objects.for_project(project.id)
        assert records.newest_first()[0].action == "session.rolled_back"

    def test_where_a_reason_is_required_the_form_says_so_and_keeps_the_rest(
        self, operator, project, trip
    ):
        require_rollback_reason(act=act_by(), project=project, is_required=True)
        where = address(project, trip.id, "versions", 0, "rollback")
        shown = text_of(operator.get(where))
        fields = {"reason": " ", "reason_code": "looping", "hold": "on"}

        told = text_of(tried(operator, where, expected=2, **fields), 400)

        assert "This project requires them of every rollback." in shown
        assert re.search(r'<textarea id="id_reason"[^>]* required ', shown)
        assert "(optional)" not in shown
        assert "This project requires a reason of a rollback" in told
        assert re.search(r'value="looping" checked', told)
        assert re.search(r'name="hold" checked', told)
        assert head_of(trip)[0].number == 2
        posted(operator, where, expected=2, reason="It looped.")
        assert head_of(trip)[0].reasoning == "It looped."

    def test_where_a_reason_is_required_an_undo_needs_none(
        self, operator, project, trip
    ):
        require_rollback_reason(act=act_by(), project=project, is_required=True)
        trip.update({"step": 3})
        posted(
            operator,
            address(project, trip.id, "versions", 0, "rollback"),
            expected=3,
            reason="It looped.",
        )
        where = address(project, trip.id, "versions", 3, "rollback")
        shown = text_of(operator.get(where, {"undo_of": 4}))

        posted(operator, where, expected=4, undo_of=4, key="test-key-2")

        assert "requires them" not in shown
        assert head_of(trip)[0].undo_of == 4

    def test_then_the_page_offers_undo_and_resume(self, operator, project, trip):
        where = address(project, trip.id, "versions", 0, "rollback")
        page = posted(operator, where, expected=2, hold="on")

        text = text_of(operator.get(page["Location"]))
        where = address(project, trip.id, "versions", 3, "undo")
        undone = posted(operator, where, key=hidden(text, "key"))

        assert "Rolled back to v0." in text
        assert f'action="{address(project, trip.id, "versions", 3, "undo")}"' in text
        assert "This session is held:" in text
        assert address(project, trip.id, "resume") in text
        head, state = head_of(trip)
        assert undone.status_code == 303
        assert (head.restored_number, head.undo_of) == (2, 3)
        assert state["destination"] is None

    def test_a_head_that_moved_is_told_and_nothing_is_done(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 0, "rollback")
        shown = hidden(text_of(operator.get(where)), "expected")
        trip.update({"step": HOSTILE}, reasoning="meanwhile")

        answer = tried(
            operator,
            where,
            expected=shown,
            reason="my words",
            reason_code="customer",
        )

        text = led_to(operator, answer)
        assert "Nothing was done." in text
        assert "you were shown v2" in text
        assert "its head is v3 now" in text
        assert "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩" in text
        assert "my words" in text
        assert 'value="customer" checked' in text
        assert 'name="hold">' in text
        assert hidden(text, "expected") == "3"
        assert head_of(trip)[0].number == 3

    def test_a_page_that_was_overtaken_is_left_and_come_back_to(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 0, "rollback")
        trip.update({"step": 3})
        stale = tried(operator, where, expected=2)["Location"]
        trip.update({"step": 4})

        text = text_of(operator.get(stale))
        done = tried(operator, where, expected=hidden(text, "expected"), key="k" * 9)

        # What came since is counted anew, and the head is the one that it is now.
        assert "its head is v4 now" in text
        assert "2 versions" in text
        assert done["Location"] == address(project, trip.id, "versions", 5)
        assert "Undo" in text_of(operator.get(done["Location"]))

    def test_a_refusal_is_told_to_who_was_refused_alone(self, operator, project, trip):
        where = address(project, trip.id, "versions", 0, "rollback")
        trip.update({"step": 3})
        stale = tried(operator, where, expected=2, reason="my words")["Location"]
        other = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))

        text = text_of(other.get(stale))

        assert "my words" not in text
        assert "Nothing was done" not in text
        assert hidden(text, "expected") == "3"

    def test_no_more_refusals_are_kept_than_are_looked_at(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 0, "rollback")
        told = [
            tried(operator, where, expected=1, reason=f"words {number}")["Location"]
            for number in range(7)
        ]

        shown = [f"words {n}" in text_of(operator.get(at)) for n, at in enumerate(told)]

        assert shown == [False] * 2 + [True] * 5

    def test_a_program_is_told_of_the_conflict(self, operator, project, trip):
        where = address(project, trip.id, "versions", 0, "rollback")

        answer = posted(operator, where, expected=1)

        assert (answer.status_code, answer.json()["error"]["code"]) == (
            409,
            "version_conflict",
        )

    def test_enter_in_a_field_only_shows_the_preview_again(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 0, "rollback")
        fields = {"expected": 2, "look": "on", "reason": "not yet"}

        text = text_of(operator.get(tried(operator, where, **fields)["Location"]))

        assert "not yet" in text
        assert "Nothing was done" not in text
        assert head_of(trip)[0].number == 2

    def test_sent_twice_it_is_done_once(self, operator, project, trip):
        where = address(project, trip.id, "versions", 0, "rollback")

        first, again = (posted(operator, where, expected=2) for _ in range(2))

        assert first["Location"] == again["Location"]
        assert head_of(trip)[0].number == 3

    def test_an_undo_after_another_write_shows_the_preview(
        self, operator, project, trip
    ):
        trip.rollback(0).update({"step": 9})

        answer = tried(operator, address(project, trip.id, "versions", 3, "undo"))

        text = led_to(operator, answer)
        assert "Nothing was done." in text
        assert "Undo rollback v3" in text
        assert hidden(text, "undo_of") == "3"
        assert head_of(trip)[0].number == 4

    def test_an_older_rollback_is_undone_through_its_preview(
        self, operator, project, trip
    ):
        trip.rollback(0).update({"step": 9})
        where = address(project, trip.id, "versions", 2, "rollback")

        text = text_of(operator.get(f"{where}?undo_of=3"))
        posted(operator, where, expected=4, undo_of=hidden(text, "undo_of"))

        assert (head_of(trip)[0].restored_number, head_of(trip)[0].undo_of) == (2, 3)

    def test_the_head_itself_is_nothing_to_roll_back_to(self, operator, project, trip):
        where = address(project, trip.id, "versions", 2, "rollback")

        assert "nothing to roll back" in text_of(operator.get(where))
        answer = tried(operator, where, expected=2)
        assert "Nothing was done." in text_of(operator.get(answer["Location"]))
        assert posted(operator, where, expected=2).status_code == 409
        assert head_of(trip)[0].number == 2

    @pytest.mark.parametrize(
        "fields",
        [
            {"expected": ""},
            {"expected": "x"},
            {"expected": "2", "reason_code": "x"},
            {"expected": "2", "key": "short"},
            {"expected": "2", "undo_of": "2"},
        ],
    )
    def test_what_the_page_does_not_send_is_refused(
        self, operator, project, trip, fields
    ):
        where = address(project, trip.id, "versions", 0, "rollback")

        assert posted(operator, where, **fields).status_code == 400
        assert head_of(trip)[0].number == 2


class TestHolds:
    def test_it_is_paused_resumed_and_closed(self, operator, project, trip):
        for verb, hold, version in [
            ("pause", "paused", 3),
            ("resume", "open", 4),
            ("close", "closed", 5),
        ]:
            where = address(project, trip.id, verb)
            said = {"key": f"{verb}-key-1", "reason": "It <b>loops</b>"}
            answer = posted(operator, where, expected=version - 1, **said)

            assert answer.status_code == 303, answer.content
            assert head_of(trip)[0].hold == hold

    @pytest.mark.parametrize("reason", [None, "", "  ", "x" * 2_001])
    def test_holding_asks_for_a_reason(self, operator, project, trip, reason):
        where = address(project, trip.id, "pause")
        said = {} if reason is None else {"reason": reason}

        answer = tried(operator, where, expected=2, **said)

        assert "Nothing was done:" in text_of(answer, 400)
        assert head_of(trip)[0].hold == "open"

    def test_who_finds_it_held_reads_by_whom_and_why(self, operator, project, trip):
        where = address(project, trip.id, "pause")
        posted(operator, where, expected=2, reason="It <b>loops</b>")

        held = text_of(operator.get(address(project, trip.id, "versions", 0)))
        back = address(project, trip.id, "versions", 0, "rollback")
        posted(operator, back, expected=3, key="back-key-1")
        moved = text_of(operator.get(address(project, trip.id)))

        assert "Held by olga, " in held
        assert ": It &lt;b&gt;loops&lt;/b&gt;</p>" in held
        assert head_of(trip)[0].hold == "paused"
        assert "This session is held:" in moved
        assert "Held by" not in moved, "the head does not say it"

    def test_closing_asks_first(self, operator, project, trip):
        text = text_of(operator.get(address(project, trip.id, "close")))

        assert "It ends for good" in text
        assert head_of(trip)[0].number == 2

    def test_a_close_that_was_overtaken_can_be_loaded_anew(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "close")
        trip.update({"step": 3})

        text = led_to(operator, tried(operator, where, expected=2, reason="it ended"))

        assert "Nothing was done:" in text
        assert "it ended" in text
        assert hidden(text, "expected") == "3"
        assert head_of(trip)[0].hold == "open"

    def test_a_closed_session_offers_only_forks_and_notes(
        self, operator, project, trip
    ):
        posted(operator, address(project, trip.id, "close"), expected=2)

        text = text_of(operator.get(address(project, trip.id, "versions", 0)))

        assert "/rollback" not in text
        assert "Fork from v0" in text
        assert "Add note" in text

    def test_resuming_what_is_not_paused_says_so(self, operator, project, trip):
        answer = posted(operator, address(project, trip.id, "resume"), expected=2)

        assert answer.status_code == 409


class TestRefused:
    """What cannot be done is told on the page from which it was tried."""

    def test_resuming_what_runs_shows_the_session_and_why(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "resume")

        text = led_to(operator, tried(operator, where, expected=2))

        assert "Nothing was done:" in text
        assert trip.id in text
        assert f'action="{address(project, trip.id, "pause")}"' in text
        assert head_of(trip)[0].number == 2

    def test_pausing_twice_says_so(self, operator, project, trip):
        where = address(project, trip.id, "pause")
        tried(operator, where, expected=2, reason="It loops")

        again = tried(operator, where, expected=2, key="another-key", reason="look")
        text = led_to(operator, again)

        assert "Nothing was done:" in text
        assert "This session is held:" in text

    def test_undoing_what_is_no_rollback_shows_the_version(
        self, operator, project, trip
    ):
        where = address(project, trip.id, "versions", 2, "undo")

        text = led_to(operator, tried(operator, where))

        assert "Nothing was done:" in text
        assert "User cancelled" not in text
        assert 'data-number="2"' in text

    def test_a_label_that_is_refused_stays_in_its_field(self, operator, project, trip):
        where = address(project, trip.id, "versions", 1, "labels")
        name = "n" * 101

        text = text_of(tried(operator, where, label=name), 400)

        assert "Nothing was done:" in text
        assert f'value="{name}"' in text
        assert 'data-number="1"' in text

    def test_a_label_that_is_gone_already_is_told(self, operator, project, trip):
        where = address(project, trip.id, "versions", 1, "labels", "remove")

        text = text_of(tried(operator, where, label=HOSTILE), 404)

        assert "Nothing was done:" in text
        assert "<img" not in text

    def test_a_note_that_is_refused_is_not_lost(self, operator, project, trip):
        where = address(project, trip.id, "notes")
        kept = "for the next shift"

        on_version = tried(operator, where, text=kept, number=1, key="short")
        on_session = tried(operator, where, text=kept, key="short")

        assert 'data-number="1"' in text_of(on_version, 400)
        assert text_of(on_version, 400).count(kept) == 1
        assert text_of(on_session, 400).count(kept) == 1
        assert not Note.objects.exists()

    def test_what_was_typed_for_a_rollback_a_fork_or_the_end_stays(
        self, operator, project, trip
    ):
        fields = {"expected": 2, "key": "short", "reason": "typed with care"}
        for where in (
            address(project, trip.id, "versions", 0, "rollback"),
            address(project, trip.id, "versions", 0, "fork"),
            address(project, trip.id, "close"),
        ):
            text = text_of(tried(operator, where, **fields), 400)

            assert "Nothing was done:" in text
            assert "typed with care" in text
        assert head_of(trip)[0].number == 2

    def test_a_program_is_told_as_programs_are(self, operator, project, trip):
        answer = posted(operator, address(project, trip.id, "resume"), expected=2)

        assert answer.json()["error"]["code"] == "not_paused"


class TestFork:
    def test_one_click_lands_on_the_fork(self, operator, project, trip):
        answer = posted(operator, address(project, trip.id, "versions", 1, "fork"))

        text = text_of(operator.get(answer["Location"]))
        made = Session.objects.get(origin_session_id=trip.id)
        assert answer["Location"] == address(project, made.id, "versions", 0)
        assert made.origin_number == 1
        assert f"{trip.id} v1" in text
        assert f"http://testserver/v1/sessions/{made.id}/state" in text

    def test_clicked_twice_it_is_one_fork(self, operator, project, trip):
        where = address(project, trip.id, "versions", 1, "fork")

        answers = [posted(operator, where)["Location"] for _ in range(2)]

        assert answers[0] == answers[1]
        assert Session.objects.filter(origin_session_id=trip.id).count() == 1

    def test_the_editor_shows_the_state_exactly(self, operator, project):
        state = {"big": 2**80, "text": "a\u202eb</textarea>", "nul": "\u0000", "f": 1.0}
        story = Story(project, state)
        where = address(project, story.id, "versions", 0, "fork")

        text = text_of(operator.get(where))
        edited = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", text, re.S)[1]
        plain = edited.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')

        assert "\u202e" not in text
        assert json.parse(plain.encode()) == state

    def test_an_edited_state_is_where_the_fork_begins(self, operator, project, trip):
        where = address(project, trip.id, "versions", 2, "fork")

        answer = posted(operator, where, state='{"destination": "ROM"}', reason="try")

        made = Session.objects.get(origin_session_id=trip.id)
        first = fetching.head(trip.scope, made.id, now=timezone.now())
        assert answer.status_code == 303
        assert reading.parsed(first) == {"destination": "ROM"}
        assert first.reasoning == "try"

    @pytest.mark.parametrize(
        ("state", "says"),
        [
            ('{"a": 1,\n "b": tru}', "Line 2, column"),
            ('{"a": "\u2028",\n "b": tru}', 'fault-line"> &quot;b&quot;: '),
            ('{"a": 1, "a": 2}', "a key that this object already has"),
            ("[1]", "This must be a JSON object."),
            ('{"a": 1e400}', "/a"),
            ('{"a": "<img src=x>" 1}', "&lt;img src=x&gt;"),
        ],
    )
    def test_a_fault_is_shown_in_its_place_and_the_text_kept(
        self, operator, project, trip, state, says
    ):
        where = address(project, trip.id, "versions", 2, "fork")

        text = text_of(posted(operator, where, state=state, reason="kept"), 422)

        assert "Nothing was forked:" in text
        assert says in text
        assert "<img" not in text
        assert "kept" in text
        assert not Session.objects.filter(origin_session_id=trip.id).exists()


class TestAttached:
    def test_labels_are_given_and_taken_away(self, operator, project, trip):
        where = address(project, trip.id, "versions", 1, "labels")

        posted(operator, where, label="known-good")
        assert Label.objects.get().number == 1
        posted(operator, f"{where}/remove", label="known-good")

        assert not Label.objects.exists()

    def test_a_label_is_taken_away_as_it_is_written(self, operator, project, trip):
        where = address(project, trip.id, "versions", 1, "labels")
        timeline.label(
            act=act_in(project), session_id=trip.id, number=1, name=" known-good "
        )

        posted(operator, f"{where}/remove", label=" known-good ")

        assert not Label.objects.exists()

    def test_notes_stand_in_the_timeline_as_text(self, operator, project, trip):
        where = address(project, trip.id, "notes")

        on_version = posted(operator, where, text=HOSTILE, number=1)
        on_session = posted(operator, where, text="for the next shift", key="other-key")
        text = text_of(operator.get(address(project, trip.id)))

        assert on_version["Location"] == address(project, trip.id, "versions", 1)
        assert on_session["Location"] == address(project, trip.id)
        assert Note.objects.count() == 2
        assert "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩" in text
        assert "for the next shift" in text
        assert "<img" not in text


def test_a_viewer_sees_no_buttons(client, project, trip):
    viewer = signed_in(client, make_member(project, "carol", Role.VIEWER))

    text = text_of(viewer.get(address(project, trip.id, "versions", 0)))

    for act in ("rollback", "undo", "fork", "labels", "pause", "notes", "close"):
        assert f'/{act}"' not in text


@pytest.mark.parametrize("what", ["deleted", "expired"])
def test_what_is_over_offers_nothing(operator, project, what):
    past = timezone.now() - timedelta(hours=2)
    story = Story(project, now=past, ttl_seconds=60 if what == "expired" else None)
    if what == "deleted":
        story.delete()

    text = text_of(operator.get(address(project, story.id, "versions", 0)))

    assert "Fork from" not in text
    assert "Add note" not in text
    where = address(project, story.id, "pause")
    assert posted(operator, where, expected=0, reason="look").status_code == 404


def test_an_unknown_version_cannot_be_acted_on(operator, project, trip):
    for act in ("rollback", "fork"):
        where = address(project, trip.id, "versions", 9, act)
        assert operator.get(where).status_code == 404
        assert posted(operator, where, expected=2).status_code == 404
    assert Version.objects.count() == 3
    assert KEY.is_agent
