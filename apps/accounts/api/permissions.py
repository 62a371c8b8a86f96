"""What a key's scope allows: reading for read, everything else for write.

A view that needs more, or less, says so in `required_scope`: one scope for all
methods, or a mapping from method to scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.accounts import access, errors
from apps.accounts.access import Caller, Permission

if TYPE_CHECKING:
    # DRF's views import this module by name while they are being imported.
    from rest_framework.views import APIView


class HasScope(BasePermission):
    """Asks `access` whether the caller's key may do this."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True, or raise what the caller should be told.

        Raises: AuthenticationFailed without a key, PermissionDenied without the scope.
        """
        caller = request.auth
        if not isinstance(caller, Caller):
            missing = errors.AuthenticationFailed.because(errors.Unusable.MISSING)
            raise AuthenticationFailed(missing.message) from missing
        access.require(caller, required_permission(request, view), caller.project)
        return True


def required_permission(request: Request, view: APIView) -> Permission:
    """Return what this method of this view needs."""
    method = request.method or "GET"
    stated: str | Mapping[str, str] | None = getattr(view, "required_scope", None)
    if isinstance(stated, Mapping):
        stated = stated.get(method)
    if stated is None:
        # A handler that masks what it answers says so itself: see `timeline.api.masks`.
        stated = getattr(getattr(view, method.lower(), None), "required_scope", None)
    if stated is not None:
        return Permission(stated)
    return Permission.READ if method in SAFE_METHODS else Permission.WRITE
