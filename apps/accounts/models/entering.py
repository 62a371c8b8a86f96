"""How people come in besides their password: invitations, sessions, second factors."""

import hashlib
from base64 import b32encode
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import F, Q
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts.choices import Role
from apps.accounts.querysets import BrowserSessionQuerySet, InvitationQuerySet


class Invitation(models.Model):
    """A single-use way into one project for the holder of its token."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    role = models.CharField(max_length=16, choices=Role.choices)
    token_hash = models.BinaryField(unique=True)
    # Who made it, as in the record: a person or a command.
    maker_id = models.CharField(max_length=31, db_collation="C")
    maker_label = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=Role.values),
                name="accounts_invitation_role_is_known",
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")),
                name="accounts_invitation_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.project_id}"


class BrowserSession(AbstractBaseSession):
    """A browser's session, with what its user needs to recognise it."""

    user = models.ForeignKey("accounts.User", on_delete=models.PROTECT, null=True)
    signed_in_at = models.DateTimeField()
    # To the minute: written at most that often.
    last_seen_at = models.DateTimeField()
    address = models.CharField(max_length=64, blank=True, default="")
    # As the browser names itself: anybody's text.
    browser = models.CharField(max_length=200, blank=True, default="")

    # Not the manager of Django's sessions, which writes rows without their user.
    objects = BrowserSessionQuerySet.as_manager()  # type: ignore[misc,assignment]

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    def __str__(self) -> str:
        return self.public_id

    @property
    def public_id(self) -> str:
        """Identify it on pages: the key itself is a credential."""
        return hashlib.sha256(self.session_key.encode()).hexdigest()[:26]

    def is_idle(self, now: datetime, *, idle: timedelta) -> bool:
        """Say whether nobody has used it for so long that it is over."""
        return self.last_seen_at <= now - idle


class Authenticator(TOTPDevice):  # type: ignore[misc]
    """A device that shows codes, as django-otp has it, with a bounded throttle.

    The delay doubles with each wrong code; unbounded, somebody who knows
    the password could keep its owner out for years.
    """

    # 2**10 seconds: a quarter of an hour.
    MOST_DOUBLED = 11

    throttling_failure_count: int

    class Meta:
        proxy = True

    @property
    def typed_secret(self) -> str:
        """The secret as authenticators take it from a keyboard."""
        return b32encode(self.bin_key).decode()

    def verify_is_allowed(self) -> tuple[bool, dict[str, Any] | None]:
        failures = self.throttling_failure_count
        self.throttling_failure_count = min(failures, self.MOST_DOUBLED)
        try:
            return cast(tuple[bool, dict[str, Any] | None], super().verify_is_allowed())
        finally:
            self.throttling_failure_count = failures


class RecoveryCode(models.Model):
    """A single-use substitute for the authenticator: 80 random bits, as a digest."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    user = models.ForeignKey("accounts.User", on_delete=models.PROTECT)
    digest = models.BinaryField()
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "digest"], name="accounts_recoverycode_one_per_digest"
            ),
        ]

    def __str__(self) -> str:
        return self.id
