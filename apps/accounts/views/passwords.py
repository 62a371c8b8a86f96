"""Where people choose a password: after losing theirs, or for another one.

A link is consumed by POST alone, and only by a password that is accepted. Whoever is
signed in tells the old password first; guessing it there counts as guessing at the
sign-in page does.
"""

from typing import cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from apps.accounts import operations as accounts
from apps.accounts.errors import LinkNotUsable
from apps.accounts.forms import ChangePasswordForm, NewPasswordForm
from apps.accounts.models import Purpose, SigninLink, User
from apps.accounts.operations.links import usable_link
from apps.accounts.views.acting import acting
from apps.accounts.views.guessing import told_when_held_back, user_with_password
from apps.accounts.views.signing import PAGE_METHODS
from apps.accounts.views.visits import let_in, own_account
from apps.core.errors import InvalidRequest


@login_not_required
@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(PAGE_METHODS)
@told_when_held_back
def password_link(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whoever holds a link for a password; POST consumes it and signs in."""
    link = usable_link(token=token, purpose=Purpose.PASSWORD_RESET, now=timezone.now())
    if link is None:
        return _link_page(request, None, None)
    form = NewPasswordForm(request.POST if request.method == "POST" else None)
    user = _user_of_link(request, token, form) if form.is_valid() else None
    if user is None:
        return _link_page(request, link, form)
    return let_in(request, redirect("console:project", link.project.slug), user)


@never_cache
@sensitive_post_parameters("current", "password", "again")
@require_http_methods(PAGE_METHODS)
@own_account
@told_when_held_back
def password(request: HttpRequest) -> HttpResponse:
    """Let whoever is signed in choose another password, here and nowhere else."""
    user = cast(User, request.user)
    has_one = user.has_usable_password()
    data = request.POST if request.method == "POST" else None
    form = ChangePasswordForm(data, needs_current=has_one)
    if form.is_valid() and _is_changed(request, user, form):
        messages.success(request, "Your password is changed.")
        return redirect("console:home")
    return render(
        request,
        "accounts/password.html",
        {"form": form, "has_one": has_one},
        status=422 if form.is_bound else 200,
    )


def _is_changed(request: HttpRequest, user: User, form: ChangePasswordForm) -> bool:
    """Do what a valid form asks for, or tell the form why not."""
    if form.needs_current and not _knows(request, user, form.cleaned_data["current"]):
        form.add_error("current", "This is not your password.")
        return False
    try:
        changed = accounts.change_password(
            user=user,
            password=form.cleaned_data["password"],
            act=acting(request),
            keep_session=request.session.session_key,
        )
    except InvalidRequest as weak:
        form.add_error("password", weak.message)
        return False
    # This browser stays signed in; the user's others are signed out.
    update_session_auth_hash(request, changed)
    return True


def _knows(request: HttpRequest, user: User, current: str) -> bool:
    found = user_with_password(request, username=user.username, password=current)
    return found is not None and found.pk == user.pk


def _user_of_link(
    request: HttpRequest, token: str, form: NewPasswordForm
) -> User | None:
    """Consume the link, or tell the form why not."""
    try:
        return accounts.use_password_link(
            token=token,
            password=form.cleaned_data["password"],
            now=timezone.now(),
            request_id=getattr(request, "request_id", ""),
        )
    except InvalidRequest as weak:
        form.add_error("password", weak.message)
    except LinkNotUsable as used:
        form.add_error(None, used.message)
    return None


def _link_page(
    request: HttpRequest, link: SigninLink | None, form: NewPasswordForm | None
) -> HttpResponse:
    context = {"link": link, "form": form}
    status = 410 if form is None else 422 if form.is_bound else 200
    return render(request, "accounts/password_link.html", context, status=status)
