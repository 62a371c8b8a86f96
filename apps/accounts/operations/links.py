"""Links that let one person in, once: to sign in, or to choose a password.

Whoever holds a link is that person. An administrator of one project must not become
somebody in another one, so a link that opens all of a person's projects is made by
those who administer all of them, or by a command on the server; and it dies when its
person joins another project meanwhile. An administrator of some of them makes sign-in
links that open their own project alone, so nobody loses the right to let their own
people in because these joined somebody else's project too.
"""

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import secrets
from apps.accounts.access import as_user
from apps.accounts.errors import LinkNotUsable, UserNotFound
from apps.accounts.models import Membership, Project, Purpose, Role, SigninLink, User
from apps.accounts.operations.sessions import end_ways_in
from apps.accounts.operations.users import give_password
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied
from apps.core.ids import new_id
from apps.core.provenance import Provenance

LIFETIMES = {
    Purpose.SIGN_IN: timedelta(minutes=15),
    Purpose.PASSWORD_RESET: timedelta(hours=1),
}
CREATED = {
    Purpose.SIGN_IN: Action.SIGNIN_LINK_CREATED,
    Purpose.PASSWORD_RESET: Action.PASSWORD_LINK_CREATED,
}
USED = {
    Purpose.SIGN_IN: Action.SIGNIN_LINK_USED,
    Purpose.PASSWORD_RESET: Action.PASSWORD_LINK_USED,
}


def make_signin_link(
    *, act: Provenance, project: Project, user: User
) -> tuple[SigninLink, str]:
    """Return a link for a member and its token, which nobody can ever read again.

    It opens this project alone where the actor does not administer all of theirs.

    Raises: UserNotFound for somebody who is not an active member of the project.
    """
    return _make_link(
        project=project,
        user=user,
        purpose=Purpose.SIGN_IN,
        is_limited=not administers_all_of(act.actor, user),
        act=act,
    )


def make_password_link(
    *, act: Provenance, project: Project, user: User
) -> tuple[SigninLink, str]:
    """Return a link with which a member chooses a new password, and its token.

    Raises: as `make_signin_link`; PermissionDenied for a person who does not
    administer all of their projects.
    """
    refuse_to_open_other_projects(user, act.actor)
    return _make_link(
        project=project,
        user=user,
        purpose=Purpose.PASSWORD_RESET,
        is_limited=False,
        act=act,
    )


@transaction.atomic
def use_signin_link(*, token: str, now: datetime, request_id: str) -> SigninLink:
    """Consume a link and return it; its user is also the actor of the record.

    Raises: LinkNotUsable, in the same words whatever is wrong with the link.
    """
    link = _consumed(token, Purpose.SIGN_IN, now)
    _record_use(link, now=now, request_id=request_id)
    return link


def use_password_link(
    *, token: str, password: str, now: datetime, request_id: str
) -> User:
    """Consume a link, give its user this password, and end all their other ways in.

    A password that is refused leaves the link as it was.

    Raises: LinkNotUsable, InvalidRequest for a password that is easily guessed, Busy.
    """
    found = usable_link(token=token, purpose=Purpose.PASSWORD_RESET, now=now)
    if found is None:
        raise LinkNotUsable
    # Outside the transaction: nobody waits for a lock while a hash is computed.
    give_password(found.user, password)
    with transaction.atomic():
        link = _consumed(token, Purpose.PASSWORD_RESET, now)
        link.user.password = found.user.password
        link.user.save(update_fields=["password"])
        end_ways_in(link.user, now=now)
        _record_use(link, now=now, request_id=request_id)
    return link.user


def usable_link(*, token: str, purpose: Purpose, now: datetime) -> SigninLink | None:
    """Return the link that this token would use, unused."""
    found = SigninLink.objects.usable(secrets.digest(token), now, [purpose])
    link = found.select_related("user", "project").first()
    return link if link is not None and _still_counts(link) else None


def administers_all_of(actor: Actor, user: User) -> bool:
    """Say whether the actor administers every project of the user; commands do."""
    if actor.kind is ActorKind.SYSTEM:
        return True
    administered = Membership.objects.of_user(actor.id).filter(role=Role.ADMIN)
    others = Membership.objects.of_user(user.id).exclude(
        project_id__in=administered.values("project_id")
    )
    return not others.exists()


def refuse_to_open_other_projects(user: User, actor: Actor) -> None:
    """Refuse what would let the actor be this person elsewhere.

    Raises: PermissionDenied.
    """
    if not administers_all_of(actor, user):
        raise PermissionDenied(
            f"{user.username} also belongs to a project that you do not administer:"
            " whoever runs this installation can do it."
        )


def require_member(project: Project, user: User) -> None:
    """Raises: UserNotFound for somebody who is not an active member."""
    member = Membership.objects.in_project(project.id).filter(
        user_id=user.id, user__is_active=True
    )
    if not member.exists():
        raise UserNotFound(
            f"{user.username} is not an active member of {project.slug}."
        )


@transaction.atomic
def _make_link(
    *, act: Provenance, project: Project, user: User, purpose: Purpose, is_limited: bool
) -> tuple[SigninLink, str]:
    require_member(project, user)
    token = secrets.new_token()
    link = SigninLink.objects.create(
        id=new_id("link", now=act.now),
        user=user,
        project=project,
        purpose=purpose,
        token_hash=secrets.digest(token),
        generation=user.generation,
        is_limited=is_limited,
        created_at=act.now,
        expires_at=act.now + LIFETIMES[purpose],
    )
    _record(CREATED[purpose], link, act=act)
    return link, token


def _consumed(token: str, purpose: Purpose, now: datetime) -> SigninLink:
    token_hash = secrets.digest(token)
    # Compare-and-swap: a second POST waits for the first and then finds it used.
    used = SigninLink.objects.usable(token_hash, now, [purpose]).update(used_at=now)
    if not used:
        raise LinkNotUsable
    links = SigninLink.objects.select_related("user", "project")
    link = links.get(token_hash=token_hash)
    if not _still_counts(link):
        raise LinkNotUsable
    return link


def _still_counts(link: SigninLink) -> bool:
    """Say whether its person is still who the link was made for."""
    if not link.user.is_active or link.generation != link.user.generation:
        return False
    memberships = Membership.objects.of_user(link.user_id)
    if link.is_limited:
        return memberships.filter(project_id=link.project_id).exists()
    return not memberships.filter(created_at__gt=link.created_at).exists()


def _record_use(link: SigninLink, *, now: datetime, request_id: str) -> None:
    action = USED[Purpose(link.purpose)]
    act = as_user(link.user, now=now, request_id=request_id)
    _record(action, link, act=act)


def _record(action: Action, link: SigninLink, *, act: Provenance) -> None:
    audit.record_act(
        stream_id=link.project_id,
        project_id=link.project_id,
        action=action,
        resource_type="signin_link",
        resource_id=link.id,
        act=act,
        details={"username": link.user.username}
        | ({"opens": link.project.slug} if link.is_limited else {}),
    )
