"""Many at once on the console: pick, dry run, confirm, follow, retry, undo."""

import html
import io
import re
import zipfile
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Membership, Role
from apps.console import queries
from apps.incidents.models import Incident
from apps.plans import running
from apps.plans.models import Item, Plan
from apps.timeline.models import Label, Version
from tests.accounts.make import make_member
from tests.acts import act_by
from tests.console.make import HTML, Story, address, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(project):
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def stories(project):
    return [Story(project, now=timezone.now()) for _ in range(3)]


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page, status=200):
    assert page.status_code == status, page.content
    return html.unescape(page.content.decode())


def made(client, project, kind, stories, **fields):
    """Return the page that making a plan leads to, and the plan."""
    sent = {"kind": kind, "session": [one.id for one in stories], **fields}
    answer = client.post(url("make_plan", project), sent)
    assert answer.status_code == 303, answer.content
    return client.get(answer["Location"]), Plan.objects.order_by("-id").first()


def confirm(client, project, plan, **fields):
    said = {"reason": "Bad release", **fields}
    return client.post(url("confirm_plan", project, plan.id), said)


def sweep():
    running.sweep(now=timezone.now())


def test_rows_are_picked_looked_at_confirmed_and_done(operator, project, stories):
    held = Story(project, now=timezone.now()).pause()

    page, plan = made(operator, project, "hold", [*stories, held])
    assert "Hold 3 sessions?" in text(page)
    assert "left out: held already" in re.sub("<[^>]+>", "", text(page))
    assert not Version.objects.filter(op="pause").exclude(session_id=held.id)

    answer = confirm(operator, project, plan)
    assert answer.status_code == 303
    running_page = operator.get(answer["Location"])
    assert "Holding 3 sessions" in text(running_page)
    assert "0 of 3" in text(running_page)
    assert 'hx-trigger="every 2s"' in text(running_page)
    assert 'http-equiv="refresh"' in text(running_page)

    sweep()
    over = text(operator.get(answer["Location"]))
    assert "3 sessions held" in over
    assert "Why: Bad release" in over
    assert "every 2s" not in over
    assert "http-equiv" not in over


def test_many_are_reviewed_from_the_list_and_it_is_taken_back(
    operator, project, stories
):
    stories[0].review("failed")

    page, plan = made(operator, project, "review", stories, outcome="failed")
    assert "Review 2 sessions as failed?" in text(page)
    assert "left out: reviewed as failed already" in re.sub("<[^>]+>", "", text(page))
    confirm(operator, project, plan, reason="Bad release")
    sweep()
    assert "2 sessions reviewed as failed" in text(
        operator.get(url("plan", project, plan.id))
    )
    session = text(operator.get(address(project, stories[1].id)))
    assert "Bad release" in session

    operator.post(url("undo_plan", project, plan.id))
    undo = Plan.objects.get(undo_of=plan)
    confirm(operator, project, undo)
    sweep()
    over = text(operator.get(url("plan", project, undo.id)))
    assert "The review “failed” of 2 sessions taken back" in over
    assert "not reviewed" in text(operator.get(address(project, stories[1].id)))


def test_the_dry_run_of_a_review_counts_and_names_what_it_overrules(
    operator, project, stories
):
    stories[2].review("fine")

    page, plan = made(operator, project, "review", stories, outcome="failed")

    said = text(page)
    assert "1 of the 3 is reviewed otherwise: that review stays, and no longer" in said
    assert rows(said) == ["review, reviewed as fine until now", "review", "review"]
    confirm(operator, project, plan)
    assert "reviewed otherwise" not in text(operator.get(url("plan", project, plan.id)))


def rows(said):
    """What a plan's page says of each session."""
    cells = re.findall(r'<td role="cell">(.*?)</td>', said)
    return [re.sub("<[^>]+>", "", cell).strip() for cell in cells]


def test_holding_many_asks_for_a_reason_and_other_acts_do_not(
    operator, project, stories
):
    page, hold = made(operator, project, "hold", stories)
    _, label = made(operator, project, "label", stories, label="looked-at")

    where = url("confirm_plan", project, hold.id)
    answer = operator.post(where, {"reason": " "}, headers=HTML)

    assert re.search(
        r'<label for="id_reason">Why</label>\s*<textarea[^>]* required', text(page)
    )
    assert "Say why, for who finds them so." in text(answer, 400)
    assert confirm(operator, project, label, reason="").status_code == 303
    hold.refresh_from_db()
    assert hold.is_draft


def test_the_part_that_is_asked_for_again_and_again_is_the_plan_alone(
    operator, project, stories
):
    _, plan = made(operator, project, "hold", stories)
    confirm(operator, project, plan)

    part = operator.get(url("plan", project, plan.id), headers={"HX-Request": "true"})

    assert text(part).lstrip().startswith('<div id="plan" hx-get=')
    assert "HX-Request" in part["Vary"]


def test_the_first_of_a_search_are_frozen(operator, project, stories):
    other = Story(project, agent="other", now=timezone.now())

    page, plan = made(
        operator, project, "label", [other], first="on", q="agent:travel-agent",
        label="seen",
    )  # fmt: skip
    Story(project)

    ids = set(Item.objects.of_plan(plan.id).values_list("session_id", flat=True))
    assert ids == {one.id for one in stories}
    assert "Label 3 sessions “seen”?" in text(page)
    assert quote("agent:travel-agent", safe="") in text(page)
    assert "there may be more" not in text(page)


def test_a_search_that_finds_more_says_so(operator, project, stories, monkeypatch):
    monkeypatch.setattr("apps.console.pages.plans.plan_acts.MOST", 2)

    page, plan = made(operator, project, "hold", [], first="on", q="")

    assert Item.objects.of_plan(plan.id).count() == 2
    assert "there may be more" in text(page)


def test_a_search_that_could_not_look_into_all_says_so(
    operator, project, stories, monkeypatch
):
    stories[0].update({"a": 1}, release="r1")
    monkeypatch.setattr("apps.timeline.projection.lag.COUNTED", 0)

    page, _ = made(operator, project, "hold", [], first="on", q="release:r1")

    assert "there may be more" in text(page)


def test_a_form_that_is_sent_twice_makes_one_plan_and_confirms_once(
    operator, project, stories
):
    _, plan = made(operator, project, "hold", stories, key="k-1")
    _, same = made(operator, project, "hold", stories, key="k-1")
    answers = [confirm(operator, project, plan, key="k-2") for _ in range(2)]

    assert plan == same
    assert Plan.objects.count() == 1
    assert [one.status_code for one in answers] == [303, 303]
    assert answers[0]["Location"] == answers[1]["Location"]


def test_a_plan_that_somebody_else_confirmed_says_so(operator, project, stories):
    _, plan = made(operator, project, "hold", stories)
    confirm(operator, project, plan)

    answer = operator.post(url("confirm_plan", project, plan.id), headers=HTML)

    assert answer.status_code == 303
    assert "was confirmed already" in text(operator.get(answer["Location"]))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "hold"}, "Pick at least one session"),
        ({"kind": "shout", "session": ["x"]}, "kind"),
        ({"session": [f"sess_{0:026d}"]}, "Say what is to be done"),
        ({"kind": "hold", "session": ["sess_x"]}, "ids of sessions"),
        ({"kind": "label", "session": [f"sess_{0:026d}"]}, "Name the label"),
        (
            {"kind": "label", "session": [f"sess_{0:026d}"], "label": "a\u202eb"},
            "A label is printable text of at most 100 characters.",
        ),
        (
            {"kind": "label", "session": [f"sess_{0:026d}"], "label": "x" * 101},
            "A label is printable text of at most 100 characters.",
        ),
        ({"kind": "review", "session": [f"sess_{0:026d}"]}, "fine or failed"),
        (
            {"kind": "review", "session": [f"sess_{0:026d}"], "outcome": "good"},
            "outcome",
        ),
        ({"kind": "hold", "first": "on", "q": "agnet:x"}, "agnet"),
        (
            {"kind": "hold", "session": [f"sess_{n:026d}" for n in range(501)]},
            "at most 500 sessions; these are 501",
        ),
    ],
)
def test_what_does_not_fit_is_told_on_the_list(
    operator, project, stories, fields, words
):
    answer = operator.post(url("make_plan", project), fields, headers=HTML)

    assert words in text(answer, 400)
    assert "Nothing was done" in text(answer, 400)
    assert not Plan.objects.exists()


def test_picks_are_kept_where_a_plan_was_refused(operator, project, stories):
    fields = {"kind": "label", "session": [stories[1].id]}

    page = text(operator.post(url("make_plan", project), fields, headers=HTML), 400)

    box = f'name="session" value="{stories[1].id}" form="bulk" checked'
    assert box in page
    assert page.count('form="bulk" checked') == 1


def test_picks_of_other_pages_are_kept_where_a_plan_was_refused(
    operator, project, stories
):
    older = [Story(project, now=timezone.now()).id for _ in range(queries.PAGE)]
    sent = {"kind": "label", "session": [stories[1].id, older[-1], stories[1].id]}

    page = text(operator.post(url("make_plan", project), sent, headers=HTML), 400)

    assert f'type="hidden" name="session" value="{stories[1].id}"' in page
    assert page.count(stories[1].id) == 1
    assert "1 on other pages, and the picked" in page
    assert f'name="session" value="{older[-1]}" form="bulk" checked' in page


@pytest.mark.parametrize("label", ["", "x" * 101, "a\u202eb"])
def test_what_is_no_label_is_said_at_its_field_and_stays_there(
    operator, project, stories, label
):
    fields = {"kind": "label", "session": [stories[1].id], "label": label}

    page = text(operator.post(url("make_plan", project), fields, headers=HTML), 400)

    field = re.search(r'<input id="bulk-label"[^>]*>', page)[0]
    assert f'value="{label}"' in field
    assert 'aria-invalid="true" aria-describedby="bulk-wrong"' in field
    said = re.search(r'<span class="error" id="bulk-wrong">([^<]*)<', page)[1]
    assert "label" in said


def test_a_label_that_is_none_is_no_matter_to_another_act(operator, project, stories):
    _, plan = made(operator, project, "hold", stories, label="x" * 101)

    assert plan.params == {}


def test_what_failed_is_said_and_tried_again(operator, project, stories):
    _, plan = made(operator, project, "hold", stories)
    confirm(operator, project, plan)
    user = Membership.objects.get(project=project).user
    told = {"act": act_by(), "project": project, "user": user}
    accounts.change_role(role=Role.VIEWER, **told)
    sweep()
    assert "0 sessions held" in text(operator.get(url("plan", project, plan.id)))

    accounts.change_role(role=Role.OPERATOR, **told)
    page = text(operator.get(url("plan", project, plan.id)))
    assert "olga has no right to write in this project any more." in page
    assert "Try the failed again" in page
    operator.post(url("retry_plan", project, plan.id))
    sweep()

    assert "3 sessions held" in text(operator.get(url("plan", project, plan.id)))


def test_a_plan_is_undone_by_a_plan(operator, project, stories):
    _, plan = made(operator, project, "hold", stories)
    confirm(operator, project, plan)
    sweep()
    stories[0].rollback(0)

    answer = operator.post(url("undo_plan", project, plan.id), follow=True)
    undo = Plan.objects.get(undo_of=plan)
    assert "Resume 2 sessions?" in text(answer)
    assert "has moved on: v1 is not its head, v2 is" in text(answer)
    assert "Nothing is undone yet" in text(answer)
    confirm(operator, project, undo)
    sweep()

    assert "2 sessions resumed" in text(operator.get(url("plan", project, undo.id)))
    assert undo.id in text(operator.get(url("plan", project, plan.id)))


def test_an_archive_is_downloaded_once_it_is_ready(operator, project, stories):
    _, plan = made(operator, project, "export", stories)
    where = url("export_plan", project, plan.id)
    assert operator.get(where)["Location"] == url("plan", project, plan.id)
    confirm(operator, project, plan)
    sweep()
    assert where in text(operator.get(url("plan", project, plan.id)))

    answer = operator.get(where)

    packed = zipfile.ZipFile(io.BytesIO(b"".join(answer)))
    assert len(packed.namelist()) == 4
    assert answer["Content-Type"] == "application/zip"
    assert f"{plan.id}.zip" in answer["Content-Disposition"]
    assert operator.head(where).content == b""


def test_a_viewer_sees_plans_and_is_offered_nothing(operator, viewer, project, stories):
    _, plan = made(operator, project, "hold", stories)
    where = url("plan", project, plan.id)

    shown = text(viewer.get(where))
    assert "Hold 3 sessions?" in shown
    assert 'id="confirm"' not in shown
    assert "role operator or administrator" in shown
    assert 'id="bulk"' not in text(viewer.get(address(project)))
    for name in ("confirm_plan", "retry_plan", "undo_plan"):
        assert viewer.post(url(name, project, plan.id)).status_code == 403
    assert viewer.post(url("make_plan", project)).status_code == 403


def test_strangers_and_wrong_methods_and_unknown_plans(
    operator, project, other_project, stories
):
    _, plan = made(operator, project, "hold", stories)
    stranger = signed_in(Client(), make_member(other_project, "mallory"))

    assert stranger.get(url("plan", project, plan.id)).status_code == 404
    assert stranger.get(url("plan", other_project, plan.id)).status_code == 404
    assert Client().get(url("plan", project, plan.id)).status_code == 302
    assert operator.post(url("plan", project, plan.id)).status_code == 405
    assert operator.get(url("make_plan", project)).status_code == 405
    assert operator.get(url("plan", project, f"plan_{'0' * 26}")).status_code == 404


def test_plans_are_listed_newest_first_page_by_page(
    operator, project, stories, monkeypatch
):
    monkeypatch.setattr("apps.console.views.project.plans.LISTED", 2)
    assert "No plan was made yet" in text(operator.get(url("plans", project)))
    for kind in ("hold", "export", "resume"):
        made(operator, project, kind, stories)

    first = text(operator.get(url("plans", project)))
    older = re.search(r'href="([^"]+)" rel="next"', first)[1]

    assert first.index("Resume 3 sessions") < first.index("Export 3 sessions")
    assert "Hold 3 sessions" not in first
    assert "Hold 3 sessions" in text(operator.get(f"{url('plans', project)}{older}"))
    bad = operator.get(url("plans", project), {"after": "x"})
    assert bad.status_code == 400


def test_the_sessions_of_a_plan_go_in_pages(operator, project, monkeypatch):
    monkeypatch.setattr("apps.console.pages.plans.plan_page.PAGE", 2)
    now = timezone.now() - timedelta(hours=1)
    stories = [Story(project, now=now, external_id=f"order-{n}") for n in range(3)]
    page, plan = made(operator, project, "hold", stories)

    older = re.search(r'href="([^"]+)" rel="next"', text(page))[1]
    second = text(operator.get(f"{url('plan', project, plan.id)}{older}"))

    assert "order-0" in text(page)
    assert "order-2" not in text(page)
    assert "order-2" in second
    assert "Newest" in second


def test_hostile_labels_and_titles_are_shown_as_text(operator, project):
    story = Story(project, now=timezone.now(), title="<b>bold</b>\u202e")
    page, _ = made(operator, project, "label", [story], label="<i>{sessions}</i>")

    shown = page.content.decode()
    assert "<b>bold" not in shown
    assert "<i>" not in shown
    assert "&lt;i&gt;{sessions}&lt;/i&gt;" in shown
    assert "\u202e" not in shown
    assert queries.has_session(project, story.id)
    assert not Label.objects.exists()


def story(project):
    made = Story(project, {"n": 0}, now=timezone.now())
    return made.update({"n": 1}).update({"bad": True})


def planned_rollback(client, project, stories, **fields):
    rule = {"rule": "check", "value": "NOT state.bad=true"}
    return made(client, project, "rollback", stories, **(rule | fields))


def test_many_are_rolled_back_and_it_is_undone(operator, project):
    page, plan = planned_rollback(operator, project, [story(project), story(project)])
    shown = text(page)
    assert "Roll back 2 sessions?" in shown
    assert "NOT state.bad=true" in shown
    assert "v2 → v1" in shown
    assert "1 change, 1 version set aside" in shown
    sent = {"digest": plan.digest, "reason": "Bad release"}

    assert "Type 2 to confirm" in text(
        operator.post(url("confirm_plan", project, plan.id), sent | {"typed": "3"}), 400
    )
    answer = confirm(operator, project, plan, digest=plan.digest, typed="2")
    assert answer.status_code == 303, answer.content
    sweep()

    over = text(operator.get(url("plan", project, plan.id)))
    assert "2 sessions rolled back" in over
    assert "v3</a>" in over
    operator.post(url("undo_plan", project, plan.id))
    undo = Plan.objects.get(undo_of=plan)
    confirm(operator, project, undo)
    sweep()
    assert "done and undone" in text(operator.get(url("plan", project, plan.id)))


def test_what_needs_a_look_is_done_only_where_it_is_picked(operator, project):
    clean, spoken = story(project), story(project)
    for n in range(2):
        said = {"type": "text", "content": "And now?"}
        spoken.said(said, said, {"bad": True, "n": n})
    page, plan = planned_rollback(operator, project, [clean, spoken])
    assert "needs a look" in text(page)
    assert "not picked: 1 later customer turn" in re.sub("<[^>]+>", "", text(page))

    change = url("change_plan", project, plan.id)
    picked = operator.post(change, {"change": "pick", "session": [spoken.id]})
    assert picked.status_code == 303
    assert "Roll back 2 sessions?" in text(operator.get(picked["Location"]))
    stale = confirm(operator, project, plan, digest=plan.digest, typed="2")
    assert stale.status_code == 409
    assert Plan.objects.get(id=plan.id).is_draft
    operator.post(change, {"change": "unpick_look"})
    assert "Roll back 1 session?" in text(operator.get(picked["Location"]))


def test_a_plan_is_paused_and_stopped_by_its_buttons(operator, project, viewer):
    _, plan = planned_rollback(operator, project, [story(project)])
    confirm(operator, project, plan, digest=plan.digest, typed="1")
    change = url("change_plan", project, plan.id)
    assert viewer.post(change, {"change": "paused"}).status_code == 403

    operator.post(change, {"change": "paused"})
    assert "Go on" in text(operator.get(url("plan", project, plan.id)))
    sweep()
    operator.post(change, {"change": "stopped"})

    over = text(operator.get(url("plan", project, plan.id)))
    assert "stopped before its turn" in over
    assert operator.get(change).status_code == 405


def test_the_pace_is_shown_and_changed_while_it_runs(operator, project, viewer):
    _, plan = planned_rollback(operator, project, [story(project)])
    confirm(operator, project, plan, digest=plan.digest, typed="1", pace="10")
    change, at = (url(name, project, plan.id) for name in ("change_plan", "plan"))

    shown = text(operator.get(at))
    operator.post(change, {"change": "pace", "pace": "20"})

    assert 'name="pace" type="number" min="1" max="6000" required value="10"' in shown
    assert "At most 20 a minute" in text(operator.get(at))
    assert "Set the pace" not in text(viewer.get(at))
    refused = operator.post(change, {"change": "pace", "pace": "0"}, headers=HTML)
    assert refused.status_code == 400
    sweep()
    assert "Set the pace" not in text(operator.get(at))


def test_an_incident_is_rolled_back_or_held_from_its_page(operator, project):
    one = story(project)
    operator.post(url("open_incident", project), {"title": "Lost", "session": [one.id]})
    incident = Incident.objects.get()
    sent = {"kind": "rollback", "rule": "check", "value": "NOT state.bad=true"}

    planned = operator.post(url("plan_incident", project, incident.id), sent)
    page = text(operator.get(planned["Location"]))
    assert "of <a" in page
    assert "an incident</a>" in page
    held = operator.post(url("plan_incident", project, incident.id), {"kind": "hold"})
    assert "held, not new ones" in text(operator.get(held["Location"]))

    shown = text(operator.get(url("incident", project, incident.id)))
    assert "Roll back 1 session" in shown
    assert "not new ones" in shown
