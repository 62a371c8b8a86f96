"""Questions about projects, their people and their keys."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from django.contrib.auth.base_user import BaseUserManager
from django.db import models
from django.db.models import Case, Q, When

if TYPE_CHECKING:
    from apps.accounts.models import (  # noqa: F401
        ApiKey,
        BrowserSession,
        Invitation,
        Membership,
        SavedView,
        SigninLink,
        User,
    )


class UserManager(BaseUserManager["User"]):
    """Finds people by the name they sign in with, however they capitalise it."""

    def get_by_natural_key(self, username: Any) -> "User":
        return self.get(username=str(username).strip().lower())


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Who belongs to which project."""

    def of_user(self, user_id: str) -> Self:
        return self.filter(user_id=user_id).select_related("project")

    def in_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def of_person(self, user_id: str) -> Self:
        """Theirs, as long as they can sign in."""
        return self.filter(user_id=user_id, user__is_active=True)

    def has_person(self, project_id: str, user_id: str) -> bool:
        """Whether they may still see the project: what they chose outlives nothing."""
        return self.in_project(project_id).of_person(user_id).exists()

    def for_header(self, slug: str) -> Self:
        """The membership of this project first, then the others by name."""
        is_other = Case(When(project__slug=slug, then=0), default=1)
        return self.order_by(is_other, "project__name", "project_id")

    def with_role(self, roles: Collection[str]) -> Self:
        """Those who have one of these roles, and can still sign in."""
        return self.filter(role__in=roles, user__is_active=True)

    def for_members_page(self) -> Self:
        return self.select_related("user").order_by("user__username", "user_id")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Keys, live or not; a key that was revoked stays for the record."""

    def in_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def live(self, now: datetime) -> Self:
        unexpired = Q(expires_at=None) | Q(expires_at__gt=now)
        return self.filter(unexpired, revoked_at=None)

    def for_keys_page(self, *, after_id: str | None = None) -> Self:
        """Newest first; ids sort by the time they were made."""
        found = self.filter(id__lt=after_id) if after_id else self
        return found.order_by("-id")


class SigninLinkQuerySet(models.QuerySet["SigninLink"]):
    """Links that people sign in with once."""

    def open(self, now: datetime) -> Self:
        return self.filter(used_at=None, ended_at=None, expires_at__gt=now)

    def usable(
        self, token_hash: bytes, now: datetime, purposes: Collection[str]
    ) -> Self:
        """The link with this hash, if it is for this, neither used nor expired.

        Own columns only: with a join, Django's UPDATE would ask them in a subquery,
        which PostgreSQL does not ask again after waiting for a lock, and of eight
        users of one link eight got in (measured).
        """
        return self.open(now).filter(token_hash=token_hash, purpose__in=purposes)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Invitations into projects."""

    def open(self, now: datetime) -> Self:
        """Those that can still be accepted; own columns only, as for links."""
        return self.filter(used_at=None, withdrawn_at=None, expires_at__gt=now)

    def in_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)


class BrowserSessionQuerySet(models.QuerySet["BrowserSession"]):
    """Browsers that somebody is signed in with."""

    def of_user(self, user_id: str) -> Self:
        return self.filter(user_id=user_id)

    def live(self, now: datetime, *, idle: timedelta) -> Self:
        return self.filter(expire_date__gt=now, last_seen_at__gt=now - idle)

    def for_account_page(self) -> Self:
        return self.order_by("-last_seen_at", "session_key")


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    """Saved searches; one's own, and those that are shared with the project."""

    def in_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def visible_to(self, user_id: str) -> Self:
        return self.filter(Q(owner_id=user_id) | Q(is_shared=True))

    def for_sessions_page(self) -> Self:
        return self.select_related("owner").order_by("name", "id")
