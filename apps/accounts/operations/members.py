"""Who belongs to a project, and as what.

Changing and removing lock the project's row first: otherwise two administrators
could take the role from each other at the same time, and nobody would be left.
"""

from datetime import datetime

from django.db import IntegrityError, transaction

from apps.accounts import covered
from apps.accounts.errors import AlreadyMember, LastAdmin, UserNotFound
from apps.accounts.models import Invitation, Membership, Project, Role, User
from apps.accounts.operations.sessions import end_ways_in
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.provenance import Provenance


@transaction.atomic
def add_member(
    *, act: Provenance, project: Project, user: User, role: Role
) -> Membership:
    """Let a user into the project, who gives consent by an invitation or the operator.

    Whoever came in as them by a link of another project's administrator must not find
    this project open: all their sessions and links end. Also where they belong to no
    project at this moment: that administrator may have removed them first.

    Raises: AlreadyMember.
    """
    membership = Membership(project=project, user=user, role=role, created_at=act.now)
    try:
        with transaction.atomic():
            membership.save(force_insert=True)
    except IntegrityError as taken:
        raise AlreadyMember(f"{user.username} is already a member.") from taken
    end_ways_in(user, now=act.now)
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.MEMBER_ADDED,
        resource_type="member",
        resource_id=user.id,
        act=act,
        details={"username": user.username, "role": role.value}
        | covered.MEMBERSHIP.left(membership, project.index_key).details(),
    )
    return membership


@transaction.atomic
def change_role(
    *, act: Provenance, project: Project, user: User, role: Role
) -> Membership:
    """Give a member another role.

    Raises: UserNotFound for a stranger, LastAdmin for the only administrator,
    InvalidRequest when the member has the role already.
    """
    membership = locked_membership(project, user)
    before = membership.role
    if before == role:
        raise InvalidRequest(f"{user.username} is {role.label} already.", param="role")
    _refuse_to_lose_last_admin(membership)
    membership.role = role
    # Whoever is made an operator again is allowed it again, or is not.
    membership.reads_unmasked = False
    membership.save(update_fields=["role", "reads_unmasked"])
    if before == Role.ADMIN:
        _withdraw_invitations_of(membership, act.now)
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.MEMBER_CHANGED,
        resource_type="member",
        resource_id=user.id,
        act=act,
        details={"username": user.username, "from": before, "to": role.value}
        | covered.MEMBERSHIP.left(membership, project.index_key).details(),
    )
    return membership


@transaction.atomic
def remove_member(*, act: Provenance, project: Project, user: User) -> Membership:
    """Take a user out of the project; what they did there stays recorded.

    Raises: UserNotFound for a stranger, LastAdmin for the only administrator.
    """
    membership = locked_membership(project, user)
    _refuse_to_lose_last_admin(membership)
    Membership.objects.in_project(project.id).filter(user_id=user.id).delete()
    _withdraw_invitations_of(membership, act.now)
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.MEMBER_REMOVED,
        resource_type="member",
        resource_id=user.id,
        act=act,
        details={"username": user.username, "role": membership.role}
        | covered.MEMBERSHIP.removed(membership).details(),
    )
    return membership


def locked_membership(project: Project, user: User) -> Membership:
    """Return a membership, the project's row locked first.

    Raises: UserNotFound.
    """
    Project.objects.select_for_update(no_key=True).get(id=project.id)
    membership = (
        Membership.objects.in_project(project.id).filter(user_id=user.id).first()
    )
    if membership is None:
        raise UserNotFound(f"{user.username} is not a member of {project.slug}.")
    return membership


def _withdraw_invitations_of(membership: Membership, now: datetime) -> None:
    """Withdraw what an administrator who is none any more could come back with."""
    mine = Invitation.objects.in_project(membership.project_id).open(now)
    mine.filter(maker_id=membership.user_id).update(withdrawn_at=now)


def _refuse_to_lose_last_admin(membership: Membership) -> None:
    if membership.role != Role.ADMIN:
        return
    others = Membership.objects.in_project(membership.project_id).exclude(
        user_id=membership.user_id
    )
    if not others.filter(role=Role.ADMIN).exists():
        raise LastAdmin
