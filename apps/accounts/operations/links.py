"""Sign-in links: one person, once, for a quarter of an hour."""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import secrets
from apps.accounts.access import actor_of
from apps.accounts.errors import LinkNotUsable, UserNotFound
from apps.accounts.models import Membership, Project, Purpose, SigninLink, User
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.ids import new_id

LIFETIME = timedelta(minutes=15)


@transaction.atomic
def make_signin_link(
    *, project: Project, user: User, actor: Actor, now: datetime, request_id: str
) -> tuple[SigninLink, str]:
    """Return a link for a member and its token, which nobody can ever read again.

    Raises: UserNotFound for somebody who is not an active member of the project.
    """
    member = Membership.objects.in_project(project.id).filter(
        user_id=user.id, user__is_active=True
    )
    if not member.exists():
        raise UserNotFound(
            f"{user.username} is not an active member of {project.slug}."
        )
    token = secrets.new_token()
    link = SigninLink.objects.create(
        id=new_id("link", now=now),
        user=user,
        project=project,
        purpose=Purpose.SIGN_IN,
        token_hash=secrets.digest(token),
        created_at=now,
        expires_at=now + LIFETIME,
    )
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.SIGNIN_LINK_CREATED,
        resource_type="signin_link",
        resource_id=link.id,
        actor=actor,
        now=now,
        request_id=request_id,
        details={"username": user.username},
    )
    return link, token


@transaction.atomic
def use_signin_link(*, token: str, now: datetime, request_id: str) -> User:
    """Consume a link and return its user, who is also the actor of the record.

    Raises: LinkNotUsable, in the same words whatever is wrong with the link.
    """
    token_hash = secrets.digest(token)
    # Compare-and-swap: a second POST waits for the first and then finds it used.
    used = SigninLink.objects.usable(token_hash, now).update(used_at=now)
    if not used:
        raise LinkNotUsable
    link = SigninLink.objects.select_related("user").get(token_hash=token_hash)
    if not link.user.is_active:
        raise LinkNotUsable
    audit.record_act(
        stream_id=link.project_id,
        project_id=link.project_id,
        action=Action.SIGNIN_LINK_USED,
        resource_type="signin_link",
        resource_id=link.id,
        actor=actor_of(link.user),
        now=now,
        request_id=request_id,
        details={"username": link.user.username},
    )
    return link.user
