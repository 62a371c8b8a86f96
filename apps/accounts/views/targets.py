"""Where to go after signing in or entering a code: only within this very site."""

from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme


def stated_target(request: HttpRequest) -> str:
    return request.POST.get("next") or request.GET.get("next", "")


def safe_target(request: HttpRequest) -> str:
    """Return `next` if it leads here, else the console's first page."""
    stated = stated_target(request)
    if url_has_allowed_host_and_scheme(
        stated,
        allowed_hosts={request.get_host()},
        require_https=request.is_secure(),
    ):
        return stated
    return resolve_url(settings.LOGIN_REDIRECT_URL)
