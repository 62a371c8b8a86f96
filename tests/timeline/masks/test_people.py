"""People whom masks cover some from: what they see, ask, and may be allowed."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.errors import UserNotFound
from apps.accounts.masks import masks_of
from apps.accounts.models import Membership, Role
from apps.audit.models import AuditRecord
from apps.core.errors import InvalidRequest
from apps.diffs.readers import looking
from apps.metrics import mailing
from apps.metrics.models import Rule
from apps.plans import running
from apps.timeline.masking import MaskedReader
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Message
from tests.accounts.make import make_member, make_project
from tests.acts import act_by, act_in
from tests.console.make import signed_in
from tests.erasures.leaving import done
from tests.feeding import feed_all
from tests.timeline.runs import begin

pytestmark = pytest.mark.django_db
CARD, MAIL = "4111 1111 1111 1111", "bob@x.org"
SECRET = [{"pointer": "/customer/name", "style": "hide"}]
MAILS = [{"pattern": "email", "style": "hide"}]


@pytest.fixture
def run(api):
    made = begin(
        api(),
        {"customer": {"name": "Roberta", "city": "Rome"}, "to": "Ann", "n": 1},
        user_id=MAIL,
    )
    made.patch(
        {"customer": {"name": "Robert", "city": "Rome"}, "n": 2},
        reasoning=f"Wrote to {MAIL}",
    )
    made.patch({"customer": {"name": "Roberta", "city": "Rome"}, "n": 3})
    return made


@pytest.fixture
def viewer(project):
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def admin(project):
    return signed_in(Client(), make_member(project, "ada", Role.ADMIN))


def mask(project, *said):
    act = act_in(project)
    return accounts.set_masks(act=act, project=project, masks=masks_of([*said]))


def page(browser, project, name, *more, query=""):
    where = reverse(f"console:{name}", args=[project.slug, *more])
    return browser.get(f"{where}?{query}")


def text(answer):
    return answer.content.decode()


def searched(browser, project, term):
    return page(browser, project, "sessions", query=f"q={quote(term)}")


def test_a_viewer_sees_a_session_without_what_is_masked(viewer, project, run):
    mask(project, *SECRET)

    shown = text(page(viewer, project, "version_detail", run.id, 1, query="tab=state"))

    assert "Robert" not in shown
    assert "[masked]" in shown
    assert "Rome" in shown


def test_without_masks_nothing_changes(viewer, project, run):
    shown = text(page(viewer, project, "version_detail", run.id, 1, query="tab=state"))

    assert "Robert" in shown
    assert "[masked]" not in shown


def test_the_state_as_a_file_is_masked_too(viewer, project, run):
    mask(project, *SECRET)

    found = page(viewer, project, "version_state", run.id, 1).json()

    assert found == {
        "customer": {"name": "[masked]", "city": "Rome"},
        "to": "Ann",
        "n": 2,
    }


def test_a_clause_at_a_masked_place_is_refused(viewer, project, run):
    mask(project, *SECRET)

    for term in ("state.customer.name=Robert", "ever:state.customer.name=Robert"):
        refused = searched(viewer, project, term)
        assert refused.status_code == 422, term
        assert "would tell what masks cover" in text(refused)
    assert run.id in text(searched(viewer, project, "state.customer.city=Rome"))


def test_an_incident_does_not_count_what_is_masked(project, run):
    mask(project, *SECRET)
    operator = signed_in(Client(), make_member(project, "olga", Role.OPERATOR))
    where = reverse("console:open_incident", args=[project.slug])

    for name in ("Roberta", "Bob"):
        looked = operator.post(where, {"q": f"state.customer.name={name}", "look": "1"})
        assert looked.status_code == 422
        assert "would tell what masks cover" in text(looked)


def test_a_clause_with_what_a_pattern_finds_is_refused(viewer, project, run):
    mask(project, *MAILS)

    assert searched(viewer, project, f"user:{MAIL}").status_code == 422
    assert searched(viewer, project, f'state.to="{MAIL}"').status_code == 422
    assert searched(viewer, project, "words:Wrote").status_code == 422
    assert searched(viewer, project, "agent:travel").status_code == 200


def test_a_value_without_a_place_counts_where_it_stands_unmasked(viewer, project, run):
    mask(project, *SECRET)

    assert run.id in text(searched(viewer, project, "Ann"))
    assert run.id not in text(searched(viewer, project, "Roberta"))
    assert run.id in text(searched(viewer, project, "-Roberta"))


def test_the_check_of_a_plan_does_not_tell_what_is_masked(
    api, viewer, admin, project, run
):
    check = 'state.customer.name="Roberta"'
    asked = {"kind": "rollback", "sessions": [run.id], "target": {"check": check}}
    plan = done(api().post("/v1/plans", asked))
    mask(project, *SECRET)

    assert "Roberta" not in text(page(viewer, project, "plan", plan["id"]))
    assert "Roberta" in text(page(admin, project, "plan", plan["id"]))


def test_who_set_what_is_masked_is_not_told(viewer, admin, project, run):
    mask(project, *SECRET)
    asked = {"query": "pointer=/customer/name"}

    assert page(viewer, project, "blame", run.id, 2, **asked).status_code == 403
    assert page(admin, project, "blame", run.id, 2, **asked).status_code == 200
    of_the_other = page(viewer, project, "blame", run.id, 2, query="pointer=/n")
    assert of_the_other.status_code == 200


def test_what_cannot_be_masked_says_so(viewer, project, run):
    mask(project, *MAILS)

    refused = page(viewer, project, "meaning", query="q=x")

    assert refused.status_code == 403
    assert "cannot be masked" in text(refused)


def test_an_archive_is_not_handed_out(viewer, admin, project, run, api):
    client = api()
    made = done(client.post("/v1/plans", {"kind": "export", "sessions": [run.id]}))
    done(client.post(f"/v1/plans/{made['id']}/confirm", {"reason": "look"}))
    running.sweep(now=timezone.now())
    clear = page(admin, project, "export_plan", made["id"])
    assert b"PK" in b"".join(clear)
    mask(project, *SECRET)

    refused = page(viewer, project, "export_plan", made["id"])

    assert refused.status_code == 403
    assert "cannot be masked" in text(refused)


def test_an_operator_is_masked_until_an_administrator_allows_it(admin, project, run):
    user = make_member(project, "otto", Role.OPERATOR)
    browser = signed_in(Client(), user)
    mask(project, *SECRET)
    where = reverse("console:allow_unmasked", args=[project.slug, user.id])
    state = (browser, project, "version_state", run.id, 1)
    assert "Robert" not in text(page(*state))

    assert browser.post(where, {"is_allowed": "on"}).status_code == 403
    assert admin.post(where, {"is_allowed": "on"}).status_code == 302
    assert "Robert" in text(page(*state))

    admin.post(where, {"is_allowed": "off"})
    assert "Robert" not in text(page(*state))
    records = AuditRecord.objects.filter(action="member.changed").order_by("number")
    assert [one.details.get("reads_unmasked") for one in records] == [True, False]


def test_another_role_takes_the_permission_away(project):
    user = make_member(project, "otto", Role.OPERATOR)
    act = act_by(actor_of(make_member(project, "ada")))
    said = {"act": act, "project": project, "user": user}
    accounts.allow_unmasked(**said, is_allowed=True)
    for role in (Role.VIEWER, Role.OPERATOR):
        accounts.change_role(**said, role=role)

    assert not Membership.objects.get(user=user).reads_unmasked


def test_only_operators_of_the_project_are_allowed_it_and_once(project):
    act = act_by(actor_of(make_member(project, "ada")))
    vera = make_member(project, "vera", Role.VIEWER)
    otto = make_member(project, "otto", Role.OPERATOR)
    stranger = make_member(make_project("other"), "sam", Role.OPERATOR)

    with pytest.raises(InvalidRequest, match="Operators alone"):
        accounts.allow_unmasked(act=act, project=project, user=vera, is_allowed=True)
    with pytest.raises(UserNotFound):
        accounts.allow_unmasked(
            act=act, project=project, user=stranger, is_allowed=True
        )
    accounts.allow_unmasked(act=act, project=project, user=otto, is_allowed=True)
    with pytest.raises(InvalidRequest, match="already"):
        accounts.allow_unmasked(act=act, project=project, user=otto, is_allowed=True)


def read_records():
    found = AuditRecord.objects.filter(action="unmasked.read").order_by("number")
    return [(one.actor_label, one.resource_type, one.resource_id) for one in found]


def test_reading_unmasked_is_recorded_once_a_session_and_hour(
    admin, viewer, project, run
):
    page(admin, project, "session_detail", run.id)
    assert read_records() == []
    mask(project, *SECRET)

    for _ in range(2):
        page(admin, project, "session_detail", run.id)
        page(admin, project, "version_state", run.id, 1)
        page(admin, project, "sessions")
        page(viewer, project, "session_detail", run.id)
    assert (
        page(admin, project, "session_detail", run.id[:-4] + "zzzz").status_code > 400
    )

    assert read_records() == [
        ("ada", "session", run.id),
        ("ada", "project", project.id),
    ]


def test_an_hour_later_it_is_recorded_again(project):
    user, now = make_member(project, "ada"), timezone.now()
    for later in (timedelta(0), timedelta(minutes=0), timedelta(hours=1)):
        act = act_by(actor_of(user), now=now + later)
        accounts.note_unmasked(act=act, project=project, session_id="sess_1")

    assert len(read_records()) == 2


def test_what_is_drawn_for_somebody_is_never_written(project, run, api):
    mask(project, *SECRET)
    project.refresh_from_db()

    with looking(MaskedReader(project)), pytest.raises(AssertionError):
        run.patch({"n": 4})

    assert run.get("state")["state"]["customer"]["name"] == "Roberta"


def test_a_rollback_by_a_masked_operator_restores_what_is_stored(project, run):
    mask(project, *SECRET)
    browser = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))
    where = reverse("console:rollback", args=[project.slug, run.id, 1])
    shown = text(browser.get(where))
    assert "Robert" not in shown

    answer = browser.post(where, {"key": "k" * 16, "expected": 2, "reason": "wrong"})
    assert answer.status_code in (302, 303), text(answer)

    assert run.get("state")["state"]["customer"]["name"] == "Robert"


def test_a_masked_operator_forks_what_is_stored_and_edits_nothing(project, run, api):
    mask(project, *SECRET)
    browser = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))
    where = reverse("console:fork", args=[project.slug, run.id, 1])
    shown = text(browser.get(where))
    assert "cannot be edited here" in shown
    assert '<textarea id="id_state"' not in shown

    edited = browser.post(where, {"key": "k" * 16, "state": '{"n": 1}'})
    forked = browser.post(where, {"key": "l" * 16})

    assert edited.status_code == 403
    made = forked.headers["Location"].split("/sessions/")[1].split("/")[0]
    state = done(api().get(f"/v1/sessions/{made}/state"))["state"]
    assert state["customer"]["name"] == "Robert"


def test_a_plan_looks_for_nothing_that_is_masked(project, run):
    mask(project, *SECRET)
    browser = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))
    asked = {"key": "k" * 16, "kind": "hold", "first": "on"}
    asked["q"] = "state.customer.name=Roberta"

    refused = posted(browser, project, "make_plan", **asked)

    assert refused.status_code in (400, 422)
    assert run.id not in text(refused)


def test_webhooks_are_told_what_masks_leave(project, run):
    mask(project, *MAILS)
    webhooks.create(
        url="https://receiver.example/all",
        kinds=["version.created", "session.updated"],
        act=act_in(project),
    )

    run.patch({"n": 9}, reasoning=f"Asked {MAIL}")
    done(run.client.patch(run.path(), {"metadata": {"to": MAIL, "n": 1}}))
    feed_all()

    bodies = b"".join(bytes(one.body) for one in Message.objects.all())
    assert b"Asked [masked]" in bodies
    assert MAIL.encode() not in bodies
    assert b'"n":1' in bodies


def test_a_mail_of_an_alert_tells_what_masks_leave(project, mailoutbox):
    mask(project, *MAILS)
    rule = Rule(project_id=project.id, email="oncall@example.com", id="rule_1")
    told = {
        "summary": f"Many of {MAIL}",
        **dict.fromkeys(("dashboard_path", "sessions_path", "rule_path"), "/x"),
    }

    message = mailing._message(rule, told)

    assert MAIL not in message.subject + message.body
    assert "Many of [masked]" in message.body


def posted(browser, project, name, **said):
    return browser.post(reverse(f"console:{name}", args=[project.slug]), said)


def masks_in(project):
    project.refresh_from_db()
    return project.masks


def test_an_administrator_adds_a_mask_and_takes_it_away(admin, project):
    added = posted(
        admin, project, "add_mask", what="place", said="/customer/**", style="last4"
    )
    assert added.status_code == 303
    posted(admin, project, "add_mask", what="words", said="Ann, Bob", style="hide")
    posted(admin, project, "add_mask", what="words", said="Ann, Bob", style="hide")

    shown = page(admin, project, "masks")
    assert "/customer/**" in text(shown)
    assert "Ann, Bob" in text(shown)
    said = [one["said"] for one in shown.context["masks"]]
    assert len(said) == 2
    for one in [*said, said[0]]:
        assert posted(admin, project, "remove_mask", mask=one).status_code == 303
    assert masks_in(project) == "[]"


def test_a_mask_that_cannot_be_is_told_at_its_field(admin, project):
    for what, said in (("place", "no pointer"), ("words", " "), ("email", "x")):
        refused = posted(admin, project, "add_mask", what=what, said=said, style="hide")
        assert refused.status_code == 422
        assert "error" in text(refused)
    assert posted(admin, project, "remove_mask", mask="{").status_code == 400
    assert masks_in(project) == "[]"


def test_masks_are_tried_on_a_sample_that_is_not_kept(admin, project):
    mask(project, *SECRET, {"pattern": "card", "style": "last4"})

    found = posted(
        admin, project, "masks", sample='{"customer": {"name": "Ann"}, "to": "Bob"}'
    )
    of_text = posted(admin, project, "masks", sample=f"Pay by {CARD}")

    assert "Ann" not in found.context["left"]
    assert "Bob" in found.context["left"]
    assert of_text.context["left"] == "Pay by [masked …1111]"
    assert posted(admin, project, "masks", sample="").status_code == 422


@pytest.mark.parametrize("name", ["masks", "add_mask", "remove_mask"])
def test_nobody_else_manages_masks(viewer, project, name):
    otto = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))
    sam = signed_in(Client(), make_member(make_project("other"), "sam"))

    assert posted(viewer, project, name).status_code == 403
    assert posted(otto, project, name).status_code == 403
    assert posted(sam, project, name).status_code == 404
    assert posted(Client(), project, name).status_code in (302, 401)
