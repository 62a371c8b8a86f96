"""The page Keeping: policies with their previews, what has gone, legal holds."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.core.roles.names import Role as DatabaseRole
from apps.retention import operations as retention
from apps.retention.models import Heartbeat, LegalHold, Policy, Removal
from apps.retention.terms import Terms
from apps.retention.words import HoldKind
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.acts import act_in
from tests.console.make import Story
from tests.retention.aged import Past, enabled, swept

pytestmark = pytest.mark.django_db
PAGE = "/console/checkout/keeping"
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def entering(client, project):
    """`entering(role)` is a browser of a member who signed in."""

    def enter(role=Role.ADMIN):
        client.force_login(make_member(project, f"a-{role}", role), BACKEND)
        return client

    return enter


@pytest.fixture
def admin(entering):
    return entering()


def text_of(browser):
    answer = browser.get(PAGE)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def counted(preview_id, **counts):
    with acting_as(DatabaseRole.RETENTION):
        Removal.objects.filter(id=preview_id).update(
            state="ready", is_complete=True, counts=counts
        )


def test_without_anything_it_says_that_everything_stays(admin):
    text = text_of(admin)

    assert "There are no policies: everything stays." in text
    assert "No policy is on:</strong> everything stays. No legal hold stands." in text
    assert "Nothing has gone by a policy yet." in text
    assert "There are no legal holds." in text


def test_a_policy_is_made_previewed_and_switched_on_and_off(admin):
    made = admin.post(f"{PAGE}/policies", {"empty_days": "30", "keep_last": "5"})
    assert made.status_code == 303
    policy = Policy.objects.get()
    at = f"{PAGE}/policies/{policy.id}"
    text = text_of(admin)
    assert "emptied after 30 d, the newest 5 stay" in text
    assert "not counted yet" in text
    assert "Switch on" not in text

    admin.post(f"{at}/preview", {"key": "k"})
    admin.post(f"{at}/preview", {"key": "k"})
    assert "being counted…" in text_of(admin)
    preview = Removal.objects.get()
    numbers = {"sessions": 2, "versions": 40, "turns": 0, "rows": 90, "bytes": 10}
    counted(preview.id, steps={"empty": numbers}, pinned={"label": 3}, seen=7, held=1)
    text = text_of(admin)
    assert "emptied: 40 versions, 90 rows of 2 sessions" in text
    assert "3 versions stay: label" in text
    assert "1 session stays under a legal hold" in text
    assert "looked at 7 sessions, as of" in text

    assert admin.post(f"{at}/enable", {"preview_id": preview.id}).status_code == 303
    assert "on since" in text_of(admin)
    assert admin.post(f"{at}/disable").status_code == 303
    assert not Policy.objects.get().is_enabled


def test_what_is_wrong_is_said_at_its_field_and_kept(admin):
    refused = admin.post(
        f"{PAGE}/policies", {"empty_days": "30", "prune_days": "29", "keep_last": "1"}
    )

    assert refused.status_code == 422
    assert "prune_days comes before empty_days" in refused.content.decode()
    assert 'value="29"' in refused.content.decode()
    assert not Policy.objects.exists()


def test_a_stale_preview_is_told_on_the_page(admin, project):
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    other = retention.make_policy(act=act_in(project), terms=Terms(empty_days=31))
    preview = retention.ask_preview(act=act_in(project), policy_id=other.id)
    counted(preview.id)

    at = f"{PAGE}/policies/{policy.id}/enable"
    refused = admin.post(at, {"preview_id": preview.id})

    assert refused.status_code == 409
    assert "This preview is of another policy." in refused.content.decode()


def test_a_hold_is_set_shown_and_ended(admin, project):
    session_id = Story(project, {"n": 1}).id
    said = {"kind": "session", "value": session_id, "reason": "Smith <v> Jones"}
    assert admin.post(f"{PAGE}/holds", said | {"key": "k"}).status_code == 303
    assert admin.post(f"{PAGE}/holds", said | {"key": "k"}).status_code == 303
    hold = LegalHold.objects.get()
    text = text_of(admin)
    assert session_id in text
    assert "Smith &lt;v&gt; Jones" in text

    session = admin.get(f"/console/checkout/sessions/{session_id}").content.decode()
    assert "legal hold" in session
    over = admin.post(f"{PAGE}/holds/{hold.id}/end", {"reason": "Settled"})
    assert over.status_code == 303
    assert "ended: Settled" in text_of(admin)
    session = admin.get(f"/console/checkout/sessions/{session_id}").content.decode()
    assert "legal hold" not in session


def test_an_unknown_session_is_said_at_its_field(admin):
    said = {"kind": "session", "value": "sess_1", "reason": "x"}
    refused = admin.post(f"{PAGE}/holds", said)

    assert refused.status_code == 422
    assert "There is no such session" in refused.content.decode()


def test_others_read_it_and_change_nothing(entering, project):
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.PROJECT, value=None, reason="All of it"
    )
    browser = entering(Role.OPERATOR)

    text = text_of(browser)
    assert "emptied after 30 d" in text
    assert "All of it" in text
    assert "takes the role administrator" in text
    assert '<form method="post" action="' + PAGE not in text
    assert browser.post(f"{PAGE}/policies/{policy.id}/disable").status_code == 403
    assert browser.post(f"{PAGE}/holds", {}).status_code == 403


def test_its_first_line_says_what_is_on_what_is_held_and_when_it_goes_on(
    admin, project
):
    policy = enabled(project, empty_days=30)
    retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.PROJECT, value=None, reason="All of it"
    )
    text = text_of(admin)
    assert "1 policy on</strong>: a sweep goes through once an hour." in text
    assert "1 legal hold</a> stands." in text
    swept_at = timezone.now() - timedelta(minutes=10)
    with acting_as(DatabaseRole.RETENTION):
        Heartbeat.objects.create(id=1, at=timezone.now(), swept_at=swept_at)
    text = text_of(admin)
    assert "1 policy on</strong>: the next sweep begins <time" in text
    assert f"{swept_at + timedelta(hours=1):%Y-%m-%dT%H:%M}" in text

    retention.disable_policy(act=act_in(project), policy_id=policy.id)
    assert "No policy is on:</strong> everything stays." in text_of(admin)


def test_what_went_leads_to_its_record_and_says_by_whose_policy(admin, project):
    Past.of(project, [90, 80, 1], agent="desk")
    policy = enabled(project, agent="desk", empty_days=30)
    swept()
    text = text_of(admin)

    found = Removal.objects.removals().get(policy=policy)
    where = f"/console/{project.slug}/audit?action=retention.removed"
    assert f'<a href="{where}">{found.id}</a>' in text
    assert re.search("emptied: 2 versions[^<]* of 1 session<br>", text)
    assert found.id in admin.get(where).content.decode()
