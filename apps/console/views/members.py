"""Who belongs to the project: seen by all of them, changed by administrators.

A link that lets somebody in is shown once, on the page that made it.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import Permission, may
from apps.accounts.errors import UserNotFound
from apps.accounts.models import Membership, Purpose, Role, User
from apps.accounts.operations.links import LIFETIMES
from apps.console.forms import InviteForm, RoleForm
from apps.console.views.entering import act, acting, entered, page
from apps.core.errors import DomainError, InvalidRequest


@page
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members and, for administrators, what can be done about them."""
    return _page(request, entered(request, slug))


def members_shown(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Return the list of members for an act on one of them that was refused."""
    return _page(request, membership)


@act(Permission.ADMIN)
def invite(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Let somebody in by their user name; a newcomer's link is shown once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, form=form, status=422)
    try:
        made, token = accounts.invite(
            project=membership.project,
            username=form.cleaned_data["username"],
            role=Role(form.cleaned_data["role"]),
            **acting(request),
        )
    except DomainError as refused:
        form.add_error("username", refused.message)
        return _page(request, membership, form=form, status=422)
    if token is None:
        messages.success(
            request,
            f"{made.user.username} is now {made.get_role_display().lower()}; they "
            "have an account and sign in as before.",
        )
        return redirect("console:members", membership.project.slug)
    return _link_page(request, membership, made.user, Purpose.INVITATION, token)


@act(Permission.ADMIN, shows=members_shown)
def change_role(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Give a member another role; to have it already is no error."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("There is no such role.", param="role")
    user = _member(membership, user_id)
    role = Role(form.cleaned_data["role"])
    accounts.change_role(
        project=membership.project, user=user, role=role, **acting(request)
    )
    messages.success(request, f"{user.username} is now {role.label.lower()}.")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=members_shown)
def remove(request: HttpRequest, membership: Membership, user_id: str) -> HttpResponse:
    """Take a member out; what they did stays recorded."""
    user = _member(membership, user_id)
    accounts.remove_member(project=membership.project, user=user, **acting(request))
    messages.success(request, f"{user.username} is no longer a member.")
    if user.id == membership.user_id:
        return redirect("console:home")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=members_shown)
def signin_link(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Make a link that signs a member in, and show it once."""
    user = _member(membership, user_id)
    _, token = accounts.make_signin_link(
        project=membership.project, user=user, **acting(request)
    )
    return _link_page(request, membership, user, Purpose.SIGN_IN, token)


@act(Permission.ADMIN, shows=members_shown)
def password_link(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Make a link by which a member chooses a new password, and show it once."""
    user = _member(membership, user_id)
    _, token = accounts.make_password_link(
        project=membership.project, user=user, **acting(request)
    )
    return _link_page(request, membership, user, Purpose.PASSWORD_RESET, token)


def _member(membership: Membership, user_id: str) -> User:
    found = Membership.objects.in_project(membership.project_id).of_user(user_id)
    member = found.select_related("user").first()
    if member is None:
        raise UserNotFound("There is no such member of this project.")
    return member.user


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    form: InviteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    found = Membership.objects.in_project(membership.project_id).for_members_page()
    context = {
        "membership": membership,
        "members": found,
        "is_admin": may(membership, Permission.ADMIN, membership.project),
        "roles": Role,
        "form": form or InviteForm(),
    }
    return render(request, "console/members.html", context, status=status)


def _link_page(
    request: HttpRequest,
    membership: Membership,
    user: User,
    purpose: Purpose,
    token: str,
) -> HttpResponse:
    name = "signin_link" if purpose is Purpose.SIGN_IN else "password_link"
    context: dict[str, Any] = {
        "membership": membership,
        "invited": user,
        "purpose": purpose.value,
        "expires_at": timezone.now() + LIFETIMES[purpose],
        "url": request.build_absolute_uri(reverse(f"accounts:{name}", args=[token])),
    }
    return render(request, "console/member_link.html", context)
