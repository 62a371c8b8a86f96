"""Verbs of webhooks: create, change, switch on and off, test, resend, delete."""

from apps.webhooks.operations.sending import resend, test
from apps.webhooks.operations.subscriptions import (
    LONGEST_DESCRIPTION,
    change_secret,
    create,
    delete,
    disable,
    enable,
    update,
)

__all__ = [
    "LONGEST_DESCRIPTION",
    "change_secret",
    "create",
    "delete",
    "disable",
    "enable",
    "resend",
    "test",
    "update",
]
