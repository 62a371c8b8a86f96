"""Second factors: set up, asked for, never twice, slowed down, lost and reset."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts import second_factors
from apps.accounts.access import actor_of
from apps.accounts.errors import (
    SecondFactorNotFound,
    SecondFactorRefused,
    SecondFactorSetUp,
)
from apps.accounts.models import (
    Authenticator,
    Membership,
    RecoveryCode,
    Role,
    Scope,
)
from apps.audit.models import AuditRecord
from apps.core.admission.rate_limit import RateLimitExceeded
from apps.core.errors import DomainError, InvalidRequest
from tests.accounts.make import (
    NOW,
    PASSWORD,
    code_of,
    make_link,
    make_member,
    make_project,
    make_user,
    set_up,
)
from tests.accounts.test_races import at_once
from tests.acts import act_by
from tests.contracts.world import client_of

BACKEND = "django.contrib.auth.backends.ModelBackend"
PAGE = "/account/second-factor"
CODE = "/account/code"
HTML = {"Accept": "text/html"}


def about(user):
    return {"user": user, "act": act_by(actor_of(user), NOW)}


def check(user, code):
    return accounts.check_second_factor(
        user=user, code=code, now=NOW, request_id="req_1"
    )


def waited(user):
    """Let the wait after wrong codes be over."""
    Authenticator.objects.filter(user=user).update(
        throttling_failure_timestamp=timezone.now() - timedelta(hours=1)
    )


def actions():
    found = AuditRecord.objects.exclude(action__startswith="user.")
    return [one.action for one in found.order_by("created_at", "number")]


@pytest.fixture
def nina(db):
    return make_user("nina", password=PASSWORD)


def test_it_counts_once_its_first_code_was_entered(nina):
    device = accounts.begin_second_factor(**about(nina))
    assert not second_factors.has_second_factor(nina.id)

    with pytest.raises(SecondFactorRefused):
        accounts.confirm_second_factor(code="000000", **about(nina))
    waited(nina)
    accounts.confirm_second_factor(code=code_of(device), **about(nina))

    assert second_factors.has_second_factor(nina.id)
    assert actions() == ["second_factor.set_up"]


def test_a_code_counts_once(nina):
    device, _ = set_up(nina)
    code = code_of(device)

    assert check(nina, code[:3] + " " + code[3:]) == device
    with pytest.raises(SecondFactorRefused):
        check(nina, code)


def test_the_code_it_was_set_up_with_is_used_up(nina):
    device = accounts.begin_second_factor(**about(nina))
    code = code_of(device)
    accounts.confirm_second_factor(code=code, **about(nina))

    with pytest.raises(SecondFactorRefused):
        check(nina, code)


@pytest.mark.django_db(transaction=True)
def test_of_four_with_the_same_code_at_once_one_gets_in():
    nina = make_user("nina")
    device, _ = set_up(nina)
    code = code_of(device)

    outcomes = at_once(*[lambda: check(nina, code)] * 4)

    refused = [one for one in outcomes if isinstance(one, DomainError)]
    assert len(refused) == 3


@pytest.mark.parametrize(
    "code",
    [
        "",
        "12345",
        "1234567",
        "-12345",
        "\uff11\uff12\uff13\uff14\uff15\uff16",
        "abcdef",
        "0" * 64,
        "+12345",
    ],
)
def test_nonsense_is_a_wrong_code(nina, code):
    set_up(nina)

    with pytest.raises(SecondFactorRefused):
        check(nina, code)


def test_wrong_codes_make_the_next_wait_and_not_for_ever(nina):
    device, codes = set_up(nina)
    with pytest.raises(SecondFactorRefused):
        check(nina, "000000")

    with pytest.raises(RateLimitExceeded) as early:
        check(nina, code_of(device))
    assert early.value.details["retry_after"] in (1, 2)

    Authenticator.objects.update(
        throttling_failure_count=500, throttling_failure_timestamp=timezone.now()
    )
    with pytest.raises(RateLimitExceeded) as late:
        check(nina, code_of(device))
    assert 900 < late.value.details["retry_after"] < 1100
    # Who guesses with her password does not keep her out.
    assert check(nina, codes[0])


def test_a_recovery_code_counts_once_and_is_recorded(nina):
    device, codes = set_up(nina)

    assert check(nina, codes[0].upper().replace("-", " ")) == device
    with pytest.raises(SecondFactorRefused):
        check(nina, codes[0])

    assert second_factors.codes_left(nina) == 9
    assert actions()[-1] == "recovery_code.used"


@pytest.mark.django_db(transaction=True)
def test_of_four_with_the_same_recovery_code_at_once_one_gets_in():
    nina = make_user("nina")
    _, codes = set_up(nina)

    outcomes = at_once(*[lambda: check(nina, codes[0])] * 4)

    assert [type(one) for one in outcomes].count(SecondFactorRefused) == 3


def test_recovery_codes_are_read_as_people_read_them(nina):
    _, codes = set_up(nina)
    code = next(one for one in codes if set("01") & set(one))

    assert check(nina, code.replace("0", "O").replace("1", "l"))


def test_recovery_codes_are_stored_as_digests_and_nobody_elses(nina):
    _, codes = set_up(nina)
    ben = make_user("ben")
    set_up(ben)

    stored = str(list(RecoveryCode.objects.values()))
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
    assert len(set(codes)) == 10
    with pytest.raises(SecondFactorRefused):
        check(ben, codes[0])


def test_new_recovery_codes_replace_the_old(nina):
    _, codes = set_up(nina)

    new = accounts.make_recovery_codes(**about(nina))

    with pytest.raises(SecondFactorRefused):
        check(nina, codes[0])
    assert check(nina, new[0])


def test_there_is_one_at_a_time(nina):
    set_up(nina)

    with pytest.raises(SecondFactorSetUp):
        accounts.begin_second_factor(**about(nina))
    with pytest.raises(SecondFactorSetUp):
        accounts.confirm_second_factor(code="000000", **about(nina))


def test_what_is_not_there_cannot_be_used_renewed_or_removed(nina):
    for act in (accounts.make_recovery_codes, accounts.remove_second_factor):
        with pytest.raises(SecondFactorNotFound):
            act(**about(nina))
    with pytest.raises(SecondFactorNotFound):
        check(nina, "000000")
    with pytest.raises(SecondFactorNotFound):
        accounts.confirm_second_factor(code="000000", **about(nina))


def test_removing_it_takes_the_codes_along(nina):
    set_up(nina)

    accounts.remove_second_factor(**about(nina))

    assert not Authenticator.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert actions()[-1] == "second_factor.removed"


# The pages


@pytest.fixture
def browser(nina):
    client = Client(headers=HTML)
    client.force_login(nina, BACKEND)
    return client


def begin(client, current=PASSWORD):
    return client.post(PAGE, {"act": "begin", "current": current})


def test_setting_it_up_shows_a_picture_a_secret_and_codes_once(browser, nina):
    first = browser.get(PAGE).content.decode()
    begin(browser)
    page = browser.get(PAGE)
    device = Authenticator.objects.get()
    done = browser.post(PAGE, {"act": "confirm", "code": code_of(device)})
    after = browser.get(PAGE).content.decode()

    assert "Set up an authenticator" in first
    text = page.content.decode()
    assert 'src="data:image/svg+xml' in text
    assert "no-store" in page["Cache-Control"]
    (secret,) = re.findall(r'id="secret">([A-Z2-7 ]+)<', text)
    assert secret.replace(" ", "") == device.typed_secret
    codes = re.findall(r"(?:[0-9a-z]{4}-){3}[0-9a-z]{4}", done.content.decode())
    assert len(codes) == 10
    # This session has entered a code: it is not asked for another one.
    assert "10 recovery codes left" in after
    assert codes[0] not in after
    assert secret not in after


@pytest.mark.parametrize("current", ["wrong", ""])
def test_a_browser_left_open_sets_up_nothing(browser, current):
    page = begin(browser, current)

    assert page.status_code == 422
    assert not Authenticator.objects.exists()


def test_who_has_no_password_needs_none(client, db):
    client.force_login(make_user("linked"), BACKEND)

    assert "password" not in client.get(PAGE).content.decode().split("<form")[-1]
    assert begin(client).status_code == 302


def test_a_wrong_first_code_is_told_beside_its_field(browser):
    begin(browser)

    page = browser.post(PAGE, {"act": "confirm", "code": "000000"})

    assert page.status_code == 422
    assert "This code is wrong" in page.content.decode()


@pytest.mark.parametrize("act", ["codes", "remove", "begin", "confirm"])
def test_a_password_alone_changes_nothing_of_it(browser, nina, act):
    set_up(nina)

    assert browser.get(PAGE)["Location"] == f"{CODE}?next={PAGE}"
    answer = browser.post(PAGE, {"act": act, "current": PASSWORD})

    assert answer["Location"].startswith(CODE)
    assert Authenticator.objects.count() == 1
    assert RecoveryCode.objects.filter(used_at=None).count() == 10


def test_with_a_code_it_is_renewed_and_removed(browser, nina):
    device, _ = set_up(nina)
    answer = browser.post(CODE, {"code": code_of(device), "next": PAGE})
    assert answer["Location"] == PAGE

    codes = browser.post(PAGE, {"act": "codes"}).content.decode()
    assert "no longer" not in codes
    assert len(re.findall(r"(?:[0-9a-z]{4}-){3}[0-9a-z]{4}", codes)) == 10
    browser.post(PAGE, {"act": "remove"})
    assert not Authenticator.objects.exists()


def test_an_act_that_another_window_made_impossible_is_told(browser, nina):
    device, _ = set_up(nina)
    browser.post(CODE, {"code": code_of(device)})
    answer = browser.post(PAGE, {"act": "begin", "current": PASSWORD}, follow=True)

    assert "set up already" in answer.content.decode()
    assert browser.post(PAGE, {"act": "nonsense"}).status_code == 200


# What projects ask for


@pytest.fixture
def guarded(db):
    """A project that asks for a second factor, and its administrator who has one."""
    project = make_project()
    alice = make_member(project, "alice")
    set_up(alice)
    accounts.require_second_factor(
        project=project,
        is_required=True,
        act=act_by(actor_of(alice), NOW),
    )
    return project


def member(project, role=Role.OPERATOR):
    user = make_member(project, "nina", role)
    client = Client(headers=HTML)
    client.force_login(user, BACKEND)
    return user, client


def test_a_member_is_led_to_the_code_and_back(guarded):
    nina, client = member(guarded)
    device, _ = set_up(nina)
    wanted = "/console/checkout/sessions?q=status%3Aactive"

    led = client.get(wanted)
    page = client.get(led["Location"])
    wrong = client.post(CODE, {"code": "000000", "next": wanted})
    waited(nina)
    right = client.post(CODE, {"code": code_of(device), "next": wanted})

    assert led["Location"].startswith(f"{CODE}?next=/console/checkout/sessions%3Fq%3D")
    assert page.status_code == 200
    assert wrong.status_code == 422
    assert right["Location"] == wanted
    assert client.get(wanted).status_code == 200


def test_who_has_none_is_led_to_set_one_up(guarded):
    _, client = member(guarded)

    page = client.get("/console/checkout", follow=True)

    assert page.redirect_chain[-1][0] == PAGE
    assert "set one up first" in page.content.decode()


def test_it_is_asked_for_after_a_sign_in_link_too(guarded, client):
    nina = make_member(guarded, "nina")
    set_up(nina)
    token = make_link(guarded, nina, now=timezone.now())
    client.post(reverse("accounts:signin_link", args=[token]))

    assert client.get("/console/checkout", headers=HTML)["Location"].startswith(CODE)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("post", "/console/checkout/members/invite"),
        ("post", "/console/checkout/keys/issue"),
        ("get", "/console/checkout/audit/export"),
        ("get", "/console/checkout/members"),
        ("get", "/console/checkout/sessions/sess_" + "0" * 26 + "/live"),
    ],
)
@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_no_page_and_no_act_is_open_without_it(guarded, method, path, accept):
    nina, client = member(guarded, Role.ADMIN)
    set_up(nina)
    before = Membership.objects.count()

    answer = getattr(client, method)(
        path,
        {"role": "admin", "name": "x", "scope": "read"},
        headers={"Accept": accept},
    )

    assert answer.status_code in (302, 403)
    assert answer.status_code == 403 or answer["Location"].startswith(CODE)
    if answer.status_code == 403 and accept == "*/*":
        assert answer.json()["error"]["code"] == "second_factor_needed"
    assert Membership.objects.count() == before


def test_a_fragment_leads_the_whole_page_there(guarded):
    _, client = member(guarded)

    answer = client.get("/console/checkout/sessions", headers={"HX-Request": "true"})

    assert (answer.status_code, answer["HX-Redirect"]) == (403, CODE)


def test_a_stranger_is_told_the_same_as_ever(guarded):
    client = Client(headers=HTML)
    client.force_login(make_user("mallory"), BACKEND)

    assert client.get("/console/checkout").status_code == 404


def test_another_session_enters_its_own_code(guarded):
    nina, client = member(guarded)
    device, _ = set_up(nina)
    client.post(CODE, {"code": code_of(device)})
    other = Client(headers=HTML)
    other.force_login(nina, BACKEND)

    assert client.get("/console/checkout").status_code == 200
    assert other.get("/console/checkout").status_code == 302


def test_a_session_that_entered_a_code_has_another_key(guarded):
    nina, client = member(guarded)
    device, _ = set_up(nina)
    before = client.session.session_key

    client.post(CODE, {"code": code_of(device)})

    assert client.session.session_key != before


def test_a_code_of_a_device_that_is_gone_opens_nothing(guarded):
    nina, client = member(guarded)
    device, _ = set_up(nina)
    client.post(CODE, {"code": code_of(device)})

    accounts.remove_second_factor(**about(nina))
    set_up(nina)

    assert client.get("/console/checkout")["Location"].startswith(CODE)


def test_keys_need_none(guarded):
    assert client_of(guarded, Scope.READ).get("/v1/agents").status == 200


def test_next_leads_to_no_other_site(guarded):
    nina, client = member(guarded)
    device, _ = set_up(nina)

    answer = client.post(
        CODE, {"code": code_of(device), "next": "https://evil.example/"}
    )

    assert answer["Location"] == reverse("console:home")


def switch(client, to):
    return client.post(
        "/console/checkout/members/second-factor", {"is_required": to}, follow=True
    )


def test_an_administrator_asks_for_it_and_no_longer(db):
    project = make_project()
    alice, client = member(project, Role.ADMIN)

    without = switch(client, "on")
    device, _ = set_up(alice)
    on = switch(client, "on")
    client.post(CODE, {"code": code_of(device)})
    off = switch(client, "off")

    assert without.status_code == 400
    assert "of your own first" in without.content.decode()
    # The next page asks for the code at once.
    assert on.redirect_chain[-1][0].startswith(CODE)
    assert "no longer asks for a second factor" in off.content.decode()
    assert [one for one in actions() if "required" in one] == [
        "second_factor.required",
        "second_factor.not_required",
    ]


def test_asking_for_what_is_so_already_is_no_act(guarded):
    alice = Membership.objects.get(role=Role.ADMIN).user

    with pytest.raises(InvalidRequest):
        accounts.require_second_factor(
            project=guarded,
            is_required=True,
            act=act_by(actor_of(alice), NOW),
        )


def test_a_role_below_administrator_switches_nothing(db):
    project = make_project()
    make_member(project, "alice")
    operator, client = member(project, Role.OPERATOR)
    set_up(operator)

    assert switch(client, "on").status_code == 403
    project.refresh_from_db()
    assert not project.needs_second_factor
