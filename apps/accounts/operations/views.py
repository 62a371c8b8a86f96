"""Saved views: searches of sessions that people keep, share, and open with."""

from django.db import transaction

from apps.accounts.access import Permission, require
from apps.accounts.errors import ViewNotFound
from apps.accounts.models import Membership, SavedView
from apps.accounts.names import valid_name
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.errors import InvalidRequest, PermissionDenied
from apps.core.ids import new_id
from apps.core.provenance import Provenance

LONGEST_QUERY = 2_000
MOST_VIEWS = 100


@transaction.atomic
def save_view(
    *,
    act: Provenance,
    membership: Membership,
    name: str,
    query: str,
    sort: str,
    is_shared: bool,
) -> SavedView:
    """Keep a search under a name; one's own view of that name is replaced.

    Raises: InvalidRequest for an unfit name or query, or where there are too many;
    PermissionDenied for a viewer who would share.
    """
    if is_shared:
        require(membership, Permission.WRITE, membership.project)
    name = valid_name(name)
    if len(query) > LONGEST_QUERY or "\0" in query:
        raise InvalidRequest("This search cannot be kept: it is too long.", param="q")
    _refuse_too_many(membership, name)
    view, _ = SavedView.objects.update_or_create(
        project=membership.project,
        owner_id=membership.user_id,
        name=name,
        defaults={
            "query": query,
            "sort": sort,
            "is_shared": is_shared,
            "updated_at": act.now,
        },
        create_defaults={
            "id": new_id("view", now=act.now),
            "query": query,
            "sort": sort,
            "is_shared": is_shared,
            "created_at": act.now,
            "updated_at": act.now,
        },
    )
    if not is_shared:
        _open_with_it_no_more(view, keep=membership.user_id)
    _record(Action.VIEW_SAVED, view, act=act)
    return view


@transaction.atomic
def delete_view(*, act: Provenance, membership: Membership, view_id: str) -> SavedView:
    """Take a view away: its owner may, and an administrator if it is shared.

    Raises: ViewNotFound, PermissionDenied.
    """
    view = _visible(membership, view_id, for_update=True)
    if view.owner_id != membership.user_id:
        try:
            require(membership, Permission.ADMIN, membership.project)
        except PermissionDenied as denied:
            raise PermissionDenied(
                "A shared view is deleted by who saved it, or an administrator."
            ) from denied
    _open_with_it_no_more(view)
    SavedView.objects.filter(id=view.id).delete()
    _record(Action.VIEW_DELETED, view, act=act)
    return view


@transaction.atomic
def open_with_view(
    *, membership: Membership, view_id: str | None, actor: Actor
) -> Membership:
    """Choose what the member's list of sessions opens with; None for everything.

    A taste, not an act: nothing is recorded of it.

    Raises: ViewNotFound; PermissionDenied for anybody but the member.
    """
    if actor.id != membership.user_id:
        raise PermissionDenied
    view = None if view_id is None else _visible(membership, view_id, for_update=True)
    membership.default_view = view
    Membership.objects.in_project(membership.project_id).filter(
        user_id=membership.user_id
    ).update(default_view=view)
    return membership


def _visible(
    membership: Membership, view_id: str, *, for_update: bool = False
) -> SavedView:
    found = SavedView.objects.in_project(membership.project_id).visible_to(
        membership.user_id
    )
    if for_update:
        # Whoever deletes it or stops sharing it meanwhile waits, or was first.
        found = found.select_for_update()
    view = found.filter(id=view_id).first()
    if view is None:
        raise ViewNotFound
    return view


def _refuse_too_many(membership: Membership, name: str) -> None:
    own = SavedView.objects.in_project(membership.project_id).filter(
        owner_id=membership.user_id
    )
    if own.exclude(name=name).count() >= MOST_VIEWS:
        raise InvalidRequest(f"There are {MOST_VIEWS} of your views already.")


def _open_with_it_no_more(view: SavedView, *, keep: str | None = None) -> None:
    members = Membership.objects.in_project(view.project_id).filter(default_view=view)
    members.exclude(user_id=keep).update(default_view=None)


def _record(action: Action, view: SavedView, *, act: Provenance) -> None:
    audit.record_act(
        stream_id=view.project_id,
        project_id=view.project_id,
        action=action,
        resource_type="view",
        resource_id=view.id,
        act=act,
        details={"name": view.name, "is_shared": view.is_shared},
    )
