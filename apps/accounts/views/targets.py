"""Where to go after signing in: to the page that was asked for, if it is one of ours.

Whoever asks for a page without being signed in is led to the sign-in page, which knows
it by `next`. A sign-in link comes another way, by mail or from a colleague: so that
page leaves in the browser what was asked for, for as long as a link lives, and only
for the pages of signing in.
"""

from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

COOKIE = "stepback_next"
COOKIE_PATH = "/signin"
# As long as a sign-in link.
SECONDS = 15 * 60
# A cookie has room for 4,096 bytes; a longer address is not worth a way around it.
LONGEST = 2_000


def stated_target(request: HttpRequest) -> str:
    """Return the page that the request names, or that was asked for before."""
    stated = request.POST.get("next") or request.GET.get("next", "")
    return stated or unquote(request.COOKIES.get(COOKIE, ""))


def safe_target(request: HttpRequest) -> str:
    """Return that page if it is one of this site, else the console's first page.

    Only a path is taken: no scheme and no host, not even our own.
    """
    stated = stated_target(request)
    if stated.startswith("/") and url_has_allowed_host_and_scheme(stated, None):
        return stated
    return resolve_url(settings.LOGIN_REDIRECT_URL)


def leads_into(target: str, slug: str) -> bool:
    """Say whether a path of this site is a page of the project."""
    try:
        match = resolve(urlsplit(target).path)
    except Resolver404:
        return False
    return match.kwargs.get("slug") == slug


def remember_target(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Leave the page that was asked for with the browser, for a sign-in link."""
    stated = request.GET.get("next", "")
    if stated and stated == safe_target(request) and len(quote(stated)) <= LONGEST:
        response.set_cookie(
            COOKIE,
            quote(stated),
            max_age=SECONDS,
            path=COOKIE_PATH,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response


def forget_target(response: HttpResponse) -> HttpResponse:
    """Take it away again: it was asked for once."""
    response.delete_cookie(COOKIE, path=COOKIE_PATH, samesite="Lax")
    return response
