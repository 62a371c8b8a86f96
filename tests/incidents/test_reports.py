"""The report: it says what is known, and whatever was written is text in it."""

import re

import pytest
from django.utils import timezone

from apps.core.ids import new_id
from apps.incidents import operations as incidents
from apps.incidents.operations import Collected
from apps.incidents.reports import report_of
from apps.incidents.reports.markdown import plain, quoted
from apps.plans import operations as plans
from apps.plans import running
from apps.plans.cases import CASES
from apps.plans.models import Plan
from tests.acts import act_in
from tests.console.make import Story
from tests.incidents.make import make_incident, make_sessions

SIGNS = [
    "# heading",
    "1. first",
    "- item",
    "**bold** _soft_ ~~gone~~ `code`",
    "[here](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<script>alert(1)</script>",
    "https://evil.example www.evil.example a@evil.example",
    "a | b",
    "&lt;b&gt;",
    "> said",
    "=1+1",
    "\\* not a list",
]


@pytest.mark.parametrize("text", SIGNS)
def test_no_sign_of_markdown_is_left_unescaped(text):
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", plain(text))

    assert not re.search(r"[!-/:-@\[-`{-~]", bare)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", plain(text)) == text


def test_a_text_of_several_lines_leaves_its_quotation_nowhere():
    said = quoted("one\n\n# two\r\n```\u2028three\x0bfour")

    assert all(line.startswith("  >") for line in said.split("\n"))
    assert "\n#" not in said
    assert said.count("\n") == 5


def test_what_hides_or_reorders_text_is_made_visible():
    assert "\u202e" not in plain("a\u202eb")
    assert "\x1b" not in plain("a\x1b[31mb")


@pytest.mark.django_db
def test_a_title_a_release_and_a_note_are_text(project, olga):
    story = Story(project, now=timezone.now()).update(
        {"a": 1}, release="|x|\n# y", model="<b>"
    )
    incident = make_incident(project, olga, [story.id], title="**x** [y](z)\n# w")
    act = act_in(project, olga)
    incidents.note(act=act, incident_id=incident.id, text="# no\n\n<img src=x>")

    said = report_of(incident, act).markdown

    assert said.startswith("# \\*\\*x\\*\\* \\[y\\]\\(z\\) \\# w\n")
    headings = re.findall(r"^#+ .*$", said, re.M)
    assert headings[1:] == [
        "## What",
        "## Since when",
        "## Which release",
        "## How many",
        "## What was done",
        "## What is open",
    ]
    assert "\n  > \\# no\n  >\n  > \\<img src\\=x\\>" in said
    assert "| \\|x\\| \\# y | 1 |" in said
    assert "| \\<b\\> | 1 |" in said


@pytest.mark.django_db
def test_it_says_what_is_open_and_what_is_not_known(project, olga):
    ids = make_sessions(project, 2)
    moved = Story(project, now=timezone.now())
    incident = make_incident(project, olga, [*ids, moved.id])
    moved.update({"a": 1})
    act = act_in(project, olga)

    report = report_of(incident, act)

    assert report.still_open == [
        "It is open.",
        "Nobody has taken it.",
        "2 sessions have no new version since collected.",
        "1 session has new versions since collected.",
    ]
    assert "Not known: no check was set." in report.markdown
    assert "began" in report.markdown


@pytest.mark.django_db
def test_by_which_search_it_was_collected_is_said(project, olga):
    make_sessions(project, 1)
    act = act_in(project, olga)
    found = Collected.found(act, "agent:travel-agent")
    incident = incidents.open_incident(act=act, title="x", collected=found)

    said = report_of(incident, act).markdown

    assert "Collected by the search agent\\:travel\\-agent" in said


@pytest.mark.django_db
def test_what_was_planned_is_told_with_what_came_of_it(project, olga):
    ids = [Story(project).update({"n": 1}).id for _ in range(3)]
    incident = make_incident(project, olga, ids)
    act = act_in(project, olga)
    assert "What was planned" not in report_of(incident, act).markdown

    plan = incidents.plan(act=act, incident_id=incident.id, kind="hold", params={})
    begun = report_of(incident, act)
    plans.confirm(act=act, plan_id=plan.id, reason="Stop it")
    running.sweep(now=timezone.now())

    assert "hold, planned by olga; not confirmed: 3 to be done" in plainly(begun)
    assert "1 plan is not confirmed or not over" in " ".join(begun.still_open)
    ended = report_of(incident, act)
    assert "hold, planned by olga; over: 3 done" in plainly(ended)
    assert "1 plan is" not in " ".join(ended.still_open)
    plans.undo(act=act, plan_id=plan.id)
    assert "resume, planned by olga; not confirmed" in plainly(report_of(incident, act))


@pytest.mark.django_db
def test_every_act_of_a_plan_can_be_told(project, olga):
    incident = make_incident(project, olga, [Story(project).update({"n": 1}).id])
    for kind in CASES:
        Plan.objects.create(
            id=new_id("plan", now=timezone.now()),
            project=project,
            kind=kind,
            incident_id=incident.id,
            made_by_kind="user",
            made_by_id=olga.id,
            made_by_label="olga",
            created_at=timezone.now(),
        )

    said = plainly(report_of(incident, act_in(project, olga)))

    assert said.count("planned by olga") == len(CASES)


def plainly(report):
    return report.markdown.replace("\\", "")
