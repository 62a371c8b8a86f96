"""The audit page: who did what, its filters, its export, its proof."""

import csv
import io
import re
from datetime import timedelta

import orjson
import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Role, Scope
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.console.pages.project import audit_entries
from apps.core.actors import Actor, ActorKind
from apps.core.ids import first_id, new_id
from apps.timeline import operations as timeline
from apps.timeline.versions.reading import Step
from tests.accounts.make import make_member
from tests.acting import erasing, tampering
from tests.acts import act_by
from tests.console.make import Story, signed_in
from tests.memory.conftest import Mind, done

OLGA = Actor(kind=ActorKind.USER, id="user_olga", label="olga")
# After whatever the fixtures make.
NOW = timezone.now() + timedelta(hours=1)


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def url(project, name="audit_log"):
    return reverse(f"console:{name}", args=[project.slug])


def text(page):
    return page.content.decode()


def key_made(project, name, *, now=NOW, actor=OLGA):
    about = {"act": act_by(actor, now)}
    return accounts.issue_key(project=project, name=name, scope=Scope.READ, **about)


def names(page):
    """The keys that the listed acts are about, in their order."""
    return re.findall(r"</span> (k\d+)<", text(page))


def test_it_tells_who_did_what_newest_first(viewer, project):
    key_made(project, "k1")
    key_made(project, "k2", now=NOW + timedelta(seconds=1))

    page = viewer.get(url(project))

    assert names(page) == ["k2", "k1"]
    assert "olga" in text(page)
    assert "Issued the API key" in text(page)
    assert "Added the member" in text(page)


def details(page):
    """What is said of each act: pairs of a name and a value."""
    cells = re.findall(r'class="details">(.*?)</td>', text(page), re.DOTALL)
    pair = r'<span class="hint">(.*?)</span> (.*?)</span>'
    return [re.findall(pair, cell) for cell in cells]


@pytest.mark.parametrize("show", ["", "all"])
def test_a_rollback_says_from_where_to_where_and_why(viewer, project, show):
    # In one transaction with its record, as a person's acts are.
    story = Story(project).update({"dates": None}).update({"n": 1})
    story.rollback(0, reason="dates <b>lost</b>", reason_code="tool")
    timeline.pause(
        session_id=story.id, step=Step(reasoning="look"), act=story.act(OLGA)
    )

    page = viewer.get(url(project), {"show": show, "resource": story.id})

    assert details(page)[:2] == [
        [("reason", "look")],
        [
            ("from", "v2"),
            ("to", "v0"),
            ("code", "tool"),
            ("reason", "dates &lt;b&gt;lost&lt;/b&gt;"),
        ],
    ]
    assert f"/sessions/{story.id}/versions/3" in text(page)


def test_agents_acts_are_shown_when_asked_for(viewer, project):
    story = Story(project).update({"destination": "Oslo"})

    people = text(viewer.get(url(project)))
    everything = text(viewer.get(url(project), {"show": "all"}))

    assert "Changed the state" not in people
    assert "Changed the state" in everything
    assert f"/sessions/{story.id}/versions/1" in everything


@pytest.mark.parametrize("show", ["", "all"])
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"actor": "olga"}, ["k2", "k1"]),
        ({"actor": "user_olga"}, ["k2", "k1"]),
        ({"actor": "ol"}, []),
        ({"action": "key.created"}, ["k3", "k2", "k1"]),
        ({"action": "key.revoked"}, []),
        ({"start": "2026-03-02"}, ["k3", "k2"]),
        ({"end": "2026-03-01"}, ["k1"]),
        ({"start": "2026-03-02", "end": "2026-03-02"}, ["k2"]),
        ({"start": "2026-03-02", "actor": "olga", "action": "key.created"}, ["k2"]),
    ],
)
def test_filters_narrow_both_lists(viewer, project, show, asked, found):
    day = timezone.datetime(2026, 3, 1, 12, tzinfo=timezone.get_default_timezone())
    ben = Actor(kind=ActorKind.USER, id="user_ben", label="ben")
    key_made(project, "k1", now=day)
    key_made(project, "k2", now=day + timedelta(days=1))
    key_made(project, "k3", now=day + timedelta(days=2), actor=ben)

    page = viewer.get(url(project), {"show": show, **asked})

    assert names(page) == found


def test_a_resource_is_asked_for_by_its_id(viewer, project):
    key, _ = key_made(project, "k1")
    key_made(project, "k2")
    story = Story(project).update({"a": 1})
    Story(project)

    assert names(viewer.get(url(project), {"resource": key.id})) == ["k1"]
    page = text(viewer.get(url(project), {"show": "all", "resource": story.id}))
    assert page.count("<tr") == 1 + 2


@pytest.mark.parametrize("show", ["", "all"])
def test_many_acts_come_page_by_page(viewer, project, show):
    for number in range(60):
        key_made(project, f"k{number}", now=NOW + timedelta(seconds=number))

    first = viewer.get(url(project), {"show": show})
    older = re.search(r'href="(\?[^"]*after=[^"]+)" rel="next"', text(first))[1]
    second = viewer.get(url(project) + older.replace("&amp;", "&"))

    assert names(first) == [f"k{number}" for number in range(59, 9, -1)]
    assert names(second) == [f"k{number}" for number in range(9, -1, -1)]


@pytest.mark.parametrize("show", ["", "all"])
def test_a_filter_looks_so_far_and_says_so(viewer, project, show, monkeypatch):
    monkeypatch.setattr(audit_entries, "LOOKED_AT", 10)
    key_made(project, "k1")
    ben = Actor(kind=ActorKind.USER, id="user_ben", label="ben")
    for number in range(15):
        key_made(project, "k2", actor=ben, now=NOW + timedelta(seconds=number + 1))
    asked = {"show": show, "actor": "olga"}

    page = viewer.get(url(project), asked)
    further = re.search(r'href="(\?[^"]*after=[^"]+)">Look further', text(page))[1]
    found = viewer.get(url(project) + further.replace("&amp;", "&"))

    assert names(page) == []
    assert "Looked back to" in text(page)
    assert names(found) == ["k1"]


@pytest.mark.parametrize(
    "asked",
    [
        {"action": "key.lost"},
        {"start": "yesterday"},
        {"after": "7x"},
        {"after": "7", "show": "all"},
        {"after": "trace_" + "0" * 26},
        {"show": "some"},
        {"actor": "a\0"},
    ],
)
def test_what_cannot_be_read_is_refused(viewer, project, asked):
    assert viewer.get(url(project), asked).status_code == 400
    assert viewer.get(url(project, "audit_export"), asked).status_code == 400


def test_another_projects_acts_are_not_shown(viewer, project, other_project):
    key_made(other_project, "k9")

    for show in ("", "all"):
        assert names(viewer.get(url(project), {"show": show})) == []


def test_the_export_is_csv_that_no_spreadsheet_runs(viewer, project):
    key_made(project, "=HYPERLINK(1)")
    hostile = Actor(kind=ActorKind.USER, id="user_x", label="=1+1\u202e")
    key_made(project, "k1", actor=hostile, now=NOW + timedelta(seconds=1))

    answer = viewer.get(url(project, "audit_export"), {"action": "key.created"})

    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert answer["Content-Type"].startswith("text/csv")
    assert answer["Content-Disposition"].startswith("attachment")
    assert list(rows[0])[:4] == ["Timestamp", "Action", "Actor", "Details"]
    assert rows[0]["Actor"] == "'=1+1⟨U+202E⟩"
    assert orjson.loads(rows[1]["Details"])["name"] == "=HYPERLINK(1)"
    assert {row["Action"] for row in rows} == {"key.created"}


def test_the_export_is_json_too(viewer, project):
    key_made(project, "k1")

    answer = viewer.get(url(project, "audit_export"), {"format": "json"})

    body = orjson.loads(answer.content)
    assert body["data"][0]["action"] == "key.created"
    assert body["has_more"] is False


@pytest.mark.parametrize("show", ["", "all"])
def test_the_export_says_how_far_it_looked_back(viewer, project, show, monkeypatch):
    monkeypatch.setattr(audit_entries, "LOOKED_AT", 10)
    key_made(project, "k1")
    ben = Actor(kind=ActorKind.USER, id="user_ben", label="ben")
    for number in range(15):
        key_made(project, "k2", actor=ben, now=NOW + timedelta(seconds=number + 1))
    asked = {"show": show, "actor": "olga", "format": "json"}

    told = viewer.get(url(project, "audit_export"), asked).json()
    further = viewer.get(
        url(project, "audit_export"), asked | {"after": told["next_after"]}
    ).json()

    assert (told["data"], told["has_more"]) == ([], True)
    assert told["looked_back_to"] is not None
    assert len(further["data"]) == 1
    assert "looks through the newest 20,000 acts" in text(viewer.get(url(project)))
    table = viewer.get(url(project, "audit_export"), asked | {"format": "csv"})
    (last,) = list(csv.reader(io.StringIO(text(table))))[-1]
    assert last == (
        f"# Not all: looked back to {told['looked_back_to']}; older acts follow with"
        f" after={told['next_after']}."
    )


@pytest.mark.parametrize("show", ["", "all"])
def test_a_table_that_is_cut_says_so_in_its_last_line(
    viewer, project, show, monkeypatch
):
    monkeypatch.setattr("apps.console.views.project.audit.EXPORTED", 2)
    for number in range(3):
        key_made(project, "k", now=NOW + timedelta(seconds=number))
    asked = {"show": show, "action": "key.created"}

    rows = exported(viewer, project, asked)
    after = rows[-1][0].removesuffix(".").split("after=")[1]
    rest = exported(viewer, project, asked | {"after": after})

    assert [len(row) for row in rows] == [10, 10, 10, 1]
    assert rows[-1][0].startswith("# Not all: older acts follow with after=")
    assert [len(row) for row in rest] == [10, 10]


def exported(viewer, project, asked):
    answer = viewer.get(url(project, "audit_export"), asked)
    return list(csv.reader(io.StringIO(text(answer))))


def test_what_is_written_by_others_is_shown_as_text(viewer, project):
    label = "<script>alert(1)</script>\u200b"
    key_made(project, "k", actor=Actor(kind=ActorKind.USER, id="x", label=label))

    page = text(viewer.get(url(project)))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+200B⟩" in page


def test_the_record_is_verified_from_the_page(viewer, project):
    for number in range(3):
        key_made(project, f"k{number}")

    page = text(viewer.get(url(project, "audit_verify")))

    last = AuditRecord.objects.for_project(project.id).newest_first().first()
    assert f"Records #1 to #{last.number} hold" in page
    assert bytes(last.chain).hex() in page


def test_a_changed_record_is_named(viewer, project):
    key_made(project, "k1")
    key_made(project, "k2")
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_auditrecord SET actor_label = 'nobody' "
            "WHERE project_id = %s AND number = 3",
            [project.id],
        )

    page = text(viewer.get(url(project, "audit_verify")))

    assert "Record #3 does not hold" in page
    assert "Everything up to #2 holds" in page


def test_a_long_record_is_verified_in_pieces(viewer, project, monkeypatch):
    monkeypatch.setattr("apps.console.views.project.audit.VERIFIED", 2)
    for number in range(3):
        key_made(project, f"k{number}")

    first = text(viewer.get(url(project, "audit_verify")))
    second = text(viewer.get(url(project, "audit_verify"), {"after": 2}))

    assert 'href="?after=2"' in first
    assert "Records #3 to #4 hold" in second
    assert viewer.get(url(project, "audit_verify"), {"after": 99}).status_code == 404
    assert viewer.get(url(project, "audit_verify"), {"after": "x"}).status_code == 400


def test_a_row_that_is_not_as_its_record_says_is_named(viewer, project):
    key, _ = key_made(project, "k")
    assert "3 rows are as their records say" in text(
        viewer.get(url(project, "audit_verify"))
    )
    with tampering("accounts_apikey"), connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_apikey SET scope = 'admin'")

    page = text(viewer.get(url(project, "audit_verify")))

    assert "Not everything is as its record says" in page
    assert f"API key {key.id}: its scope is not what record 3 left" in page


def test_what_agents_did_beside_a_history_is_no_act_of_a_person(viewer, project):
    told = Story(project)
    agent = Actor(kind=ActorKind.KEY, id="key_bot", label="bot")
    timeline.add_note(act=told.act(agent), session_id=told.id, text="Hm.")
    timeline.add_note(act=told.act(OLGA), session_id=told.id, text="Hm.")

    notes = viewer.get(url(project), {"action": "note.added"})
    everything = viewer.get(url(project), {"action": "note.added", "show": "all"})

    assert [row.act.actor_id for row in notes.context["rows"]] == ["user_olga"]
    assert len(everything.context["rows"]) == 2
    assert "row" not in [key for key, _ in notes.context["rows"][0].details]


def test_where_acts_on_memories_and_data_are_is_said(viewer, project, api):
    mind = Mind(api())
    mind.add("Is vegan", user_id="ada")
    asked = {"scope": "user", "user_id": "ada", "version": 0}
    done(mind.client.post("/v1/memories/rollback", asked))

    people = text(viewer.get(url(project), {"action": "memory.restored"}))
    everything = viewer.get(url(project), {"action": "memory.restored", "show": "all"})

    assert "No act matches these filters." in people
    assert f'href="{url(project)}?show=all"' in people
    (row,) = everything.context["rows"]
    assert row.act.action == "memory.restored"
    # An owner has no id: nothing is shown as the end of one.
    assert ">memory</span>" in text(everything)
    assert "what people did is under" not in text(everything)


def test_pieces_come_to_the_same_verdict_as_the_whole(project):
    for number in range(5):
        key_made(project, f"k{number}")

    whole = audit.verify_records(stream_id=project.id)
    count = 0
    while count < whole.count:
        piece = audit.verify_records(stream_id=project.id, after=count, limit=2)
        count = piece.count

    assert (piece.chain, piece.is_intact) == (whole.chain, True)


def test_the_first_id_of_a_moment_sorts_before_all_of_it():
    at = NOW
    earlier = at - timedelta(microseconds=1000)

    assert new_id("trace", now=earlier) < first_id("trace", at)
    assert first_id("trace", at) <= new_id("trace", now=at, sequence=0)


def found_numbers(page):
    """The versions that the listed acts are about, in their order."""
    return [int(one) for one in re.findall(r"/versions/(\d+)", text(page))]


@pytest.fixture
def story(project):
    """A mistake, taken back for a reason, and looked into."""
    made = Story(project).update({"n": 1}, reasoning="Booked the wrong flight")
    made.update({"n": 2}, reasoning="Told the customer")
    made.rollback(0, reason="The flight was wrong", reason_code="wrong_flight")
    timeline.pause(
        session_id=made.id, step=Step(reasoning="Look first"), act=made.act(OLGA)
    )
    return made


@pytest.mark.parametrize(
    ("show", "q", "found"),
    [
        ("", "wrong flight", [3]),
        ("all", "WRONG Flight", [3, 1]),
        ("all", "customer", [2]),
        ("", "customer", []),
        ("", "wrong_flight", [3]),
        ("", "Wrong_fl", [3]),
        ("", "look", [4]),
        ("all", "nothing", []),
    ],
)
def test_reasoning_and_reasons_are_searched(viewer, project, story, show, q, found):
    page = viewer.get(url(project), {"show": show, "q": q})

    assert found_numbers(page) == found


@pytest.mark.parametrize("show", ["", "all"])
def test_what_says_the_words_is_met_however_far_back(
    viewer, project, story, show, monkeypatch
):
    monkeypatch.setattr("apps.console.pages.project.audit_words.AT_ONCE", 2)
    for number in range(7):
        key_made(project, "k", now=story.now + timedelta(minutes=number + 1))

    page = viewer.get(url(project), {"show": show, "q": "look"})
    assert found_numbers(page) == [4]
    monkeypatch.setattr(audit_entries, "LOOKED_AT", 4)
    page = viewer.get(url(project), {"show": show, "q": "look"})
    assert found_numbers(page) == []
    assert "Looked back to" in text(page)


def test_the_export_says_what_was_reasoned(viewer, project, story):
    answer = viewer.get(url(project, "audit_export"), {"q": "wrong flight"})

    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    details = orjson.loads(row["Details"])
    assert (details["code"], details["reason"]) == (
        "wrong_flight",
        "The flight was wrong",
    )


def test_a_search_without_a_word_keeps_what_was_typed(viewer, project):
    page = viewer.get(url(project), {"q": "?!"})

    assert page.status_code == 400
    assert "Name a word of it" in text(page)
    assert 'value="?!"' in text(page)
