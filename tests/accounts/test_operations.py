"""Projects, people, members and keys: what each verb makes, refuses and records."""

from datetime import timedelta

import pytest

from apps.accounts import operations as accounts
from apps.accounts.errors import (
    AlreadyMember,
    KeyAlreadyRevoked,
    KeyNotFound,
    LastAdmin,
    NameTaken,
    UserNotFound,
)
from apps.accounts.models import ApiKey, Membership, Project, Role, Scope, User
from apps.audit import operations as audit
from apps.audit.models import AuditRecord, Event
from apps.core.errors import InvalidRequest
from tests.accounts.make import (
    NOW,
    PASSWORD,
    make_key,
    make_member,
    make_project,
    make_user,
)
from tests.acts import act_by

COMMON = {"act": act_by(now=NOW)}


def recorded(project_id):
    records = AuditRecord.objects.for_project(project_id).oldest_first()
    return [record.action for record in records]


def test_a_project_has_an_index_key_of_its_own(db):
    one, two = make_project("one"), make_project("two")

    assert len(bytes(one.index_key)) == 32
    assert bytes(one.index_key) != bytes(two.index_key)
    assert recorded(one.id) == ["project.created"]


def test_a_slug_in_use_is_refused_and_leaves_no_record(db):
    make_project()

    with pytest.raises(NameTaken):
        make_project()

    assert Project.objects.count() == AuditRecord.objects.count() == 1


@pytest.mark.parametrize("slug", ["", "A", "a_b", "a" * 51, "ü", "a\0"])
def test_an_unfit_slug_is_refused_before_the_database_is_asked(db, slug):
    with pytest.raises(InvalidRequest):
        make_project(slug)


def test_a_user_is_recorded_in_the_installations_chain(db):
    user = make_user("Alice", password=PASSWORD)

    assert user.username == "alice"
    assert user.check_password(PASSWORD)
    assert recorded(audit.INSTALLATION) == ["user.created"]


def test_a_user_without_a_password_has_none_to_guess(db):
    assert not make_user().has_usable_password()


@pytest.mark.parametrize(
    "values",
    [
        {"username": "a b"},
        {"username": "\u0430lice"},
        {"username": "bob", "password": "short"},
        {"username": "bob", "email": "nowhere"},
        {"username": "bob", "display_name": "a\nb"},
    ],
)
def test_an_unfit_user_is_refused(db, values):
    with pytest.raises(InvalidRequest):
        accounts.create_user(**values, **COMMON)

    assert not User.objects.exists()


def test_a_user_name_in_use_is_refused_however_it_is_capitalised(db):
    make_user("alice")

    with pytest.raises(NameTaken):
        make_user("ALICE")


def test_a_member_is_added_once(db):
    project = make_project()
    alice = make_member(project)

    with pytest.raises(AlreadyMember):
        accounts.add_member(project=project, user=alice, role=Role.VIEWER, **COMMON)

    assert recorded(project.id) == ["project.created", "member.added"]


def test_a_role_is_changed_and_the_record_says_from_what_to_what(db):
    project = make_project()
    carol = make_member(project, "carol", Role.VIEWER)

    accounts.change_role(project=project, user=carol, role=Role.OPERATOR, **COMMON)

    assert Membership.objects.get(user=carol).role == Role.OPERATOR
    last = AuditRecord.objects.for_project(project.id).newest_first()[0]
    assert (last.details["from"], last.details["to"]) == ("viewer", "operator")


def test_the_same_role_again_is_refused(db):
    project = make_project()
    carol = make_member(project, "carol", Role.VIEWER)

    with pytest.raises(InvalidRequest):
        accounts.change_role(project=project, user=carol, role=Role.VIEWER, **COMMON)


def test_the_last_administrator_stays_one(db):
    project = make_project()
    alice = make_member(project)

    with pytest.raises(LastAdmin):
        accounts.change_role(project=project, user=alice, role=Role.VIEWER, **COMMON)
    with pytest.raises(LastAdmin):
        accounts.remove_member(project=project, user=alice, **COMMON)


def test_one_of_two_administrators_may_go(db):
    project = make_project()
    alice, bob = make_member(project), make_member(project, "bob")

    accounts.remove_member(project=project, user=alice, **COMMON)

    assert [m.user for m in Membership.objects.in_project(project.id)] == [bob]
    assert recorded(project.id)[-1] == "member.removed"


def test_a_stranger_has_no_role_to_change(db):
    project, mallory = make_project(), make_user("mallory")

    with pytest.raises(UserNotFound):
        accounts.change_role(project=project, user=mallory, role=Role.ADMIN, **COMMON)


def test_a_key_is_shown_once_and_recorded_by_its_prefix(db):
    key, secret = make_key(make_project(), agents=["b", "a", "b"])

    record = AuditRecord.objects.get(action="key.created")

    assert secret.startswith("sb_")
    assert len(secret) == len("sb_") + 64
    assert record.details["prefix"] == key.prefix == secret[:11]
    assert secret[11:] not in str(record.details)
    assert key.agents == ["a", "b"]


@pytest.mark.parametrize(
    "limits",
    [
        {"agents": []},
        {"agents": [""]},
        {"agents": ["a\0"]},
        {"rate_limit": 0},
        {"rate_limit": 2**63},
        {"expires_at": NOW},
        {"expires_at": NOW - timedelta(days=1)},
    ],
)
def test_an_unfit_key_is_refused(db, limits):
    project = make_project()

    with pytest.raises(InvalidRequest):
        make_key(project, **limits)

    assert not ApiKey.objects.exists()


def test_a_key_is_revoked_once(db):
    project = make_project()
    key, _ = make_key(project)

    revoked = accounts.revoke_key(project=project, key_id=key.id, **COMMON)

    assert revoked.revoked_at == NOW
    assert not revoked.is_live(NOW)
    with pytest.raises(KeyAlreadyRevoked):
        accounts.revoke_key(project=project, key_id=key.id, **COMMON)
    assert recorded(project.id).count("key.revoked") == 1


def test_another_projects_key_cannot_be_revoked(db):
    key, _ = make_key(make_project())

    with pytest.raises(KeyNotFound):
        accounts.revoke_key(project=make_project("other"), key_id=key.id, **COMMON)

    assert ApiKey.objects.get().revoked_at is None


def test_live_keys_are_neither_revoked_nor_expired(db):
    project = make_project()
    live, _ = make_key(project, Scope.READ)
    make_key(project, expires_at=NOW + timedelta(minutes=1))
    gone, _ = make_key(project)
    accounts.revoke_key(project=project, key_id=gone.id, **COMMON)

    later = NOW + timedelta(minutes=1)

    assert list(ApiKey.objects.in_project(project.id).live(later)) == [live]


def test_every_record_has_its_event_and_the_chain_verifies(db):
    project = make_project()
    make_member(project)
    make_key(project)

    events = set(Event.objects.for_project(project.id).values_list("id", flat=True))
    records = AuditRecord.objects.for_project(project.id)

    assert events == {record.event_id for record in records}
    assert audit.verify_records(stream_id=project.id).is_intact
