"""Secrets of webhooks, and the headers by which a receiver knows who sends.

A secret follows from the installation's key and a salt, so that it stands in no row
and no backup. Everything is signed twice: as StateBase's contract has it (hex of the
HMAC-SHA256 over the body) and as Standard Webhooks has it (id and time are signed too,
so that nobody can send an old message again).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from django.conf import settings

from apps.webhooks.models import Subscription

MARK = "whsec_"
VISIBLE = len(MARK) + 6
SALT_BYTES = 16
USER_AGENT = "Stepback-Webhooks/1"


class SecretLost(Exception):
    """The installation has another key than when the secret was made."""


def new_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


def secret_from(subscription_id: str, salt: bytes | memoryview) -> str:
    """Return the secret of a subscription: `whsec_` and the base64 of 256 bits."""
    message = b"webhook:" + subscription_id.encode() + b":" + bytes(salt)
    key = hmac.new(settings.SECRET_KEY.encode(), message, hashlib.sha256).digest()
    return MARK + base64.b64encode(key).decode()


def secret_of(subscription: Subscription) -> str:
    """Return the secret that was shown when it was made.

    Raises: SecretLost.
    """
    secret = secret_from(subscription.id, subscription.salt)
    if secret[:VISIBLE] != subscription.secret_prefix:
        raise SecretLost
    return secret


def headers(
    subscription: Subscription,
    message_id: str,
    kind: str,
    body: bytes,
    *,
    now: datetime,
) -> dict[str, str]:
    """Return what is sent with a body; the time is that of this attempt.

    Raises: SecretLost.
    """
    secret = secret_of(subscription)
    known = [secret]
    if subscription.signs_with_old(now) and subscription.old_salt is not None:
        known.append(secret_from(subscription.id, subscription.old_salt))
    seconds = str(int(now.timestamp()))
    signed = b".".join([message_id.encode(), seconds.encode(), body])
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-StateBase-Event": kind,
        "X-StateBase-Timestamp": seconds,
        "X-StateBase-Signature": hmac.new(
            secret.encode(), body, hashlib.sha256
        ).hexdigest(),
        "webhook-id": message_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(f"v1,{_digest(one, signed)}" for one in known),
    }


def _digest(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(MARK))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
