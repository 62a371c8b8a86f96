"""Projects, the people and keys that act in them, and answers kept for a replay.

Secrets are never stored: keys and sign-in links are held as SHA-256 of 256 random
bits, which needs no slow hash because there is nothing to guess.
"""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from apps.accounts.choices import KeyMark, Purpose, Role, Scope
from apps.accounts.models.encrypting import DataKey, SubjectKey
from apps.accounts.models.entering import (
    Authenticator,
    BrowserSession,
    Invitation,
    RecoveryCode,
)
from apps.accounts.querysets import (
    ApiKeyQuerySet,
    MembershipQuerySet,
    SavedViewQuerySet,
    SigninLinkQuerySet,
    UserManager,
)
from apps.core.handling import Handling

__all__ = [
    "ApiKey",
    "Authenticator",
    "BrowserSession",
    "DataKey",
    "Invitation",
    "KeyMark",
    "Membership",
    "Project",
    "Purpose",
    "RecoveryCode",
    "Role",
    "SavedView",
    "Scope",
    "SigninLink",
    "StoredAnswer",
    "SubjectKey",
    "User",
]


class Project(models.Model):
    """The tenant: sessions, keys and members belong to exactly one."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    slug = models.CharField(max_length=50, unique=True, db_collation="C")
    name = models.CharField(max_length=120)
    # Keys the digests in search tables, so that equal values in two projects differ
    # and a stolen index cannot be searched by guessing.
    index_key = models.BinaryField()
    # Whether its members need a second factor to enter it; keys do not.
    needs_second_factor = models.BooleanField(default=False)
    # What becomes of unknown input where a request does not say.
    handling = models.CharField(
        max_length=8,
        choices=[(one.value, one.value) for one in Handling],
        default=Handling.STRICT.value,
    )
    # Policies that no agent's config can lower, as JSON.
    floor = models.TextField(default="{}")
    # Whether old states are embedded, so that they are found by their meaning.
    search_by_meaning = models.BooleanField(default=False)
    # Whether a rollback has to say why.
    needs_rollback_reason = models.BooleanField(default=False)
    # The number of the data key that seals what is written; null: nothing is sealed.
    data_key = models.BigIntegerField(null=True)
    # What masked keys are not shown, as JSON; only who asks for it loads it.
    masks = models.TextField(default="[]")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(slug__regex=r"^[a-z0-9]+(-[a-z0-9]+)*$"),
                name="accounts_project_slug_is_url_safe",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


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


class ApiKey(models.Model):
    """What a program signs in with; bound to one project."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    name = models.CharField(max_length=120)
    # The first characters of the secret: people recognise their key by it.
    prefix = models.CharField(max_length=16, db_collation="C")
    secret_hash = models.BinaryField(unique=True)
    scope = models.CharField(max_length=16, choices=Scope.choices)
    # External agent ids that the key may speak for; null means all.
    agents = ArrayField(models.TextField(), null=True)
    # Requests a minute; null means the installation's limit.
    rate_limit = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    created_by = models.TextField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # To the minute: written at most that often.
    last_used_at = models.DateTimeField(null=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=Scope.values),
                name="accounts_apikey_scope_is_known",
            ),
            models.CheckConstraint(
                condition=Q(rate_limit=None) | Q(rate_limit__gt=0),
                name="accounts_apikey_rate_limit_is_positive",
            ),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=F("created_at")),
                name="accounts_apikey_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def is_live(self, now: datetime) -> bool:
        """A key works until it is revoked or its time is over."""
        unexpired = self.expires_at is None or self.expires_at > now
        return self.revoked_at is None and unexpired


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


class SavedView(models.Model):
    """A search of sessions that somebody keeps, for themselves or for the project."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    owner = models.ForeignKey(User, on_delete=models.PROTECT)
    name = models.CharField(max_length=120)
    # As it was written, in the search language; read again each time it is opened.
    query = models.TextField()
    sort = models.CharField(max_length=16, blank=True, default="", db_collation="C")
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "name"],
                name="accounts_savedview_one_per_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class StoredAnswer(models.Model):
    """What was answered to an idempotency key, kept 24 hours for a replay."""

    pk = models.CompositePrimaryKey("project_id", "key")
    project_id = models.CharField(max_length=31, db_collation="C")
    key = models.CharField(max_length=255, db_collation="C")
    # SHA-256 of the request; the same key with another request is a mistake.
    digest = models.BinaryField()
    # Null only inside the transaction that is still finding its answer.
    status = models.BigIntegerField(null=True)
    body = models.BinaryField(default=b"")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(key=""),
                name="accounts_storedanswer_key_not_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.key}"
