"""The one door for passwords, and how guessing at it is held back.

Four limits, the cheap ones first, so that a hash is computed only for a try that may
succeed:

1. by address: so many tries a minute, whatever the names;
2. by name and address together: ten wrong passwords lock both for a quarter of an hour
   (django-axes, in the database: a restart forgets nothing);
3. by name alone, over all addresses: so many tries in five minutes, never a lock. Who
   signed in from this browser before is not counted, so nobody keeps them out;
4. hashes at a time (`apps.accounts.hashing`).

The address is the client's, behind trusted proxies (`apps.core.http.clients`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from axes.helpers import get_cool_off
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.models import Project, User
from apps.core.admission.rate_limit import RateLimiter, RateLimitExceeded
from apps.core.errors import Busy
from apps.core.http.clients import UNKNOWN, client_network
from apps.core.http.problems.problem import Problem

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

TRIES = RateLimiter(workers=settings.WORKERS)
OF_ADDRESS = 30
MINUTE = 60.0
OF_NAME = 30
NAME_WINDOW = 300.0
OF_INVITED = 60
INVITED_WINDOW = 3600.0
# The names that signed in from a browser, signed; at most so many, for so long.
COOKIE = "stepback_known"
COOKIE_SALT = "stepback: signed in from this browser before"
KNOWN_NAMES = 5
KNOWN_SECONDS = 90 * 24 * 3600


def user_with_password(
    request: HttpRequest, *, username: str, password: str
) -> User | None:
    """Return whose name and password these are, if they belong together.

    Raises: RateLimitExceeded with the time to wait; Busy.
    """
    count_try(request)
    bare = _bare(request, username)
    found = authenticate(bare, username=username, password=password)
    if found is not None:
        # An office behind one address signs in on a Monday morning.
        TRIES.give_back(_address_key(request), OF_ADDRESS)
        return found
    if getattr(bare, "axes_locked_out", False):
        cool_off = get_cool_off(bare)
        raise RateLimitExceeded(
            "There were too many wrong passwords for this user name from your address. "
            "Wait a quarter of an hour, or ask an administrator for a sign-in link.",
            retry_after=int(cool_off.total_seconds()) if cool_off else None,
        )
    return None


def count_try(request: HttpRequest) -> None:
    """Count a try at a name or password by address; raises RateLimitExceeded."""
    taken = TRIES.take(_address_key(request), OF_ADDRESS, window=MINUTE)
    if taken.is_exceeded:
        raise RateLimitExceeded(
            "There were too many attempts from your address. Wait a minute.",
            retry_after=taken.retry_after,
        )


def count_name_for(project: Project) -> None:
    """Count a name that an invited person tries to take; raises RateLimitExceeded."""
    key = f"invitation:names:{project.id}"
    taken = TRIES.take(key, OF_INVITED, window=INVITED_WINDOW)
    if taken.is_exceeded:
        raise RateLimitExceeded(
            "Too many people have chosen names for this project within an hour. "
            "Come back later: the invitation stays open.",
            retry_after=taken.retry_after,
        )


class SlowedByName(BaseBackend):
    """Counts tries between the backend that locks and the one that hashes."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, **_: Any
    ) -> None:
        """Count a try at a name over all addresses; raises RateLimitExceeded."""
        if request is None or getattr(request, "is_known_browser", False):
            return
        taken = TRIES.take(f"signin:name:{username}", OF_NAME, window=NAME_WINDOW)
        if taken.is_exceeded:
            raise RateLimitExceeded(
                "There are many attempts at this user name at this moment. Wait a few "
                "minutes, use a browser that you have signed in with before, or ask an "
                "administrator for a sign-in link.",
                retry_after=taken.retry_after,
            )


def told_when_held_back(view: View[P]) -> View[P]:
    """Answer what was not even tried with a page that says when to come back."""

    @wraps(view)
    def answered(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (RateLimitExceeded, Busy) as refused:
            problem = Problem.of(refused)
            cast(Any, request).error_code = problem.code
            context = {
                "message": refused.message,
                "is_busy": isinstance(refused, Busy),
            }
            page = render(
                request, "accounts/held_back.html", context, status=problem.status
            )
            for name, value in problem.all_headers().items():
                page.headers[name] = value
            return page

    return cast(View[P], answered)


def remember_browser(
    request: HttpRequest, response: HttpResponse, user: User
) -> HttpResponse:
    """Let the user's tries from this browser count by address alone from now on."""
    others = [name for name in _known_names(request) if name != user.username]
    response.set_signed_cookie(
        COOKIE,
        " ".join([user.username, *others][:KNOWN_NAMES]),
        salt=COOKIE_SALT,
        max_age=KNOWN_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def axes_address(request: HttpRequest) -> str | None:
    """Return what django-axes takes for the client's address, and keeps."""
    network = client_network(request)
    return None if network == UNKNOWN else network.partition("/")[0]


def _known_names(request: HttpRequest) -> list[str]:
    said = request.get_signed_cookie(
        COOKIE, default="", salt=COOKIE_SALT, max_age=KNOWN_SECONDS
    )
    return str(said).split()


def _address_key(request: HttpRequest) -> str:
    return f"signin:address:{client_network(request)}"


def _bare(request: HttpRequest, username: str) -> HttpRequest:
    """Return what django-axes may see of the request, and keep in its tables.

    Not its path, which for a link holds the token, nor what was sent with it.
    """
    bare = HttpRequest()
    bare.method = "POST"
    names = ("REMOTE_ADDR", "HTTP_X_FORWARDED_FOR")
    bare.META = {name: request.META.get(name, "") for name in names}
    bare.META["PATH_INFO"] = "/signin"
    bare.is_known_browser = username in _known_names(request)  # type: ignore[attr-defined]
    return bare
