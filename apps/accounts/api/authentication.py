"""DRF's door for API keys: `X-API-Key: sb_…` or `Authorization: Bearer sb_…`.

`request.auth` becomes the frozen `Caller`; `request.user` stays None, because a key
is nobody's account.
"""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.accounts import authentication, errors
from apps.accounts.access import Caller


class KeyAuthentication(BaseAuthentication):
    """Turns the key of a request into its `Caller`."""

    def authenticate(self, request: Request) -> tuple[None, Caller] | None:
        """Return None without a key: the permission then answers 401.

        Raises: DRF's AuthenticationFailed, which carries the WWW-Authenticate header.
        """
        secret = secret_of(
            request.META.get("HTTP_X_API_KEY", ""),
            request.META.get("HTTP_AUTHORIZATION", ""),
        )
        if secret is None:
            return None
        try:
            caller = authentication.caller_for_secret(secret=secret, now=timezone.now())
        except errors.AuthenticationFailed as failure:
            raise AuthenticationFailed(failure.message) from failure
        return None, caller

    def authenticate_header(self, request: Request) -> str:
        """Without it DRF would answer 403 where the contract says 401."""
        return 'Bearer realm="api"'


def secret_of(api_key: str, authorization: str) -> str | None:
    """Return the secret that one of the two headers brings."""
    plain = api_key.strip()
    if plain:
        return plain
    scheme, _, bearer = authorization.partition(" ")
    if scheme.lower() == "bearer" and bearer.strip():
        return bearer.strip()
    return None
