"""What the database itself refuses, whoever writes to it."""

import pytest
from django.db import IntegrityError, transaction

from apps.accounts.models import ApiKey, Membership, Project, SigninLink, User
from apps.core.roles.names import Role
from tests.accounts.make import NOW, make_key, make_link, make_member, make_project
from tests.acting import acting_as


@pytest.mark.parametrize("slug", ["Checkout", "a b", "-a", "a--b", ""])
def test_a_slug_that_is_not_safe_in_a_url_is_refused(db, slug):
    project = make_project()

    # Requests never change one: only the owner gets as far as the check.
    with acting_as(Role.OWNER), pytest.raises(IntegrityError), transaction.atomic():
        Project.objects.filter(id=project.id).update(slug=slug)


def test_a_user_name_in_capitals_is_refused(db):
    make_member(make_project())

    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.update(username="Alice")


def test_a_role_nobody_knows_is_refused(db):
    make_member(make_project())

    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.update(role="emperor")


@pytest.mark.parametrize(
    "change", [{"scope": "root"}, {"rate_limit": 0}, {"expires_at": NOW}]
)
def test_an_impossible_key_is_refused(db, change):
    make_key(make_project())

    with pytest.raises(IntegrityError), transaction.atomic():
        ApiKey.objects.update(**change)


def test_a_link_that_expires_before_it_is_made_is_refused(db):
    project = make_project()
    make_link(project, make_member(project))

    with pytest.raises(IntegrityError), transaction.atomic():
        SigninLink.objects.update(expires_at=NOW)


def test_a_user_signs_in_under_their_name_however_it_is_capitalised(db):
    alice = make_member(make_project())

    assert User.objects.get_by_natural_key(" ALICE ") == alice
