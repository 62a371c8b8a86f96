"""Saved views: one's own, the project's, and what the list opens with."""

import pytest

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.errors import ViewNotFound
from apps.accounts.models import Membership, Role, SavedView
from apps.audit.models import AuditRecord
from apps.core.errors import InvalidRequest, PermissionDenied
from tests.accounts.make import NOW, make_member, make_project
from tests.acts import act_by


class Person:
    def __init__(self, project, username, role):
        self.user = make_member(project, username, role)
        self.project = project

    @property
    def membership(self):
        return Membership.objects.of_user(self.user.id).get(project=self.project)

    def act(self, verb, **more):
        return getattr(accounts, verb)(
            membership=self.membership,
            act=act_by(actor_of(self.user), NOW),
            **more,
        )

    def save(self, name="Mine", query="status:active", *, is_shared=False):
        return self.act(
            "save_view", name=name, query=query, sort="", is_shared=is_shared
        )

    def opens_with(self, view):
        accounts.open_with_view(
            membership=self.membership,
            view_id=view and view.id,
            actor=actor_of(self.user),
        )

    def sees(self):
        found = SavedView.objects.in_project(self.project.id).visible_to(self.user.id)
        return [view.name for view in found.for_sessions_page()]


@pytest.fixture
def place(db):
    return make_project()


@pytest.fixture
def olga(place):
    return Person(place, "olga", Role.OPERATOR)


@pytest.fixture
def vera(place):
    return Person(place, "vera", Role.VIEWER)


def test_a_view_is_ones_own_until_it_is_shared(olga, vera):
    olga.save("Mine")
    olga.save("Ours", is_shared=True)

    assert olga.sees() == ["Mine", "Ours"]
    assert vera.sees() == ["Ours"]
    assert AuditRecord.objects.filter(action="view.saved").count() == 2


def test_saving_again_under_the_same_name_replaces_it(olga):
    first = olga.save(query="status:active")
    second = olga.save(query="status:paused")

    assert (second.id, SavedView.objects.get().query) == (first.id, "status:paused")


def test_two_people_may_use_one_name(olga, vera):
    olga.save(is_shared=True)
    vera.save()

    assert vera.sees() == ["Mine", "Mine"]


def test_a_viewer_keeps_views_and_shares_none(vera):
    vera.save()

    with pytest.raises(PermissionDenied):
        vera.save("Ours", is_shared=True)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 121])
def test_an_unfit_name_is_refused(olga, name):
    with pytest.raises(InvalidRequest):
        olga.save(name)


def test_a_search_that_is_too_long_is_refused(olga):
    with pytest.raises(InvalidRequest, match="too long"):
        olga.save(query="x" * 2_001)


def test_only_so_many_are_kept(olga, monkeypatch):
    monkeypatch.setattr("apps.accounts.operations.views.MOST_VIEWS", 2)
    olga.save("a")
    olga.save("b")

    with pytest.raises(InvalidRequest):
        olga.save("c")
    assert olga.save("b")


def test_its_owner_deletes_it(olga):
    view = olga.save()
    olga.opens_with(view)

    olga.act("delete_view", view_id=view.id)

    assert olga.sees() == []
    assert olga.membership.default_view is None
    assert AuditRecord.objects.get(action="view.deleted").details["name"] == "Mine"


def test_nobody_finds_anothers_own_view(olga, vera):
    view = olga.save()

    with pytest.raises(ViewNotFound):
        vera.act("delete_view", view_id=view.id)
    with pytest.raises(ViewNotFound):
        vera.opens_with(view)


def test_a_shared_one_is_deleted_by_an_administrator_and_no_other(place, olga, vera):
    view = olga.save(is_shared=True)
    with pytest.raises(PermissionDenied, match="who saved it"):
        vera.act("delete_view", view_id=view.id)

    Person(place, "alice", Role.ADMIN).act("delete_view", view_id=view.id)

    assert olga.sees() == []


def test_the_list_opens_with_a_view_until_it_is_shared_no_more(olga, vera):
    view = olga.save(is_shared=True)
    vera.opens_with(view)
    olga.opens_with(view)
    assert vera.membership.default_view == view

    olga.save(is_shared=False)

    assert vera.membership.default_view is None
    assert olga.membership.default_view == view
    olga.opens_with(None)
    assert olga.membership.default_view is None


def test_nobody_chooses_for_somebody_else(olga, vera):
    with pytest.raises(PermissionDenied):
        accounts.open_with_view(
            membership=vera.membership, view_id=None, actor=actor_of(olga.user)
        )
