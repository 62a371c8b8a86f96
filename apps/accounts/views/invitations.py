"""Where an invitation is accepted: signed in, signing in, or as a newcomer.

Both forms are posted to the invitation's own address, so its token is in no other.
"""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from apps.accounts import operations as accounts
from apps.accounts.errors import AlreadyMember, LinkNotUsable, NameTaken
from apps.accounts.forms import NewcomerForm, SignInForm
from apps.accounts.models import Invitation, User
from apps.accounts.operations.invitations import usable_invitation
from apps.accounts.views.guessing import (
    count_name_for,
    count_try,
    told_when_held_back,
    user_with_password,
)
from apps.accounts.views.visits import let_in, may_be_somebody_else
from apps.core.errors import InvalidRequest

PAGE_METHODS = ["GET", "HEAD", "POST"]
KNOWN, NEW = "known", "new"


@login_not_required
@never_cache
@sensitive_post_parameters("known-password", "new-password", "new-again")
@require_http_methods(PAGE_METHODS)
@told_when_held_back
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Ask the holder of an invitation who they are; POST consumes it."""
    found = usable_invitation(token=token, now=timezone.now())
    if found is None:
        return _gone(request)
    if request.method != "POST":
        return _page(request, found)
    try:
        return _accepted(request, found, token)
    except LinkNotUsable:
        return _gone(request)


def _accepted(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    how = request.POST.get("how")
    if how == NEW:
        return _register(request, found, token)
    if how == KNOWN:
        return _sign_in(request, found, token)
    # Otherwise an administrator could prepare an account, and come in with it later.
    if not request.user.is_authenticated or may_be_somebody_else(request):
        return _page(request, found)
    return _join(request, found, token, request.user)


def _register(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    form = NewcomerForm(request.POST, prefix=NEW)
    if not form.is_valid():
        return _page(request, found, new=form)
    # The answer reveals which names are taken, so tries are limited: also for an
    # administrator who makes an invitation to find out.
    count_try(request)
    count_name_for(found.project)
    try:
        membership = accounts.accept_as_newcomer(
            token=token,
            username=form.cleaned_data["username"],
            password=form.cleaned_data["password"],
            now=timezone.now(),
            request_id=getattr(request, "request_id", ""),
        )
    except NameTaken:
        form.add_error("username", "This name is in use: choose another one.")
        return _page(request, found, new=form)
    except InvalidRequest as unfit:
        field = unfit.param if unfit.param in form.fields else None
        form.add_error(field, unfit.message)
        return _page(request, found, new=form)
    into = redirect("console:project", membership.project.slug)
    return let_in(request, into, membership.user)


def _sign_in(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    form = SignInForm(request.POST, prefix=KNOWN)
    if not form.is_valid():
        return _page(request, found, known=form)
    user = user_with_password(
        request,
        username=form.cleaned_data["username"].strip().lower(),
        password=form.cleaned_data["password"],
    )
    if user is None:
        form.add_error(None, "This user name and password do not belong together.")
        return _page(request, found, known=form)
    return _join(request, found, token, user)


def _join(
    request: HttpRequest, found: Invitation, token: str, user: User
) -> HttpResponse:
    into = redirect("console:project", found.project.slug)
    try:
        accounts.accept_invitation(
            token=token,
            user=user,
            now=timezone.now(),
            request_id=getattr(request, "request_id", ""),
        )
    except AlreadyMember:
        messages.info(
            request, "You are a member already: the invitation stays open for others."
        )
    # Joining ended the sessions from before, this one among them.
    return let_in(request, into, user)


def _page(
    request: HttpRequest,
    found: Invitation,
    *,
    known: SignInForm | None = None,
    new: NewcomerForm | None = None,
) -> HttpResponse:
    context = {
        "invitation": found,
        "known": known or SignInForm(prefix=KNOWN),
        "new": new or NewcomerForm(prefix=NEW),
        "must_say_who": may_be_somebody_else(request),
    }
    status = 422 if known or new else 200
    return render(request, "accounts/invitation.html", context, status=status)


def _gone(request: HttpRequest) -> HttpResponse:
    context = {"invitation": None}
    return render(request, "accounts/invitation.html", context, status=410)
