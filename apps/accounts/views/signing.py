"""The pages where people sign in and out; all work without JavaScript.

Passwords are tried at one door (`guessing.py`), which also holds guessing back. A
sign-in link is consumed by POST alone, because mail scanners and chat previews follow
every GET.
"""

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import operations as accounts
from apps.accounts.errors import LinkNotUsable
from apps.accounts.forms import SignInForm
from apps.accounts.models import Purpose
from apps.accounts.operations.links import usable_link
from apps.accounts.views.guessing import told_when_held_back, user_with_password
from apps.accounts.views.targets import (
    forget_target,
    leads_into,
    remember_target,
    safe_target,
    stated_target,
)
from apps.accounts.views.unsent import carried, led_back, read_unsent
from apps.accounts.views.visits import let_in

PAGE_METHODS = ["GET", "HEAD", "POST"]


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(PAGE_METHODS)
@told_when_held_back
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for user name and password; a wrong pair is answered 422, in one sentence."""
    target = safe_target(request)
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(target)
        page = _sign_in_page(request, SignInForm(), status=200)
        return remember_target(request, page)
    form = SignInForm(request.POST)
    if not form.is_valid():
        return _sign_in_page(request, form, status=422)
    user = user_with_password(
        request,
        username=form.cleaned_data["username"].strip().lower(),
        password=form.cleaned_data["password"],
    )
    if user is None:
        form.add_error(None, "This user name and password do not belong together.")
        return _sign_in_page(request, form, status=422)
    # A session of somebody else's ends with it: what waits there is of who came in.
    leading = forget_target(HttpResponseRedirect(target))
    let_in(request, leading, user)
    leading["Location"] = led_back(request, target, read_unsent(request))
    return leading


@login_not_required
@never_cache
@require_http_methods(PAGE_METHODS)
def signin_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button; pressing it consumes the link and signs in.

    It leads to the page that was asked for before, as signing in by password does; a
    link for one project only into that one.
    """
    if request.method != "POST":
        found = usable_link(token=token, purpose=Purpose.SIGN_IN, now=timezone.now())
        return _link_page(request, is_usable=found is not None)
    try:
        link = accounts.use_signin_link(
            token=token,
            now=timezone.now(),
            request_id=getattr(request, "request_id", ""),
        )
    except LinkNotUsable:
        return _link_page(request, is_usable=False)
    only = link.project if link.is_limited else None
    target = safe_target(request)
    if only is not None and not leads_into(target, only.slug):
        target = resolve_url(settings.LOGIN_REDIRECT_URL)
    leading = forget_target(HttpResponseRedirect(target))
    return let_in(request, leading, link.user, only=only, by_link=True)


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session; by POST, so that no other page's image can do it."""
    logout(request)
    return redirect("accounts:sign_in")


def _sign_in_page(
    request: HttpRequest, form: SignInForm, *, status: int
) -> HttpResponse:
    context = {
        "form": form,
        "next": stated_target(request),
        **carried(read_unsent(request)),
    }
    return render(request, "accounts/sign_in.html", context, status=status)


def _link_page(request: HttpRequest, *, is_usable: bool) -> HttpResponse:
    context = {"is_usable": is_usable, "next": safe_target(request)}
    status = 200 if is_usable else 410
    return render(request, "accounts/signin_link.html", context, status=status)
