"""Make the provenance of what a signed-in person does."""

from typing import cast

from django.http import HttpRequest
from django.utils import timezone

from apps.accounts.access import as_user
from apps.accounts.models import User
from apps.core.provenance import Provenance


def acting(request: HttpRequest) -> Provenance:
    """Return that of this request, now; call it once in each view."""
    return as_user(
        cast(User, request.user),
        now=timezone.now(),
        request_id=getattr(request, "request_id", ""),
    )
