"""Who belongs to the project, and how they get in: changed by administrators.

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
from apps.accounts.errors import InvitationNotFound, UserNotFound
from apps.accounts.models import (
    Invitation,
    Membership,
    Purpose,
    Role,
    SigninLink,
    User,
)
from apps.accounts.second_factors import members_with_second_factor
from apps.accounts.views.acting import acting
from apps.console.forms.project import (
    InviteForm,
    RoleForm,
    RollbackReasonForm,
    SecondFactorForm,
    UnmaskedForm,
)
from apps.console.views.requests.decorators import act, entered, page
from apps.core.errors import InvalidRequest


@page
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members and, for administrators, what can be done about them."""
    return _page(request, entered(request, slug))


def members_shown(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Return the list of members for an act on one of them that was refused."""
    return _page(request, membership)


def project_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the list of members for an act on the project that was refused."""
    return _page(request, membership)


@act(Permission.ADMIN)
def invite(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make an invitation, which names nobody, and show its link once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, form=form, status=422)
    try:
        made, token = accounts.invite(
            project=membership.project,
            role=Role(form.cleaned_data["role"]),
            act=acting(request),
        )
    except InvalidRequest as refused:
        form.add_error(None, refused.message)
        return _page(request, membership, form=form, status=422)
    context = {
        "membership": membership,
        "purpose": "invitation",
        "role": made.get_role_display(),
        "expires_at": made.expires_at,
        "url": _address(request, "invitation", token),
    }
    return render(request, "console/member_link.html", context)


@act(Permission.ADMIN)
def withdraw(
    request: HttpRequest, membership: Membership, invitation_id: str
) -> HttpResponse:
    """Make an invitation useless that nobody has accepted yet."""
    try:
        accounts.withdraw_invitation(
            project=membership.project,
            invitation_id=invitation_id,
            act=acting(request),
        )
    except InvitationNotFound as gone:
        if not _is_of(membership, invitation_id):
            raise
        messages.info(request, f"{gone.message} It was accepted, or is over.")
    else:
        messages.success(request, "The invitation is withdrawn.")
    return redirect("console:members", membership.project.slug)


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
        project=membership.project, user=user, role=role, act=acting(request)
    )
    messages.success(request, f"{user.username} is now {role.label.lower()}.")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=members_shown)
def remove(request: HttpRequest, membership: Membership, user_id: str) -> HttpResponse:
    """Take a member out; what they did stays recorded."""
    user = _member(membership, user_id)
    accounts.remove_member(project=membership.project, user=user, act=acting(request))
    messages.success(request, f"{user.username} is no longer a member.")
    if user.id == membership.user_id:
        return redirect("console:home")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=members_shown)
def allow_unmasked(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Let an operator read what masks cover, or no longer."""
    form = UnmaskedForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("Say on or off.", param="is_allowed")
    user = _member(membership, user_id)
    is_allowed = form.cleaned_data["is_allowed"] == "on"
    accounts.allow_unmasked(
        project=membership.project,
        user=user,
        is_allowed=is_allowed,
        act=acting(request),
    )
    reads = "reads" if is_allowed else "no longer reads"
    messages.success(request, f"{user.username} {reads} what masks cover.")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=members_shown)
def signin_link(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Make a link that signs a member in, and show it once."""
    user = _member(membership, user_id)
    link, token = accounts.make_signin_link(
        project=membership.project, user=user, act=acting(request)
    )
    return _link_page(request, membership, link, token)


@act(Permission.ADMIN, shows=members_shown)
def password_link(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Make a link by which a member chooses a new password, and show it once."""
    user = _member(membership, user_id)
    link, token = accounts.make_password_link(
        project=membership.project, user=user, act=acting(request)
    )
    return _link_page(request, membership, link, token)


@act(Permission.ADMIN, shows=members_shown)
def reset_second_factor(
    request: HttpRequest, membership: Membership, user_id: str
) -> HttpResponse:
    """Take away the second factor of a member who has lost it."""
    user = _member(membership, user_id)
    accounts.reset_second_factor(
        project=membership.project, user=user, act=acting(request)
    )
    messages.success(
        request, f"{user.username} has no second factor now, and sets up another."
    )
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=project_shown)
def require_second_factor(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Have the project ask its members for a second factor, or no longer."""
    form = SecondFactorForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("Say on or off.", param="is_required")
    project = accounts.require_second_factor(
        project=membership.project,
        is_required=form.cleaned_data["is_required"] == "on",
        act=acting(request),
    )
    does = "asks" if project.needs_second_factor else "no longer asks"
    messages.success(request, f"{project.name} {does} for a second factor.")
    return redirect("console:members", membership.project.slug)


@act(Permission.ADMIN, shows=project_shown)
def require_rollback_reason(
    request: HttpRequest, membership: Membership
) -> HttpResponse:
    """Have rollbacks of the project say why, or no longer."""
    form = RollbackReasonForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("Say on or off.", param="is_required")
    project = accounts.require_rollback_reason(
        project=membership.project,
        is_required=form.cleaned_data["is_required"] == "on",
        act=acting(request),
    )
    needs = "needs" if project.needs_rollback_reason else "no longer needs"
    messages.success(request, f"A rollback in {project.name} {needs} a reason.")
    return redirect("console:members", membership.project.slug)


def _member(membership: Membership, user_id: str) -> User:
    found = Membership.objects.in_project(membership.project_id).of_user(user_id)
    member = found.select_related("user").first()
    if member is None:
        raise UserNotFound("There is no such member of this project.")
    return member.user


def _is_of(membership: Membership, invitation_id: str) -> bool:
    found = Invitation.objects.in_project(membership.project_id)
    return found.filter(id=invitation_id).exists()


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    form: InviteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    found = Membership.objects.in_project(membership.project_id).for_members_page()
    is_admin = may(membership, Permission.ADMIN, membership.project)
    context: dict[str, Any] = {
        "membership": membership,
        "members": found,
        "is_admin": is_admin,
        "roles": Role,
        "form": form or InviteForm(),
    }
    if is_admin:
        invitations = Invitation.objects.in_project(membership.project_id)
        context |= {
            "invitations": invitations.open(timezone.now()).order_by("id"),
            "with_second_factor": members_with_second_factor(membership.project),
        }
    return render(request, "console/members.html", context, status=status)


def _link_page(
    request: HttpRequest,
    membership: Membership,
    link: SigninLink,
    token: str,
) -> HttpResponse:
    name = "signin_link" if link.purpose == Purpose.SIGN_IN else "password_link"
    context: dict[str, Any] = {
        "membership": membership,
        "invited": link.user,
        "purpose": link.purpose,
        "is_limited": link.is_limited,
        "expires_at": link.expires_at,
        "url": _address(request, name, token),
    }
    return render(request, "console/member_link.html", context)


def _address(request: HttpRequest, name: str, token: str) -> str:
    return request.build_absolute_uri(reverse(f"accounts:{name}", args=[token]))
