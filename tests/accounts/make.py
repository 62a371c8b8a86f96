"""Makes what tests of accounts need: thin wrappers over the operations."""

from datetime import UTC, datetime

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Project, Role, Scope, User
from apps.core.actors import SYSTEM

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"


def make_project(slug: str = "checkout", *, now: datetime = NOW) -> Project:
    return accounts.create_project(
        slug=slug, name=slug.title(), actor=SYSTEM, now=now, request_id="req_test"
    )


def make_user(username: str = "alice", *, password: str | None = None) -> User:
    return accounts.create_user(
        username=username,
        password=password,
        actor=SYSTEM,
        now=NOW,
        request_id="req_test",
    )


def make_member(project: Project, username: str = "alice", role: Role = Role.ADMIN):
    user = make_user(username)
    accounts.add_member(
        project=project,
        user=user,
        role=role,
        actor=SYSTEM,
        now=NOW,
        request_id="req_test",
    )
    return user


def make_key(
    project: Project, scope: Scope = Scope.WRITE, *, now: datetime = NOW, **limits
) -> tuple[ApiKey, str]:
    return accounts.issue_key(
        project=project,
        name="support bot",
        scope=scope,
        actor=SYSTEM,
        now=now,
        request_id="req_test",
        **limits,
    )


def make_link(project: Project, user: User, *, now: datetime = NOW) -> str:
    _, token = accounts.make_signin_link(
        project=project, user=user, actor=SYSTEM, now=now, request_id="req_test"
    )
    return token
