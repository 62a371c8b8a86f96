"""Invitations: into one project, with one role, for the holder of the token.

An invitation names nobody, so an administrator learns nothing of who has an account
here, and nobody becomes a member of anything without wanting to: who opens it signs in,
or chooses a name that is free.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import secrets
from apps.accounts.access import as_user
from apps.accounts.errors import InvitationNotFound, LinkNotUsable
from apps.accounts.models import Invitation, Membership, Project, Role, User
from apps.accounts.operations.members import add_member
from apps.accounts.operations.users import save_user, unsaved_user
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance

# A newcomer reads it tomorrow; it opens nothing but what it invites to.
LIFETIME = timedelta(days=3)
MOST_OPEN = 100


@transaction.atomic
def invite(*, act: Provenance, project: Project, role: Role) -> tuple[Invitation, str]:
    """Return an invitation and its token, which nobody can ever read again.

    Raises: InvalidRequest where there are too many open ones.
    """
    if Invitation.objects.in_project(project.id).open(act.now).count() >= MOST_OPEN:
        raise InvalidRequest(f"There are {MOST_OPEN} open invitations already.")
    token = secrets.new_token()
    invitation = Invitation.objects.create(
        id=new_id("inv", now=act.now),
        project=project,
        role=role,
        token_hash=secrets.digest(token),
        maker_id=act.actor.id,
        maker_label=act.actor.label,
        created_at=act.now,
        expires_at=act.now + LIFETIME,
    )
    _record(Action.INVITATION_CREATED, invitation, {}, act)
    return invitation, token


@transaction.atomic
def withdraw_invitation(
    *, act: Provenance, project: Project, invitation_id: str
) -> Invitation:
    """Make an open invitation useless.

    Raises: InvitationNotFound, also for one that was accepted meanwhile.
    """
    found = Invitation.objects.in_project(project.id).filter(id=invitation_id)
    # Compare-and-swap, so that it is either accepted or withdrawn.
    if not found.open(act.now).update(withdrawn_at=act.now):
        raise InvitationNotFound
    invitation = found.get()
    _record(Action.INVITATION_WITHDRAWN, invitation, {}, act)
    return invitation


@transaction.atomic
def accept_invitation(
    *, token: str, user: User, now: datetime, request_id: str
) -> Membership:
    """Consume an invitation and make its holder, who signed in, a member.

    Where nothing comes of it, it stays open.

    Raises: LinkNotUsable; AlreadyMember.
    """
    invitation = _consumed(token, now)
    act = as_user(user, now=now, request_id=request_id)
    return _join(invitation, user, act)


def accept_as_newcomer(
    *, token: str, username: str, password: str, now: datetime, request_id: str
) -> Membership:
    """Consume an invitation for somebody who has no account, and make one.

    Where nothing comes of it, as for a name in use, it stays open.

    Raises: LinkNotUsable; NameTaken; InvalidRequest for an unfit name or a password
    that is easily guessed; Busy.
    """
    if usable_invitation(token=token, now=now) is None:
        raise LinkNotUsable
    user = unsaved_user(username=username, password=password, now=now)
    act = as_user(user, now=now, request_id=request_id)
    with transaction.atomic():
        invitation = _consumed(token, now)
        save_user(user, act=act)
        return _join(invitation, user, act)


def usable_invitation(*, token: str, now: datetime) -> Invitation | None:
    """Return the invitation that this token would accept, as it is."""
    found = Invitation.objects.open(now).filter(token_hash=secrets.digest(token))
    return found.select_related("project").first()


def _consumed(token: str, now: datetime) -> Invitation:
    found = Invitation.objects.filter(token_hash=secrets.digest(token))
    # Compare-and-swap: of two who open it at once the second waits, then finds it used.
    if not found.open(now).update(used_at=now):
        raise LinkNotUsable
    return found.select_related("project").get()


def _join(invitation: Invitation, user: User, act: Provenance) -> Membership:
    membership = add_member(
        project=invitation.project, user=user, role=Role(invitation.role), act=act
    )
    _record(Action.INVITATION_USED, invitation, {"username": user.username}, act)
    return membership


def _record(
    action: Action, invitation: Invitation, details: dict[str, str], act: Provenance
) -> None:
    audit.record_act(
        stream_id=invitation.project_id,
        project_id=invitation.project_id,
        action=action,
        resource_type="invitation",
        resource_id=invitation.id,
        details={"role": invitation.role, **details},
        act=act,
    )
