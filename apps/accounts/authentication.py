"""From a secret to who is calling: one query, in constant time, the clock given.

`last_used_at` is written at most once a minute: exact to what people ask of it, and
not one more write for every request.
"""

import hmac
from datetime import datetime, timedelta

from django.db.models import Q

from apps.accounts import secrets
from apps.accounts.access import Caller
from apps.accounts.errors import AuthenticationFailed
from apps.accounts.models import ApiKey, Scope
from apps.core.actors import Actor, ActorKind

USE_RESOLUTION = timedelta(minutes=1)


def caller_for_secret(*, secret: str, now: datetime) -> Caller:
    """Return who holds this secret, and note that the key is in use.

    Raises: AuthenticationFailed, in the same words whatever is wrong with the key.
    """
    digest = secrets.digest(secret)
    key = ApiKey.objects.select_related("project").filter(secret_hash=digest).first()
    # The index already compared; this one takes the same time for every near miss.
    if key is None or not hmac.compare_digest(bytes(key.secret_hash), digest):
        raise AuthenticationFailed
    if not key.is_live(now):
        raise AuthenticationFailed
    _note_use(key, now)
    return Caller(
        actor=Actor(kind=ActorKind.KEY, id=key.id, label=key.prefix),
        project=key.project,
        scope=Scope(key.scope),
        agents=None if key.agents is None else frozenset(key.agents),
        key_id=key.id,
        rate_limit=key.rate_limit,
    )


def _note_use(key: ApiKey, now: datetime) -> None:
    stale = now - USE_RESOLUTION
    if key.last_used_at is not None and key.last_used_at > stale:
        return
    # Conditional, so that of many requests in the same instant one writes.
    unnoted = Q(last_used_at=None) | Q(last_used_at__lte=stale)
    ApiKey.objects.filter(unnoted, id=key.id).update(last_used_at=now)
