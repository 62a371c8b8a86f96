"""One's own account: where one is signed in, and the second factor."""

from typing import Any, TypedDict, cast

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from apps.accounts import operations as accounts
from apps.accounts import second_factors
from apps.accounts.access import has_entered_code
from apps.accounts.errors import (
    SecondFactorNotFound,
    SecondFactorRefused,
    SecondFactorSetUp,
    SessionEnded,
)
from apps.accounts.forms import CodeForm, CurrentPasswordForm
from apps.accounts.models import Authenticator, BrowserSession, User
from apps.accounts.views.acting import acting
from apps.accounts.views.guessing import told_when_held_back, user_with_password
from apps.accounts.views.targets import safe_target
from apps.accounts.views.visits import code_entered, entry_of, own_account
from apps.core.provenance import Provenance

PAGE_METHODS = ["GET", "HEAD", "POST"]
QR_SCALE = 5


class Acting(TypedDict):
    """Whose account it is, and who acts: what every operation here asks for."""

    user: User
    act: Provenance


@never_cache
@require_safe
@own_account
def account(request: HttpRequest) -> HttpResponse:
    """Show where one is signed in, and the way to password and second factor."""
    user = _user(request)
    found = BrowserSession.objects.of_user(user.id).live(
        timezone.now(), idle=settings.SESSION_IDLE
    )
    context = {
        "sessions": list(found.for_account_page()),
        "here": request.session.session_key,
        "has_second_factor": second_factors.has_second_factor(user.id),
        "idle_hours": settings.SESSION_IDLE.total_seconds() / 3600,
    }
    return render(request, "accounts/account.html", context)


@require_POST
@own_account
def end_session(request: HttpRequest, public_id: str) -> HttpResponse:
    """Sign one browser out."""
    try:
        accounts.end_session(public_id=public_id, **_acting(request))
    except SessionEnded:
        messages.info(request, "That browser was signed out already.")
    else:
        messages.success(request, "That browser is signed out.")
    return redirect("accounts:account")


@require_POST
@own_account
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out everywhere, here too."""
    accounts.end_sessions(**_acting(request))
    logout(request)
    return redirect("accounts:sign_in")


@never_cache
@sensitive_post_parameters("current", "code")
@require_http_methods(PAGE_METHODS)
@own_account
@told_when_held_back
def second_factor(request: HttpRequest) -> HttpResponse:
    """Set up, renew or remove the second factor; what there is, changes by a code."""
    user = _user(request)
    has_one = second_factors.has_second_factor(user.id)
    if has_one and not has_entered_code(user, entry_of(request)):
        return _to_code_page(request)
    if request.method != "POST":
        return _second_factor_page(request)
    act = request.POST.get("act", "")
    try:
        return ACTS[act](request) if act in ACTS else _second_factor_page(request)
    except (SecondFactorNotFound, SecondFactorSetUp) as changed:
        # Another window did something else meanwhile.
        messages.error(request, changed.message)
        return redirect("accounts:second_factor")


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(PAGE_METHODS)
@told_when_held_back
def enter_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code of the second factor, then lead to where it was needed."""
    user, target = _user(request), safe_target(request)
    if not second_factors.has_second_factor(user.id):
        messages.info(
            request, "That project asks for a second factor: set one up first."
        )
        return redirect("accounts:second_factor")
    form = CodeForm(request.POST if request.method == "POST" else None)
    device = _device_of_code(request, user, form) if form.is_valid() else None
    if device is not None:
        code_entered(request, device)
        return redirect(target)
    context = {"form": form, "next": target}
    status = 422 if form.is_bound else 200
    return render(request, "accounts/enter_code.html", context, status=status)


def _device_of_code(
    request: HttpRequest, user: User, form: CodeForm
) -> Authenticator | None:
    try:
        return accounts.check_second_factor(
            user=user,
            code=form.cleaned_data["code"],
            now=timezone.now(),
            request_id=getattr(request, "request_id", ""),
        )
    except SecondFactorRefused as refused:
        form.add_error("code", refused.message)
        return None


def _begin(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    form = CurrentPasswordForm(request.POST, needs_current=user.has_usable_password())
    if not form.is_valid():
        return _second_factor_page(request, current=form)
    # A browser that somebody left open must not be enough to lock its owner out.
    if form.needs_current and not _knows(request, user, form.cleaned_data["current"]):
        form.add_error("current", "This is not your password.")
        return _second_factor_page(request, current=form)
    accounts.begin_second_factor(**_acting(request))
    return redirect("accounts:second_factor")


def _confirm(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST)
    if not form.is_valid():
        return _second_factor_page(request, code=form)
    try:
        device, codes = accounts.confirm_second_factor(
            code=form.cleaned_data["code"], **_acting(request)
        )
    except SecondFactorRefused as refused:
        form.add_error("code", refused.message)
        return _second_factor_page(request, code=form)
    code_entered(request, device)
    return _codes_page(request, codes, is_new=True)


def _renew_codes(request: HttpRequest) -> HttpResponse:
    codes = accounts.make_recovery_codes(**_acting(request))
    return _codes_page(request, codes, is_new=False)


def _remove(request: HttpRequest) -> HttpResponse:
    accounts.remove_second_factor(**_acting(request))
    messages.success(request, "Your second factor is removed.")
    return redirect("accounts:account")


ACTS = {"begin": _begin, "confirm": _confirm, "codes": _renew_codes, "remove": _remove}


def _second_factor_page(
    request: HttpRequest,
    *,
    current: CurrentPasswordForm | None = None,
    code: CodeForm | None = None,
) -> HttpResponse:
    user = _user(request)
    has_one = second_factors.has_second_factor(user.id)
    device = None if has_one else second_factors.device_of(user, confirmed=False)
    context: dict[str, Any] = {
        "has_one": has_one,
        "codes_left": second_factors.codes_left(user),
        "current": current
        or CurrentPasswordForm(needs_current=user.has_usable_password()),
        "code": code or CodeForm(),
        "device": device,
    }
    if device is not None:
        context |= {"qr": _qr(device), "secret": _typed(device)}
    status = 422 if current or code else 200
    return render(request, "accounts/second_factor.html", context, status=status)


def _qr(device: Authenticator) -> str:
    """Return the picture as an address of its own: an image, no markup of the page."""
    made = segno.make(device.config_url, error="m", micro=False)
    return str(made.svg_data_uri(scale=QR_SCALE, light="#fff", dark="#000"))


def _typed(device: Authenticator) -> str:
    """Return the secret as authenticators take it from a keyboard."""
    secret = device.typed_secret
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def _codes_page(
    request: HttpRequest, codes: list[str], *, is_new: bool
) -> HttpResponse:
    context = {"codes": codes, "is_new": is_new}
    return render(request, "accounts/recovery_codes.html", context)


def _to_code_page(request: HttpRequest) -> HttpResponse:
    here = redirect("accounts:enter_code")
    here.headers["Location"] += f"?next={request.path}"
    return here


def _knows(request: HttpRequest, user: User, current: str) -> bool:
    found = user_with_password(request, username=user.username, password=current)
    return found is not None and found.pk == user.pk


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


def _acting(request: HttpRequest) -> Acting:
    return {"user": _user(request), "act": acting(request)}
