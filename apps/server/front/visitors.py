"""Classify requests by their credentials, before Django authenticates them.

The key or session of a request is looked up once in each process, on a thread reserved
for that, and cached until Django reports that it is no longer valid. So a flood of
made-up keys takes no turn from valid ones. Being known grants nothing: Django
authenticates each request as if there were no front.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import DatabaseError, connection
from django.utils import timezone

from apps.accounts import authentication, secrets
from apps.accounts.api.authentication import secret_of
from apps.core.processes import addresses
from apps.server.front.environ import Environ

MOST = 10_000


@dataclass(slots=True)
class Presented:
    """The key, or the key of the session, that a request brings."""

    text: str
    is_key: bool

    @property
    def digest(self) -> bytes:
        """What is kept of it."""
        return (b"k" if self.is_key else b"s") + secrets.digest(self.text)


class Visitors:
    """The shares of those whose key or session was found; the last ones to come."""

    def __init__(self, most: int = MOST) -> None:
        self._shares: OrderedDict[bytes, str] = OrderedDict()
        self._most = most
        name = re.escape(settings.SESSION_COOKIE_NAME)
        self._cookie = re.compile(rf'(?:^|;)\s*{name}="?([a-z0-9]{{1,64}})')
        self._sessions = import_module(settings.SESSION_ENGINE).SessionStore

    def presented(self, environ: Environ) -> Presented | None:
        """Return what the request brings to be known by."""
        if addresses.is_api(environ["PATH_INFO"]):
            secret = secret_of(
                environ.get("HTTP_X_API_KEY", ""), environ.get("HTTP_AUTHORIZATION", "")
            )
            return None if secret is None else Presented(secret, is_key=True)
        found = self._cookie.search(environ.get("HTTP_COOKIE", ""))
        return Presented(found[1], is_key=False) if found else None

    def share_of(self, presented: Presented) -> str | None:
        """Return the share of one that was found before."""
        return self._shares.get(presented.digest)

    def find(self, presented: Presented) -> str | None:
        """Return the share of one that may be new; None for one that does not hold.

        None as well while the database does not answer.
        """
        # Others with the same key may have waited in front of this one.
        share = self.share_of(presented)
        return share or self._looked_up(presented)

    def _looked_up(self, presented: Presented) -> str | None:
        try:
            share = self._found(presented)
        except DatabaseError:
            return None
        finally:
            connection.close()
        if share is not None:
            self._shares[presented.digest] = share
            while len(self._shares) > self._most:
                self._shares.popitem(last=False)
        return share

    def forget(self, presented: Presented) -> None:
        self._shares.pop(presented.digest, None)

    def _found(self, presented: Presented) -> str | None:
        if presented.is_key:
            now = timezone.now()
            found = authentication.project_of_secret(secret=presented.text, now=now)
            return None if found is None else f"project {found}"
        user_id = self._sessions(presented.text).get(SESSION_KEY)
        return None if user_id is None else f"user {user_id}"
