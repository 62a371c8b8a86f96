"""The people who act in projects, and the links by which they get in.

Links are held as SHA-256 of 256 random bits, which needs no slow hash because there is
nothing to guess.
"""

from collections.abc import Sequence

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from apps.accounts.choices import Purpose, Role
from apps.accounts.models.projects import Project
from apps.accounts.querysets import (
    MembershipQuerySet,
    SigninLinkQuerySet,
    UserManager,
)


class User(AbstractBaseUser):
    """A person; what they may do is said by their memberships alone."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    username = models.CharField(max_length=64, unique=True, db_collation="C")
    display_name = models.CharField(max_length=120, blank=True, default="")
    email = models.EmailField(null=True, blank=True)
    is_active = models.BooleanField(default=True)
    # How often all of their sessions and links were ended. Each belongs to one
    # generation, so what was on its way to being made meanwhile does not count either.
    generation = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    objects = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(username=Lower("username")),
                name="accounts_user_username_is_lower_case",
            ),
        ]

    def __str__(self) -> str:
        return self.username

    def get_full_name(self) -> str:
        return self.display_name or self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return what Django compares in each session, for this generation alone.

        The first one has the hash that Django gives it.
        """
        told = self.password + (f" {self.generation}" if self.generation else "")
        return salted_hmac(
            "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash",
            told,
            secret=secret,
            algorithm="sha256",
        ).hexdigest()

    def get_short_name(self) -> str:
        return self.username


class Membership(models.Model):
    """One person's role in one project."""

    pk = models.CompositePrimaryKey("project_id", "user_id")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    user = models.ForeignKey(User, on_delete=models.PROTECT)
    role = models.CharField(max_length=16, choices=Role.choices)
    # Whether an operator is shown what the project's masks cover: administrators
    # always are, viewers never.
    reads_unmasked = models.BooleanField(default=False)
    # What their list of sessions opens with; the verbs of views keep it visible.
    default_view = models.ForeignKey(
        "SavedView", on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField()

    # The user's other projects, the first of them; filled by whoever shows them.
    others: Sequence[Project] = ()

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=Role.values),
                name="accounts_membership_role_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.project_id}"


class SigninLink(models.Model):
    """A way in for one person, once, for as long as its purpose allows."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    user = models.ForeignKey(User, on_delete=models.PROTECT)
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    purpose = models.CharField(max_length=16, choices=Purpose.choices)
    token_hash = models.BinaryField(unique=True)
    created_at = models.DateTimeField()
    # Of its person, before it was looked up what the maker may open.
    generation = models.BigIntegerField(default=0)
    # Made by an administrator of some of the person's projects: it opens this one only.
    is_limited = models.BooleanField(default=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    # Made useless before it was used, as by a new password.
    ended_at = models.DateTimeField(null=True)

    objects = SigninLinkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(purpose__in=Purpose.values),
                name="accounts_signinlink_purpose_is_known",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")),
                name="accounts_signinlink_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} link {self.id}"
