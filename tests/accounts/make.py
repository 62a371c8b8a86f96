"""Makes what tests of accounts need: thin wrappers over the operations."""

import time
from datetime import UTC, datetime

from django_otp.oath import TOTP

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import ApiKey, Authenticator, Project, Role, Scope, User
from apps.core.actors import SYSTEM
from tests.acts import act_by

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"


def make_project(slug: str = "checkout", *, now: datetime = NOW) -> Project:
    return accounts.create_project(
        slug=slug, name=slug.title(), act=act_by(SYSTEM, now)
    )


def make_user(username: str = "alice", *, password: str | None = None) -> User:
    return accounts.create_user(
        username=username,
        password=password,
        act=act_by(now=NOW),
    )


def make_member(project: Project, username: str = "alice", role: Role = Role.ADMIN):
    user = make_user(username)
    accounts.add_member(
        project=project,
        user=user,
        role=role,
        act=act_by(now=NOW),
    )
    return user


def make_key(
    project: Project,
    scope: Scope = Scope.WRITE,
    *,
    now: datetime = NOW,
    agents: list[str] | None = None,
    **terms,
) -> tuple[ApiKey, str]:
    return accounts.issue_key(
        project=project,
        name="support bot",
        scope=scope,
        agents=agents,
        terms=accounts.KeyTerms(**terms),
        act=act_by(SYSTEM, now),
    )


def make_link(project: Project, user: User, *, now: datetime = NOW) -> str:
    _, token = accounts.make_signin_link(
        project=project, user=user, act=act_by(SYSTEM, now)
    )
    return token


def code_of(device: Authenticator) -> str:
    """Return what the device shows now."""
    clock = TOTP(device.bin_key)
    clock.time = time.time()
    return f"{clock.token():06}"


def set_up(user: User) -> tuple[Authenticator, list[str]]:
    """Give the user a second factor; return its device and its recovery codes.

    The code of this half minute can be entered once more.
    """
    about = {"act": act_by(actor_of(user), NOW)}
    device = accounts.begin_second_factor(user=user, **about)
    device, codes = accounts.confirm_second_factor(
        user=user, code=code_of(device), **about
    )
    Authenticator.objects.filter(id=device.id).update(last_t=-1)
    return device, codes
