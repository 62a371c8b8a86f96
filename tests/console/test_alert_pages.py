"""What alert pages lead to: an owner, each agent, what is broken, what would fire."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.console.pages.alerts import history
from apps.metrics import alerting
from apps.metrics import operations as metrics
from apps.metrics.models import Rule
from apps.timeline import queries
from apps.worker import health
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import Story, signed_in
from tests.console.test_alerts import SAID, post
from tests.console.test_webhooks import text, url
from tests.metrics.make import Told

pytestmark = pytest.mark.django_db
LOST = {"destination": None}


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def make(project, **fields):
    told = {"name": "Many", "threshold": 0.05, "for_minutes": 0, "minimum_sample": 1}
    return metrics.make_rule(fields=told | fields, act=act_in(project))


def bad(project, agent="travel", release=None):
    """Tell of a session that was rolled back just now."""
    now = timezone.now() - timedelta(seconds=1)
    return Told(project, now, agent=agent).update(now, release=release).back(0, now)


def main(page):
    return text(page).partition("<main")[2].partition("</main>")[0]


def look():
    alerting.sweep(now=timezone.now())


def test_who_operates_takes_on_what_fires_and_hands_it_over(operator, project):
    make_member(project, "dana", Role.OPERATOR)
    rule = make(project)
    bad(project)
    look()
    assert "nobody yet" in main(operator.get(url("alert", project, rule.id)))

    post(operator, "acknowledge_alert", project, rule.id, owner="olga")
    page = main(operator.get(url("alert", project, rule.id)))
    assert "olga has it." in page
    assert "Hand over" in page
    post(operator, "acknowledge_alert", project, rule.id, owner="dana")

    rule.refresh_from_db()
    assert rule.owner == "dana"
    for shown in ("alerts", "metrics"):
        assert "dana has it" in main(operator.get(url(shown, project)))
    records = AuditRecord.objects.filter(action="alert.acknowledged")
    assert {record.actor_label for record in records} == {"olga"}


@pytest.mark.parametrize(
    ("owner", "is_firing", "status", "said"),
    [
        ("mallory", True, 400, "No member of the project has this name"),
        ("x" * 200, True, 400, "name of a member"),
        ("olga", False, 409, "does not fire"),
    ],
)
def test_what_cannot_be_taken_on_says_why(
    operator, project, owner, is_firing, status, said
):
    rule = make(project)
    if is_firing:
        bad(project)
        look()

    page = post(
        operator, "acknowledge_alert", project, rule.id, status=status, owner=owner
    )

    assert said in text(page)
    rule.refresh_from_db()
    assert rule.owner == ""


def test_a_viewer_has_no_button_for_it(viewer, project):
    rule = make(project)
    bad(project)
    look()

    assert "<form" not in main(viewer.get(url("alert", project, rule.id)))
    post(viewer, "acknowledge_alert", project, rule.id, status=403, owner="carol")


def test_a_rule_for_each_leads_to_those_that_follow_it(viewer, project):
    parent = make(project, each="release")
    bad(project, release="1.8.1")
    look()
    (child,) = Rule.objects.following(parent.id)

    page = main(viewer.get(url("alerts", project)))

    assert "travel 1.8.1: Many" in page
    assert "of each release" in page
    one = main(viewer.get(url("alert", project, parent.id)))
    assert url("alert", project, child.id) in one
    shown = main(viewer.get(url("alert", project, child.id)))
    assert url("alert", project, parent.id) in shown
    assert url("agent_detail", project, child.agent_id) in shown
    (behind,) = re.findall(r'href="([^"]*rollbacks\?[^"]*release=1.8.1[^"]*)"', shown)
    rollbacks = text(viewer.get(behind.replace("&amp;", "&")))
    assert rollbacks.count("◆") == 1


def test_a_rule_leads_to_the_sessions_of_its_release_that_are_broken(viewer, project):
    now = timezone.now() - timedelta(hours=1)
    mine = Story(project, agent="travel", now=now).update(LOST, release="1.8.1")
    fixed = Story(project, agent="travel", now=now).update(LOST, release="1.8.1")
    fixed.rollback(0)
    others = [
        Story(project, agent="travel", now=now).update(LOST, release="1.8.0"),
        Story(project, agent="refund", now=now).update(LOST, release="1.8.1"),
    ]
    rule = make(project, agent="travel", release="1.8.1")

    page = main(viewer.get(url("alert", project, rule.id)))

    assert url("version_detail", project, mine.id, 1) in page
    assert not any(one.id in page for one in (fixed, *others))
    # Of the agent and of the project there are more.
    for fields, n in (({"agent": "travel"}, 2), ({}, 3)):
        one = make(project, **fields)
        found = main(viewer.get(url("alert", project, one.id)))
        assert len(set(re.findall(r"sess_\w+", found))) == n


def test_what_was_not_looked_at_is_not_said_to_be_fine(viewer, project, monkeypatch):
    now = timezone.now() - timedelta(hours=1)
    Story(project, agent="travel", now=now).update(LOST)
    for _ in range(3):
        Story(project, agent="refund", now=now + timedelta(minutes=5)).update(LOST)
    rule = make(project, agent="travel")
    assert "Still broken" in main(viewer.get(url("alert", project, rule.id)))
    monkeypatch.setattr("apps.timeline.queries.open_items.MOST_COUNTED", 2)
    monkeypatch.setattr("apps.console.pages.alerts.broken.MOST_COUNTED", 2)

    page = main(viewer.get(url("alert", project, rule.id)))

    assert "among the newest 2 such versions" in page
    assert queries.MOST_COUNTED == 1_000


def linked(page, words):
    """Return where the fact of this name leads, and what it says."""
    found = re.search(rf'<dt>{words}</dt><dd><a href="([^"]*)">(.*?)</dd>', page)
    return found and (found[1].replace("&amp;", "&"), found[2])


def test_a_rule_of_the_project_leads_to_its_worst_agent_and_release(viewer, project):
    worst = bad(project, agent="travel", release="1.8.1")
    now = timezone.now() - timedelta(seconds=1)
    for release in ("1.8.0", "1.8.1", "1.8.1"):
        Told(project, now, agent="refund").update(now, release=release)
    bad(project, agent="refund", release="1.8.0")
    rule = make(project)
    look()

    page = main(viewer.get(url("alert", project, rule.id)))

    agent, said = linked(page, "Worst agent")
    assert "100.0 %" in said
    assert "travel" in text(viewer.get(agent))
    release, said = linked(page, "Worst release")
    assert said.startswith("travel 1.8.1</a>")
    shown = text(viewer.get(release))
    assert set(re.findall(r"sessions/(sess_\w+)", shown)) == {worst.id}


def test_a_rule_of_an_agent_leads_to_its_worst_release(viewer, project):
    bad(project, agent="travel", release="1.8.1")
    bad(project, agent="refund", release="2.0.0")
    rule = make(project, agent="refund")
    look()

    page = main(viewer.get(url("alert", project, rule.id)))

    assert linked(page, "Worst agent") is None
    assert linked(page, "Worst release")[1].startswith("refund 2.0.0</a>")


def test_the_worst_of_few_comes_after_those_that_say_something(viewer, project):
    now = timezone.now() - timedelta(seconds=1)
    for _ in range(2):
        Told(project, now, agent="refund").update(now)
    bad(project, agent="refund")
    bad(project, agent="travel")
    rule = make(project, minimum_sample=3)
    look()

    page = main(viewer.get(url("alert", project, rule.id)))

    assert linked(page, "Worst agent")[1].startswith("refund</a>: 33.3 %")


def test_a_rule_of_a_release_leads_to_its_sessions(viewer, project):
    mine = bad(project, agent="travel", release="1.8.1")
    bad(project, agent="travel", release="1.8.0")
    rule = make(project, agent="travel", release="1.8.1")
    look()

    page = main(viewer.get(url("alert", project, rule.id)))
    where = re.search(r'href="([^"]*)">Sessions of release 1.8.1', page)[1]

    shown = text(viewer.get(where.replace("&amp;", "&")))
    assert set(re.findall(r"sessions/(sess_\w+)", shown)) == {mine.id}
    assert linked(page, "Worst release") is None


@pytest.mark.parametrize("metric", ["tool_errors", "latency", "escalation", "flagged"])
def test_where_nothing_is_wrong_nobody_is_the_worst(viewer, project, metric):
    now = timezone.now() - timedelta(seconds=1)
    Told(project, now).update(now)
    rule = make(project, metric=metric)
    look()

    page = main(viewer.get(url("alert", project, rule.id)))

    assert "Worst" not in page.replace("Worst value", "")


def test_a_lagging_worker_is_of_no_session(viewer, project):
    rule = make(project, metric="worker_lag", threshold=60)
    look()

    page = main(viewer.get(url("alert", project, rule.id)))

    assert "lag of the worker" in page
    assert "Still broken" not in page
    assert "0.0 s" in page


def test_while_a_rule_is_made_it_says_what_it_would_do(admin, project):
    for _ in range(2):
        bad(project)
    form = main(admin.get(url("new_alert", project)))
    assert 'name="threshold"' in form

    page = main(post(admin, "preview_alert", project, status=200, **SAID))

    said = re.sub(r"<[^>]*>", "", page)
    assert "Now it would see 100.0 % of 2 sessions" in said
    assert "it fires at 7.5 %, from 2 sessions on" in said
    assert "In the last 14 days" in said
    assert 'value="7.5"' in page
    assert not Rule.objects.exists()
    wrong = SAID | {"agent": "nobody"}
    page = main(post(admin, "preview_alert", project, status=422, **wrong))
    assert "no such agent" in page
    assert "would see" not in page


def test_while_a_rule_is_changed_it_says_what_it_would_do(admin, project):
    bad(project)
    rule = make(project)
    before = list(Rule.objects.values().order_by("id"))
    said = SAID | {"threshold": "40"}

    page = main(
        post(admin, "preview_alert_change", project, rule.id, status=200, **said)
    )

    assert "it fires at 40 %" in page
    assert "In the last 14 days" in page
    assert 'value="40"' in page
    assert list(Rule.objects.values().order_by("id")) == before
    wrong = SAID | {"threshold": "-1"}
    page = main(
        post(admin, "preview_alert_change", project, rule.id, status=422, **wrong)
    )
    assert "it fires at" not in page


def test_quiet_hours_and_units_are_typed_as_people_write_them(admin, project):
    said = SAID | {"metric": "latency", "threshold": "2.5", "quiet_from": "22:00"}
    said |= {"quiet_to": "7:30", "quiet_zone": "Europe/Rome"}

    post(admin, "create_alert", project, **said)

    made = Rule.objects.get()
    assert (made.threshold, made.quiet_from, made.quiet_to) == (2.5, 1320, 450)
    page = main(admin.get(url("alert", project, made.id)))
    assert "Quiet every day from 22:00 to 07:30 (Europe/Rome)" in page
    assert 'value="2.5"' in page
    assert 'value="22:00"' in page
    assert "is 2.5 s or more" in page


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"quiet_from": "25:00"}, "A time of day"),
        ({"quiet_from": "22:00"}, "a from and a to"),
        ({"quiet_zone": "Mars"}, "name of a time zone"),
        ({"release": "1.8"}, "A release is one of an agent"),
        ({"metric": "worker_lag", "each": "agent"}, "of no agent"),
        ({"metric": "latency", "threshold": "90000"}, "less than or equal"),
    ],
)
def test_what_a_rule_cannot_be_is_said_at_its_field(admin, project, data, said):
    page = post(admin, "create_alert", project, status=422, **SAID | data)

    assert said in text(page)
    assert not Rule.objects.exists()


def test_what_fired_in_seven_days_is_drawn_and_listed(viewer, project):
    rule = make(project)
    assert "Nothing was told in the last seven days" in main(
        viewer.get(url("alerts", project))
    )
    metrics.try_rule(act=act_in(project), rule_id=rule.id)
    bad(project)
    look()
    metrics.change_rule(
        act=act_in(project), rule_id=rule.id, fields={"is_active": False}
    )

    page = main(viewer.get(url("alerts", project)))

    drawn = page.partition('class="fired"')[2].partition("</svg>")[0]
    # It fired just now: its bar is as wide as can be seen, and within the picture.
    (bar,) = re.findall(r'class="value" x="([\d.]+)" y="5" width="([\d.]+)"', drawn)
    assert sum(map(float, bar)) <= history.WIDTH
    assert "Many" in drawn
    (listed,) = re.findall(r"<li>(Many: .*?)</li>", page)
    assert len(re.findall(r"<time", listed)) == 2
    # What began before these days and goes on is drawn from their beginning.
    metrics.change_rule(
        act=act_in(project), rule_id=rule.id, fields={"is_active": True}
    )
    look()
    old = make(project, name="Old")
    Rule.objects.filter(id=old.id).update(state="firing", is_told=True)
    assert "Old: " in main(viewer.get(url("alerts", project)))


@pytest.mark.parametrize("hour", [0, 6, 12, 23])
def test_the_names_of_the_seven_days_stay_within_the_picture(project, hour):
    now = datetime(2026, 11, 24, hour, 5, tzinfo=UTC)

    days = history.history(project, [], now).days

    assert len(days) == 7
    for day in days:
        tip = day.x + (1 if day.has_room else -1) * history.NAME_WIDTH
        assert history.LEFT <= tip <= history.WIDTH


def test_a_worker_that_stopped_is_a_red_line_on_top(viewer, project, monkeypatch):
    rule = make(project)
    look()
    monkeypatch.setattr(health, "state", lambda: "healthy")
    assert "Nothing is looked at" not in main(viewer.get(url("alerts", project)))

    Rule.objects.update(evaluated_at=timezone.now() - timedelta(hours=2))

    for page in (url("alerts", project), url("alert", project, rule.id)):
        assert "Nothing is looked at:" in main(viewer.get(page))
