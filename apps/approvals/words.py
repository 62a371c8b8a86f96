"""The words of approvals: who decides, how it stands, what a vote says."""

from django.db import models


class Class(models.TextChoices):
    """What becomes of what is asked for, once it was done."""

    READ = "read"  # nothing outside changes
    REVERSIBLE = "reversible"  # it can be undone
    COMPENSABLE = "compensable"  # something else puts it right
    IRREVERSIBLE = "irreversible"  # also where nothing is said


class Who(models.TextChoices):
    """Who decides."""

    OPERATOR = "operator"  # and administrators
    ADMIN = "admin"


class Expiry(models.TextChoices):
    """What becomes of what nobody decides; nothing is ever approved by that."""

    REJECT = "reject"
    ESCALATE = "escalate"  # administrators have as long again, then it is rejected


class Verdict(models.TextChoices):
    """What a row says of an approval: a person's vote, or what time did."""

    APPROVE = "approve"
    REJECT = "reject"
    ESCALATE = "escalate"
    EXPIRE = "expire"
    VOID = "void"  # what it rests on failed a check


class Status(models.TextChoices):
    """How an approval stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"  # nobody decided in time
    # The wait is set aside, the session is over, or what it rests on failed a check.
    VOIDED = "voided"
