"""Who may do what: the only permission predicates, for keys and for people alike.

Pages and API ask the same question. A stranger is told that there is no such thing;
a colleague without the right is told that a right is missing.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.accounts.errors import ProjectNotFound, SecondFactorNeeded
from apps.accounts.models import (
    Authenticator,
    Membership,
    Project,
    Role,
    Scope,
    User,
)
from apps.accounts.querysets import MembershipQuerySet
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied
from apps.core.handling import Handling
from apps.core.provenance import Provenance, Request


class Permission(StrEnum):
    """What an act needs; each includes the one before it."""

    READ_MASKED = "read_masked"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


SHOWN_PROJECTS = 20
# To ask for what one may not do oneself.
SHOWN_MEMBERS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A program that came in by key: what the API needs to know about it."""

    actor: Actor
    project: Project
    scope: Scope
    # External agent ids that the key may speak for; None means all.
    agents: frozenset[str] | None
    key_id: str
    rate_limit: int | None

    @property
    def handling(self) -> Handling:
        """What becomes of unknown input where a request does not say."""
        return Handling(self.project.handling)

    @property
    def lane(self) -> str:
        """In whose turns its costly requests are done: those of its project."""
        return str(self.project.id)


_READING = frozenset({Permission.READ_MASKED, Permission.READ})
GRANTS: dict[str, frozenset[Permission]] = {
    Role.VIEWER: _READING,
    Role.OPERATOR: _READING | {Permission.WRITE},
    Role.ADMIN: frozenset(Permission),
    Scope.MASKED: frozenset({Permission.READ_MASKED}),
    Scope.READ: _READING,
    Scope.WRITE: _READING | {Permission.WRITE},
    Scope.ADMIN: frozenset(Permission),
}


def may(
    caller: Caller | Membership | None, permission: Permission, project: Project
) -> bool:
    """Say whether a key or a member may do this in the project."""
    if caller is None:
        return False
    if isinstance(caller, Caller):
        belongs, level = caller.project.id == project.id, str(caller.scope)
    else:
        belongs, level = caller.project_id == project.id, caller.role
    return belongs and permission in GRANTS.get(level, frozenset())


def sees_clear(member: Membership) -> bool:
    """Say whether a member is shown what the project's masks cover."""
    return member.role == Role.ADMIN or (
        member.role == Role.OPERATOR and member.reads_unmasked
    )


def require(
    caller: Caller | Membership, permission: Permission, project: Project
) -> None:
    """Raises: PermissionDenied where `may` says no, naming what is missing."""
    if not may(caller, permission, project):
        raise PermissionDenied(
            f"This needs {permission.value} permission in the project.",
            required=permission.value,
        )


def require_still(person: Actor, permission: Permission, project: Project) -> None:
    """Raises: PermissionDenied where a person has lost the right since they acted."""
    members = Membership.objects.in_project(project.id)
    member = members.filter(user_id=person.id, user__is_active=True).first()
    if not may(member, permission, project):
        raise PermissionDenied(
            f"{person.label} has no right to {permission.value} in this project any"
            " more."
        )


def key_allows_agent(caller: Caller, external_id: str) -> bool:
    """Say whether the key may speak for the agent of this external id."""
    return caller.agents is None or external_id in caller.agents


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """How somebody came in: what their session says beyond who they are.

    `only_project`: the one that is open to it, after a link of its administrator.
    `device`: the authenticator of which a code was entered, as django-otp names it.
    """

    only_project: str | None = None
    device: str | None = None


FREELY = Entry()


def enter_project(
    *, user: User, slug: str, permission: Permission, entry: Entry = FREELY
) -> Membership:
    """Return the user's membership (with its project) for an act in the project.

    Raises: ProjectNotFound for a stranger, exactly as for a project that does not
    exist; SecondFactorNeeded; PermissionDenied for a colleague without the right.
    """
    found = _open_to(user, entry).filter(user__is_active=True)
    first = list(found.for_header(slug)[: SHOWN_PROJECTS + 1])
    if not first or first[0].project.slug != slug:
        raise ProjectNotFound
    membership, *others = first
    if membership.project.needs_second_factor and not has_entered_code(user, entry):
        raise SecondFactorNeeded
    require(membership, permission, membership.project)
    # For the header, from the same statement: changing the project is one step.
    membership.others = [other.project for other in others]
    return membership


def who_may(
    *, user: User, slug: str, permission: Permission, entry: Entry = FREELY
) -> list[str]:
    """Return the names of members who may, and one more than are shown.

    Nobody for a stranger to the project, who does not learn that it exists.
    """
    mine = _open_to(user, entry).filter(project__slug=slug).first()
    if mine is None:
        return []
    roles = [role for role in Role.values if permission in GRANTS[role]]
    found = Membership.objects.in_project(mine.project_id).with_role(roles)
    shown = found.for_members_page()[: SHOWN_MEMBERS + 1]
    return [member.user.username for member in shown]


def projects_of(user: User, entry: Entry = FREELY) -> list[Membership]:
    """Return the user's memberships with their projects, by the project's name."""
    return list(_open_to(user, entry).order_by("project__name", "project_id"))


def has_entered_code(user: User, entry: Entry) -> bool:
    """Say whether a code was entered of a device that the user still has."""
    label, _, number = (entry.device or "").partition("/")
    if label != Authenticator.model_label() or not number.isdecimal():
        return False
    mine = Authenticator.objects.filter(user_id=user.id, confirmed=True)
    return bool(mine.filter(id=int(number)).exists())


def _open_to(user: User, entry: Entry) -> MembershipQuerySet:
    found = Membership.objects.of_user(user.id)
    if entry.only_project is not None:
        found = found.filter(project_id=entry.only_project)
    return found


def actor_of(user: User) -> Actor:
    """Return the actor that stands for this person in records."""
    return Actor(kind=ActorKind.USER, id=user.id, label=user.username)


def as_user(user: User, *, now: datetime, request_id: str) -> Provenance:
    """Return the provenance of what this person does, signed in or by a token."""
    return Provenance(actor=actor_of(user), now=now, request=Request(id=request_id))
