"""What every view begins with: which methods, who may, and errors as pages.

`page` only shows; `act` only does, by POST; `form` shows by GET what it does by POST.
Where an act is refused, its `shows` makes the page from which it came: with the reason
on it, what was typed still in its fields, and the status of the refusal. A conflict
leads to that page instead, where its address is known (`at`): it can be loaded anew.
What does something names the permission, so that none forgets to ask for it: a
colleague without it is told 403, a stranger 404.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from apps.accounts.access import (
    SHOWN_MEMBERS,
    Permission,
    enter_project,
    who_may,
)
from apps.accounts.errors import SecondFactorNeeded
from apps.accounts.models import Membership, User
from apps.accounts.views.visits import entry_of
from apps.console.views.requests import refusals, seeing
from apps.core.admission import gate
from apps.core.errors import DomainError, PermissionDenied
from apps.core.http.problems.exceptions import problem_of
from apps.core.http.problems.fallbacks import answer, wants_html
from apps.core.http.problems.problem import Problem

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
MemberView = Callable[Concatenate[HttpRequest, Membership, P], HttpResponse]
# The page that an act belongs to, and its address; both take what the act takes.
Shows = Callable[..., HttpResponse]
At = Callable[..., str]
# What a person can see on the page and mend there; the rest is an error page.
TOLD_IN_PLACE = {400, 409, 412, 422, 423}
GONE_ALREADY = {"label_not_found"}
CONFLICTS = {409, 412}


def page(view: View[P]) -> View[P]:
    """Let a view only be read, and answer its domain errors as pages."""
    return require_safe(_answering(_remembering(view)))


def act(
    permission: Permission, *, shows: Shows | None = None, at: At | None = None
) -> Callable[[MemberView[P]], View[P]]:
    """Let a view be reached by POST, by members who have the permission.

    The view is given the membership in place of the project's slug.
    """

    def decorated(view: MemberView[P]) -> View[P]:
        tried = _in_place(view, shows, at) if shows else view
        acting = require_POST(_answering(_entering(tried, permission)))
        # Nobody is led there to look, as after signing in.
        acting.only_acts = True  # type: ignore[attr-defined]
        return acting

    return decorated


def form(
    permission: Permission, *, shows: Shows | None = None, at: At | None = None
) -> Callable[[MemberView[P]], View[P]]:
    """As `act`, for what shows by GET, never from a cache, what it does by POST."""

    def decorated(view: MemberView[P]) -> View[P]:
        methods = require_http_methods(["GET", "HEAD", "POST"])
        tried = _in_place(view, shows, at) if shows else view
        answered = _answering(_remembering(_entering(tried, permission)))
        return never_cache(methods(answered))

    return decorated


def entered(
    request: HttpRequest, slug: str, permission: Permission = Permission.READ
) -> Membership:
    """Return the reader's membership of the project.

    Raises: ProjectNotFound, SecondFactorNeeded, PermissionDenied.
    """
    membership = enter_project(
        user=user_of(request),
        slug=slug,
        permission=permission,
        entry=entry_of(request),
    )
    # Pages of a project and its programs take turns together.
    gate.take_turns_as(membership.project_id)
    seeing.look(request, membership)
    return membership


def user_of(request: HttpRequest) -> User:
    return cast(User, request.user)


def wants_fragment(request: HttpRequest) -> bool:
    """Say whether a page's part is asked for: by htmx, for a swap of that part.

    Not for a boosted link, and not when htmx restores the page on Back: both put the
    answer in place of the whole page.
    """
    htmx = cast(Any, request).htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def varying(response: HttpResponse) -> HttpResponse:
    """Mark an answer that `wants_fragment` decided, so that no cache mixes them up."""
    patch_vary_headers(response, ["HX-Request"])
    return response


def _entering(view: MemberView[P], permission: Permission) -> View[P]:
    @wraps(view)
    def with_membership(
        request: HttpRequest, /, slug: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return view(request, entered(request, slug, permission), *args, **kwargs)

    return cast(View[P], with_membership)


def _in_place(view: MemberView[P], shows: Shows, at: At | None) -> MemberView[P]:
    """Answer what is refused with the page itself, and the reason on it.

    A page that cannot be shown either raises, and its error is the answer.
    """

    @wraps(view)
    def tried(
        request: HttpRequest,
        membership: Membership,
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> HttpResponse:
        try:
            return view(request, membership, *args, **kwargs)
        except DomainError as error:
            # What an act did with clear values is over: its page is drawn again.
            seeing.look_again(request)
            problem = problem_of(error)
            if not wants_html(request) or not _is_told_in_place(problem):
                raise
            if at is not None and problem.status in CONFLICTS:
                address = at(request, membership, *args, **kwargs)
                return refusals.redirect(request, address, error)
            cast(Any, request).error_code = problem.code
            refusals.tell(request, problem, refusals.typed(request))
            shown = shows(request, membership, *args, **kwargs)
            shown.status_code = problem.status
            return shown

    return tried


def _to_code_page(request: HttpRequest, needed: SecondFactorNeeded) -> HttpResponse:
    """Redirect a page view to where a code is entered, and back afterwards.

    What was posted is not done; a program gets the error.
    """
    asked = f"{reverse('accounts:enter_code')}?next={quote(request.get_full_path())}"
    if cast(Any, request).htmx and not cast(Any, request).htmx.boosted:
        refused = answer(request, problem_of(needed))
        refused.headers["HX-Redirect"] = reverse("accounts:enter_code")
        return refused
    if request.method in ("GET", "HEAD") and wants_html(request):
        return HttpResponseRedirect(asked)
    return answer(request, problem_of(needed))


def _is_told_in_place(problem: Problem) -> bool:
    return problem.status in TOLD_IN_PLACE or problem.code in GONE_ALREADY


def _remembering(view: View[P]) -> View[P]:
    """Have a page tell the refusal that led to it."""

    @wraps(view)
    def remembered(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        found = refusals.of(request)
        if found is not None:
            refusals.tell(request, found.problem, found.typed)
            # The page shows what it is now: what was typed may stand in no field.
            cast(Any, request).unsent = found.unsent
        return view(request, *args, **kwargs)

    return cast(View[P], remembered)


def _answering(view: View[P]) -> View[P]:
    @wraps(view)
    def answered(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        with seeing.seen(request):
            told = _told(view, request, *args, **kwargs)
            return seeing.drawn(request, told)

    return cast(View[P], answered)


def _told(
    view: View[P], request: HttpRequest, *args: P.args, **kwargs: P.kwargs
) -> HttpResponse:
    """Answer a view, or what it raises."""
    try:
        return view(request, *args, **kwargs)
    except SecondFactorNeeded as needed:
        return _to_code_page(request, needed)
    except PermissionDenied as denied:
        return _not_allowed(request, denied, kwargs.get("slug"))
    except DomainError as error:
        return answer(request, problem_of(error))


def _not_allowed(
    request: HttpRequest, denied: PermissionDenied, slug: Any
) -> HttpResponse:
    """Say to a colleague who has the role that is missing."""
    more: dict[str, Any] = {}
    required = denied.details.get("required")
    if slug and required and wants_html(request):
        names = who_may(
            user=user_of(request),
            slug=slug,
            permission=Permission(required),
            entry=entry_of(request),
        )
        more = {"slug": slug, "names": names[:SHOWN_MEMBERS]}
        more["has_more"] = len(names) > SHOWN_MEMBERS
    return answer(request, problem_of(denied), more)
