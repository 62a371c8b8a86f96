"""Two people at the same time: the rules hold for both together."""

import threading

import pytest
from django.db import connection

from apps.accounts import operations as accounts
from apps.accounts.errors import AlreadyMember, KeyAlreadyRevoked, LastAdmin, NameTaken
from apps.accounts.models import Membership, Role
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.core.errors import DomainError
from tests.accounts.make import NOW, make_key, make_member, make_project, make_user
from tests.acts import act_by

COMMON = {"act": act_by(now=NOW)}


def at_once(*acts):
    """Run the acts in threads that start together; return what each came to."""
    outcomes, barrier = [], threading.Barrier(len(acts))

    def work(act):
        try:
            barrier.wait(5)
            outcomes.append(act())
        except DomainError as refused:
            outcomes.append(refused)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def refusals(outcomes):
    return [type(one) for one in outcomes if isinstance(one, DomainError)]


@pytest.mark.django_db(transaction=True)
def test_two_administrators_cannot_take_the_role_from_each_other():
    project = make_project()
    users = [make_member(project, name) for name in ("alice", "bob")]

    outcomes = at_once(
        *(
            lambda user=user: accounts.change_role(
                project=project, user=user, role=Role.VIEWER, **COMMON
            )
            for user in users
        )
    )

    assert refusals(outcomes) == [LastAdmin]
    assert Membership.objects.filter(role=Role.ADMIN).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_key_is_revoked_by_exactly_one_of_four():
    project = make_project()
    key, _ = make_key(project)

    outcomes = at_once(
        *[lambda: accounts.revoke_key(project=project, key_id=key.id, **COMMON)] * 4
    )

    assert refusals(outcomes) == [KeyAlreadyRevoked] * 3
    assert AuditRecord.objects.filter(action="key.revoked").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_member_is_added_by_exactly_one_of_four():
    project, bob = make_project(), make_user("bob")

    outcomes = at_once(
        *[
            lambda: accounts.add_member(
                project=project, user=bob, role=Role.VIEWER, **COMMON
            )
        ]
        * 4
    )

    assert refusals(outcomes) == [AlreadyMember] * 3
    assert audit.verify_records(stream_id=project.id).is_intact


@pytest.mark.django_db(transaction=True)
def test_a_slug_goes_to_exactly_one_of_four():
    outcomes = at_once(*[make_project] * 4)

    assert refusals(outcomes) == [NameTaken] * 3
