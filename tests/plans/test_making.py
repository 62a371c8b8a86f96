"""Making a plan: the list is frozen, each session is looked at, nothing is done."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord, Event
from apps.core.errors import InvalidRequest
from apps.plans import operations as plans
from apps.plans.cases import OFFERED
from apps.plans.models import Item, Plan
from apps.plans.operations import MOST, Picked
from apps.timeline import operations as timeline
from apps.timeline.models import Version
from tests.acts import act_in
from tests.console.make import Story, counted_queries
from tests.plans.make import codes, make_plan, make_sessions, reasons, states

pytestmark = pytest.mark.django_db


def test_it_says_what_will_be_done_and_does_nothing(project, olga):
    ids = make_sessions(project, 3)
    versions = Version.objects.count()

    plan = make_plan(project, olga, "hold", ids)

    assert plan.is_draft
    assert states(plan) == ["planned"] * 3
    assert [one.number for one in Item.objects.of_plan(plan.id)] == [0, 0, 0]
    assert Version.objects.count() == versions


def test_making_it_is_one_chained_record_with_a_digest_of_the_list(project, olga):
    ids = make_sessions(project, 2)
    one = make_plan(project, olga, "hold", ids)
    other = make_plan(project, olga, "hold", ids[::-1])

    records = AuditRecord.objects.filter(action="plan.made").order_by("number")
    assert [record.resource_id for record in records] == [one.id, other.id]
    assert records[0].details["sessions"] == 2
    digests = {record.details["sessions_sha256"] for record in records}
    assert len(digests) == 2


def test_a_hold_leaves_out_what_is_held_closed_gone_or_unknown(
    project, other_project, olga
):
    now = timezone.now()
    held = Story(project, now=now).pause()
    closed = Story(project, now=now).close()
    deleted = Story(project, now=now).delete()
    expired = Story(project, now=now - timedelta(hours=2), ttl_seconds=60)
    theirs = Story(other_project, now=now)
    fine = Story(project, now=now)
    ids = [one.id for one in (held, closed, deleted, expired, theirs, fine)]

    plan = make_plan(project, olga, "hold", [*ids, f"sess_{'0' * 26}"])

    assert reasons(plan) == [
        "held already",
        "closed: it can be read, not changed",
        "deleted",
        "expired",
        "there is no such session",
        "",
        "there is no such session",
    ]
    assert states(plan)[5] == "planned"


def test_a_resume_leaves_out_what_is_not_held(project, olga):
    held, fine = Story(project).pause(), Story(project)

    plan = make_plan(project, olga, "resume", [held.id, fine.id])

    assert states(plan) == ["planned", "left_out"]
    assert codes(plan)[1] == "not_paused"


def test_a_label_leaves_out_whose_head_has_it(project, olga):
    labelled, once, fine = Story(project), Story(project), Story(project)
    labelled.label(0, "seen")
    once.label(0, "seen").update({"a": 1})

    ids = [labelled.id, once.id, fine.id]
    plan = make_plan(project, olga, "label", ids, label="seen")

    assert states(plan) == ["left_out", "planned", "planned"]
    assert reasons(plan)[0] == "its head has the label already"


def test_a_session_that_is_named_twice_is_one_item(project, olga):
    (one,) = make_sessions(project, 1)

    assert states(make_plan(project, olga, "hold", [one, one])) == ["planned"]


@pytest.mark.parametrize(
    ("kind", "ids", "params", "param"),
    [
        ("hold", [], {}, "sessions"),
        ("hold", ["sess_x"], {}, "sessions"),
        ("hold", [f"sess_{n:026d}" for n in range(MOST + 1)], {}, "sessions"),
        ("shout", [f"sess_{0:026d}"], {}, "kind"),
        # What only an undo does cannot be asked for.
        ("unlabel", [f"sess_{0:026d}"], {"label": "x"}, "kind"),
        ("label", [f"sess_{0:026d}"], {}, "label"),
        ("label", [f"sess_{0:026d}"], {"label": "  "}, "label"),
        ("label", [f"sess_{0:026d}"], {"label": "x" * 101}, "label"),
        ("label", [f"sess_{0:026d}"], {"label": "a\nb"}, "label"),
        ("label", [f"sess_{0:026d}"], {"label": "a\u202eb"}, "label"),
        ("review", [f"sess_{0:026d}"], {}, "outcome"),
        ("review", [f"sess_{0:026d}"], {"outcome": "good"}, "outcome"),
        ("review", [f"sess_{0:026d}"], {"outcome": ["fine"]}, "outcome"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(
    project, olga, kind, ids, params, param
):
    with pytest.raises(InvalidRequest) as refused:
        make_plan(project, olga, kind, ids, **params)

    assert refused.value.param == param
    assert not Plan.objects.exists()
    assert not Event.objects.filter(action="plan.made").exists()


# What is judged takes a preview of each.
@pytest.mark.parametrize("kind", [one.kind for one in OFFERED if one.judge is None])
def test_many_sessions_are_looked_at_by_as_many_statements_as_two(project, olga, kind):
    def asked(ids):
        with counted_queries() as sent:
            said = {"label": "seen", "outcome": "fine", "to_schema": "2.0.0"}
            make_plan(project, olga, kind, ids, **said)
        return len(sent)

    few = asked(make_sessions(project, 2))

    assert asked(make_sessions(project, 9)) == few


def test_a_search_that_grows_changes_nothing(project, olga):
    ids = make_sessions(project, 2)
    picked = Picked(session_ids=ids, query="age<2h", has_more=False)
    plan = plans.make(act=act_in(project, olga), kind="hold", picked=picked)

    make_sessions(project, 2)
    timeline.pause(act=act_in(project, olga), session_id=ids[0], step=timeline.Step())

    assert states(plan) == ["planned", "planned"]
    assert Item.objects.of_plan(plan.id).count() == 2
