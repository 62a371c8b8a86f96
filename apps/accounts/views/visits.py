"""What a browser's session says of how somebody came in, and when it was last used."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

import django_otp
from django.conf import settings
from django.contrib.auth import SESSION_KEY, login
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts import sessions
from apps.accounts.access import Entry
from apps.accounts.forms import SignInForm
from apps.accounts.models import Authenticator, BrowserSession, Project, User
from apps.accounts.views.guessing import remember_browser
from apps.accounts.views.unsent import carried, page_of_form, unsent_of
from apps.core.errors import PermissionDenied
from apps.core.http.clients import client_address
from apps.core.http.problems.exceptions import problem_of
from apps.core.http.problems.fallbacks import answer

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

BACKEND = "django.contrib.auth.backends.ModelBackend"
ONLY_PROJECT = "only_project"
# Whether a link let them in: it says nothing of who knows the password.
BY_LINK = "by_link"
LONGEST_BROWSER = 200
NOTED_EVERY = timedelta(minutes=1)
# Pages ask these by themselves, whether or not somebody sits before them.
POLLS = {"console:live"}


@receiver(user_logged_in, dispatch_uid="apps.accounts.visits")
def begin_visit(request: HttpRequest, **_: Any) -> None:
    """Write down where and when a session begins; it ends two weeks later."""
    now = timezone.now()
    session = request.session
    session[sessions.SIGNED_IN_AT] = now.isoformat()
    session[sessions.ADDRESS] = client_address(request)
    session[sessions.BROWSER] = request.META.get("HTTP_USER_AGENT", "")[
        :LONGEST_BROWSER
    ].replace("\0", "")
    session.set_expiry(now + timedelta(seconds=settings.SESSION_COOKIE_AGE))
    # Whoever signs in anew comes in as themselves.
    session.pop(ONLY_PROJECT, None)
    session.pop(BY_LINK, None)


def let_in(
    request: HttpRequest,
    response: HttpResponse,
    user: User,
    *,
    only: Project | None = None,
    by_link: bool = False,
) -> HttpResponse:
    """Sign a user in, for all of their projects or one, and remember the browser."""
    if SESSION_KEY in request.session:
        # Django would keep the key of who is signed in already, whose row may be gone:
        # joining a project deletes it.
        request.session.cycle_key()
    login(request, user, backend=BACKEND)
    if by_link:
        request.session[BY_LINK] = True
    if only is not None:
        request.session[ONLY_PROJECT] = only.id
        return response
    return remember_browser(request, response, user)


def code_entered(request: HttpRequest, device: Authenticator) -> None:
    """Note that this session has entered a code; its key changes with its rights."""
    request.session.cycle_key()
    django_otp.login(request, device)


def may_be_somebody_else(request: HttpRequest) -> bool:
    """Say whether this session alone does not show that its user is there.

    It came by a link for one project, or by one for an account that has a password,
    which whoever made the link may have chosen.
    """
    if request.session.get(ONLY_PROJECT) is not None:
        return True
    is_by_link = bool(request.session.get(BY_LINK))
    return is_by_link and cast(User, request.user).has_usable_password()


def entry_of(request: HttpRequest) -> Entry:
    """Return how the reader came in."""
    return Entry(
        only_project=request.session.get(ONLY_PROJECT),
        device=request.session.get(django_otp.DEVICE_ID_SESSION_KEY),
    )


def own_account(view: View[P]) -> View[P]:
    """Refuse sessions that came by a link for one project."""

    @wraps(view)
    def guarded(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        if request.session.get(ONLY_PROJECT) is None:
            return view(request, *args, **kwargs)
        refused = PermissionDenied(
            "You came in by a link for one project. Sign in with your password, or by "
            "a link of whoever runs this installation, to change your account."
        )
        return answer(request, problem_of(refused))

    return cast(View[P], guarded)


class VisitMiddleware:
    """Notes that a session is used, at most once a minute; a poll is no use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        row: BrowserSession | None = getattr(request.session, "row", None)
        if row is not None and row.user_id is not None and not _is_poll(request):
            now = timezone.now()
            if row.last_seen_at <= now - NOTED_EVERY:
                BrowserSession.objects.filter(session_key=row.session_key).update(
                    last_seen_at=now
                )
        return response


class SignInMiddleware(LoginRequiredMiddleware):
    """Sends who is not signed in to where one signs in, and back afterwards.

    htmx follows a redirect, and would swap that page into a part of the one that is
    shown: it is told to leave that whole. What was typed into a form is not lost, and
    back is where the form stands.
    """

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], *given: Any
    ) -> HttpResponseBase | None:
        answer = super().process_view(request, view_func, *given)
        if answer is not None and request.method == "POST":
            return self._kept(request, view_func)
        shown = None if answer is None else _shown_around(request)
        if shown is None:
            return answer
        field = self.get_redirect_field_name(view_func)
        redirect = redirect_to_login(shown, self.get_login_url(view_func), field)
        return HttpResponseClientRedirect(redirect.url)

    def _kept(
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Ask who sent a form to sign in; show what they had typed."""
        back, fields = page_of_form(request), unsent_of(request)
        if fields:
            shown = {"form": SignInForm(), "next": back, **carried(fields)}
            page = render(request, "accounts/sign_in.html", shown, status=403)
            add_never_cache_headers(page)
            return page
        field = self.get_redirect_field_name(view_func)
        return redirect_to_login(back, self.get_login_url(view_func), field)


def _shown_around(request: HttpRequest) -> str | None:
    """Return the page of which htmx asks a part; None where a whole one is asked for.

    Our own polls do not say it: they follow no redirect.
    """
    htmx = cast(Any, request).htmx
    if not htmx or htmx.boosted or htmx.history_restore_request:
        return None
    return cast("str | None", htmx.current_url_abs_path)


def _is_poll(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and match.view_name in POLLS
