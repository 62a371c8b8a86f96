"""The commands: what they print, what they make, and how they refuse."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.authentication import caller_for_secret
from apps.accounts.models import (
    ApiKey,
    Authenticator,
    Membership,
    Project,
    Role,
    User,
)
from apps.audit.models import AuditRecord
from tests.accounts.make import (
    PASSWORD,
    make_key,
    make_member,
    make_project,
    make_user,
    set_up,
)


def run(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


def test_create_project_makes_one_and_says_its_id(db):
    lines = run("create_project", "checkout", "--name", "Checkout bots")

    project = Project.objects.get()
    assert project.name == "Checkout bots"
    assert project.id in lines[0]
    assert AuditRecord.objects.get().actor_label == "manage.py create_project"


def test_create_user_can_make_a_member(db):
    make_project()

    run("create_user", "bob", "--project", "checkout", "--role", "operator")

    assert Membership.objects.get().role == Role.OPERATOR


@pytest.mark.parametrize(
    ("project", "next_step"),
    [
        ((), "manage.py set_role bob"),
        (("--project", "checkout"), "signin_link --project checkout --user bob"),
    ],
)
def test_create_user_names_the_next_step(db, project, next_step):
    make_project()

    assert next_step in run("create_user", "bob", *project)[-1]


def test_set_role_lets_a_user_into_a_project(db):
    project = make_project()
    make_user("bob")

    lines = run("set_role", "bob", "operator")

    assert Membership.objects.get(project=project).role == Role.OPERATOR
    assert lines == ["bob is now operator of checkout."]


def test_set_role_changes_what_a_member_may_do(db):
    project = make_project()
    make_member(project, "alice", Role.ADMIN)
    make_member(project, "bob", Role.VIEWER)

    run("set_role", "bob", "admin", "--project", "checkout")

    assert Membership.objects.get(user__username="bob").role == Role.ADMIN


def test_set_role_leaves_a_project_its_last_administrator(db):
    make_member(make_project(), "alice", Role.ADMIN)

    with pytest.raises(CommandError, match="administrator"):
        run("set_role", "alice", "viewer")

    assert Membership.objects.get().role == Role.ADMIN


def test_set_role_is_for_users_that_exist(db):
    make_project()

    with pytest.raises(CommandError, match="no user mallory"):
        run("set_role", "mallory", "viewer")


def test_create_user_makes_nobody_when_the_project_is_unknown(db):
    with pytest.raises(CommandError, match="no project nowhere"):
        run("create_user", "bob", "--project", "nowhere")

    assert not User.objects.exists()


def test_create_user_reads_a_password_from_its_input(db, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))

    run("create_user", "bob", "--password")

    assert User.objects.get().check_password("correct horse battery")


def test_create_key_prints_a_working_key_alone_on_the_last_line(db):
    project = make_project()

    lines = run("create_key", "--project", "checkout", "--scope", "read")

    caller = caller_for_secret(secret=lines[-1], now=timezone.now())
    assert (caller.project, caller.scope, caller.agents) == (project, "read", None)


def test_create_key_takes_what_it_begins_with(db):
    make_project()

    lines = run("create_key", "--project", "checkout", "--prefix", "anc_")

    key = ApiKey.objects.get()
    assert lines[-1].startswith("anc_")
    assert key.prefix == lines[-1][: len("anc_") + 8]
    assert caller_for_secret(secret=lines[-1], now=timezone.now()).key_id == key.id


def test_create_key_takes_agents_and_days(db):
    make_project()

    run(
        *("create_key", "--project", "checkout", "--name", "two bots"),
        *("--agent", "a", "--agent", "b", "--expires-days", "30"),
        *("--rate-limit", "60"),
    )

    key = ApiKey.objects.get()
    assert (key.name, key.agents, key.rate_limit) == ("two bots", ["a", "b"], 60)
    assert (key.expires_at - key.created_at).days == 30


@pytest.mark.parametrize("days", ["0", "-1", "99999999"])
def test_create_key_refuses_an_impossible_life(db, days):
    make_project()

    with pytest.raises(CommandError, match="days"):
        run("create_key", "--project", "checkout", "--expires-days", days)


def test_list_keys_shows_prefixes_and_never_secrets(db):
    project = make_project()
    key, secret = make_key(project, agents=["refund-bot"])

    text = "\n".join(run("list_keys", "--project", "checkout"))

    assert key.id in text
    assert "refund-bot" in text
    assert "live" in text
    assert secret not in text


def test_list_keys_says_when_there_are_none(db):
    make_project()

    assert "no keys" in run("list_keys", "--project", "checkout")[0]


def test_revoke_key_ends_a_key_once(db):
    key, _ = make_key(make_project())

    run("revoke_key", key.id, "--project", "checkout")

    assert "revoked" in run("list_keys", "--project", "checkout")[0]
    with pytest.raises(CommandError, match="revoked before"):
        run("revoke_key", key.id, "--project", "checkout")


def test_revoke_key_asks_for_the_id_and_not_the_secret(db):
    _, secret = make_key(make_project())

    with pytest.raises(CommandError, match="by its id") as refused:
        run("revoke_key", secret, "--project", "checkout")

    assert secret not in str(refused.value)


def test_signin_link_makes_the_first_administrator(db):
    project = make_project()

    lines = run("signin_link", "--project", "checkout", "--base-url", "https://x.test/")

    assert Membership.objects.get(project=project).role == Role.ADMIN
    assert lines[-1].startswith("https://x.test/signin/")
    token = lines[-1].rpartition("/")[2]
    link = accounts.use_signin_link(token=token, now=timezone.now(), request_id="r")
    assert (link.user.username, link.is_limited) == ("admin", False)


def test_signin_link_raises_a_viewer_where_there_is_no_administrator(db):
    make_member(make_project(), "carol", Role.VIEWER)

    run("signin_link", "--project", "checkout", "--user", "carol")

    assert Membership.objects.get().role == Role.ADMIN


def test_signin_link_makes_no_second_administrator(db):
    make_member(make_project())

    with pytest.raises(CommandError, match="no user mallory"):
        run("signin_link", "--project", "checkout", "--user", "mallory")

    assert User.objects.count() == 1


def test_signin_link_is_for_members(db):
    make_member(make_project())
    make_user("mallory")

    with pytest.raises(CommandError, match="not an active member"):
        run("signin_link", "--project", "checkout", "--user", "mallory")


@pytest.mark.parametrize(
    "arguments",
    [
        ("create_key", "--project", "nowhere"),
        ("list_keys", "--project", "nowhere"),
        ("revoke_key", "key_1", "--project", "nowhere"),
        ("signin_link", "--project", "nowhere"),
    ],
)
def test_an_unknown_project_is_a_sentence_naming_the_known_ones(db, arguments):
    make_project()

    with pytest.raises(CommandError, match="no project nowhere; there are: checkout"):
        run(*arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("create_key",), "key"),
        (("list_keys",), "checkout has no keys"),
        (("signin_link",), "admin of checkout"),
    ],
)
def test_the_only_project_need_not_be_named(db, arguments, said):
    make_project()

    lines = run(*arguments)

    assert said in lines[0]
    assert "checkout" in lines[0]


def test_revoke_key_finds_the_key_of_the_only_project(db):
    key, _ = make_key(make_project())

    assert key.id in run("revoke_key", key.id)[0]


@pytest.mark.parametrize(
    "arguments",
    [("create_key",), ("list_keys",), ("revoke_key", "key_1"), ("signin_link",)],
)
def test_of_several_projects_one_must_be_named(db, arguments):
    make_project("checkout")
    make_project("billing")

    with pytest.raises(CommandError, match="--project; there are: billing, checkout"):
        run(*arguments)


@pytest.mark.parametrize("arguments", [("create_key",), ("list_keys",)])
def test_without_any_project_the_next_step_is_named(db, arguments):
    with pytest.raises(CommandError, match="make one with create_project"):
        run(*arguments)


def test_not_all_of_very_many_projects_are_named(db):
    for number in range(25):
        make_project(f"p{number:02}")

    with pytest.raises(CommandError, match=r"p00, .*p19, \.\.\.") as refused:
        run("list_keys")

    assert "p20" not in str(refused.value)


def test_signin_link_leads_where_up_serves_by_default(db):
    make_project()

    assert run("signin_link")[-1].startswith("http://127.0.0.1:8000/signin/")


def test_a_name_in_use_is_a_sentence(db):
    make_project()

    with pytest.raises(CommandError, match="project checkout already"):
        run("create_project", "checkout")


def test_invite_names_nobody_and_prints_the_link_alone(db):
    make_project()

    (line,) = run("invite", "--role", "operator", "--base-url", "https://x.test")

    assert line.startswith("https://x.test/invitation/")
    membership = accounts.accept_as_newcomer(
        token=line.rpartition("/")[2],
        username="nina",
        password=PASSWORD,
        now=timezone.now(),
        request_id="r",
    )
    assert (membership.user.username, membership.role) == ("nina", "operator")
    with pytest.raises(CommandError, match="unrecognized arguments: nina"):
        run("invite", "nina")


def test_reset_second_factor_is_for_members_who_have_one(db):
    project = make_project()
    nina = make_member(project, "nina")
    make_user("mallory")
    set_up(nina)

    (line,) = run("reset_second_factor", "nina")

    assert line == "nina has no second factor now."
    assert not Authenticator.objects.exists()
    with pytest.raises(CommandError, match="no second factor set up"):
        run("reset_second_factor", "nina")
    with pytest.raises(CommandError, match="not an active member"):
        run("reset_second_factor", "mallory")


def test_password_link_is_for_members(db):
    project = make_project()
    make_member(project, "nina")
    make_user("mallory")

    (line,) = run("password_link", "nina")

    assert line.startswith("http://127.0.0.1:8000/password/")
    with pytest.raises(CommandError, match="not an active member"):
        run("password_link", "mallory")
