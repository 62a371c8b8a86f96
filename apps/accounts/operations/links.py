"""Links that let one person in, once: to sign in, or to choose a password.

Whoever holds a link is that person. An administrator of one project must not become
somebody in another one, so a person's links are made by those who administer all of
their projects, or by a command of whoever runs the installation; and a link dies when
its person joins another project meanwhile.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import secrets
from apps.accounts.access import actor_of
from apps.accounts.errors import LinkNotUsable, UserNotFound
from apps.accounts.models import Membership, Project, Purpose, Role, SigninLink, User
from apps.accounts.operations.users import give_password
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied
from apps.core.ids import new_id

LIFETIMES = {
    Purpose.SIGN_IN: timedelta(minutes=15),
    Purpose.PASSWORD_RESET: timedelta(hours=1),
    # A newcomer reads it tomorrow; it opens nothing but what it invites to.
    Purpose.INVITATION: timedelta(days=3),
}
CREATED = {
    Purpose.SIGN_IN: Action.SIGNIN_LINK_CREATED,
    Purpose.PASSWORD_RESET: Action.PASSWORD_LINK_CREATED,
    Purpose.INVITATION: Action.INVITATION_CREATED,
}
USED = {
    Purpose.SIGN_IN: Action.SIGNIN_LINK_USED,
    Purpose.PASSWORD_RESET: Action.PASSWORD_LINK_USED,
    Purpose.INVITATION: Action.INVITATION_USED,
}
FOR_PASSWORDS = (Purpose.INVITATION, Purpose.PASSWORD_RESET)


def make_signin_link(
    *, project: Project, user: User, actor: Actor, now: datetime, request_id: str
) -> tuple[SigninLink, str]:
    """Return a link for a member and its token, which nobody can ever read again.

    Raises: UserNotFound for somebody who is not an active member of the project,
    PermissionDenied for a person who does not administer all of their projects.
    """
    return make_link(
        project=project,
        user=user,
        purpose=Purpose.SIGN_IN,
        actor=actor,
        now=now,
        request_id=request_id,
    )


def make_password_link(
    *, project: Project, user: User, actor: Actor, now: datetime, request_id: str
) -> tuple[SigninLink, str]:
    """Return a link with which a member chooses a new password, and its token.

    Raises: as `make_signin_link`.
    """
    return make_link(
        project=project,
        user=user,
        purpose=Purpose.PASSWORD_RESET,
        actor=actor,
        now=now,
        request_id=request_id,
    )


@transaction.atomic
def make_link(
    *,
    project: Project,
    user: User,
    purpose: Purpose,
    actor: Actor,
    now: datetime,
    request_id: str,
) -> tuple[SigninLink, str]:
    """Make a link of any purpose; see the verbs that name one."""
    member = Membership.objects.in_project(project.id).filter(
        user_id=user.id, user__is_active=True
    )
    if not member.exists():
        raise UserNotFound(
            f"{user.username} is not an active member of {project.slug}."
        )
    _refuse_to_open_other_projects(user, actor)
    token = secrets.new_token()
    link = SigninLink.objects.create(
        id=new_id("link", now=now),
        user=user,
        project=project,
        purpose=purpose,
        token_hash=secrets.digest(token),
        created_at=now,
        expires_at=now + LIFETIMES[purpose],
    )
    _record(CREATED[purpose], link, actor=actor, now=now, request_id=request_id)
    return link, token


@transaction.atomic
def use_signin_link(*, token: str, now: datetime, request_id: str) -> User:
    """Consume a link and return its user, who is also the actor of the record.

    Raises: LinkNotUsable, in the same words whatever is wrong with the link.
    """
    return _consumed(token, (Purpose.SIGN_IN,), now, request_id).user


@transaction.atomic
def use_password_link(
    *, token: str, password: str, now: datetime, request_id: str
) -> User:
    """Consume an invitation or a reset, and give its user this password.

    A password that is refused leaves the link as it was.

    Raises: LinkNotUsable, InvalidRequest for a password that is easily guessed.
    """
    user = _consumed(token, FOR_PASSWORDS, now, request_id).user
    give_password(user, password)
    user.save(update_fields=["password"])
    return user


def usable_link(
    *, token: str, purposes: tuple[Purpose, ...], now: datetime
) -> SigninLink | None:
    """Return the link that this token would use, unused."""
    found = SigninLink.objects.usable(secrets.digest(token), now, purposes)
    link = found.select_related("user", "project").first()
    return link if link is not None and _still_counts(link) else None


def _consumed(
    token: str, purposes: tuple[Purpose, ...], now: datetime, request_id: str
) -> SigninLink:
    token_hash = secrets.digest(token)
    # Compare-and-swap: a second POST waits for the first and then finds it used.
    used = SigninLink.objects.usable(token_hash, now, purposes).update(used_at=now)
    if not used:
        raise LinkNotUsable
    link = SigninLink.objects.select_related("user").get(token_hash=token_hash)
    if not _still_counts(link):
        raise LinkNotUsable
    _record(
        USED[Purpose(link.purpose)],
        link,
        actor=actor_of(link.user),
        now=now,
        request_id=request_id,
    )
    return link


def _still_counts(link: SigninLink) -> bool:
    """Say whether its person is still who the link was made for."""
    joined_since = Membership.objects.of_user(link.user_id).filter(
        created_at__gt=link.created_at
    )
    return link.user.is_active and not joined_since.exists()


def _refuse_to_open_other_projects(user: User, actor: Actor) -> None:
    if actor.kind is ActorKind.SYSTEM:
        return
    administered = Membership.objects.of_user(actor.id).filter(role=Role.ADMIN)
    others = Membership.objects.of_user(user.id).exclude(
        project_id__in=administered.values("project_id")
    )
    if others.exists():
        raise PermissionDenied(
            f"{user.username} also belongs to a project that you do not administer:"
            " whoever runs this installation can make the link."
        )


def _record(
    action: Action, link: SigninLink, *, actor: Actor, now: datetime, request_id: str
) -> None:
    audit.record_act(
        stream_id=link.project_id,
        project_id=link.project_id,
        action=action,
        resource_type="signin_link",
        resource_id=link.id,
        actor=actor,
        now=now,
        request_id=request_id,
        details={"username": link.user.username},
    )
