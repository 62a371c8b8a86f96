"""What viewers are not shown: the project's masks, and a sample to try them on."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts import masks
from apps.accounts import operations as accounts
from apps.accounts.access import Permission
from apps.accounts.masks import Mask
from apps.accounts.models import Membership
from apps.accounts.views.acting import acting
from apps.console.forms.administration.masks import (
    STYLES,
    WHAT,
    MaskForm,
    RemoveForm,
    SampleForm,
)
from apps.console.views.requests.acts import valid
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.core import json
from apps.timeline.masking import MaskedReader


@form(Permission.ADMIN)
def project_masks(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show the masks; by POST what they leave of a sample, which is not kept."""
    if request.method != "POST":
        return _page(request, membership)
    asked = SampleForm(request.POST)
    if not asked.is_valid():
        return _page(request, membership, sample=asked, status=422)
    left = MaskedReader(membership.project).held(asked.cleaned_data["sample"])
    return _page(request, membership, sample=asked, left=left)


@act(Permission.ADMIN)
def add_mask(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Add a mask; what it cannot be is said at its field."""
    asked = MaskForm(request.POST)
    if not asked.is_valid():
        return _page(request, membership, adding=asked, status=422)
    accounts.add_mask(act=acting(request), project=membership.project, mask=asked.mask)
    messages.success(request, "The mask counts from the next request on.")
    return _to_page(membership)


@act(Permission.ADMIN)
def remove_mask(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Take a mask away; twice is no error."""
    mask = valid(RemoveForm(request.POST))["mask"]
    accounts.remove_mask(act=acting(request), project=membership.project, mask=mask)
    messages.success(request, "The mask is gone: what it covered is shown.")
    return _to_page(membership)


def _to_page(membership: Membership) -> HttpResponse:
    return SeeOther(reverse("console:masks", args=[membership.project.slug]))


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    adding: MaskForm | None = None,
    sample: SampleForm | None = None,
    left: str | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "membership": membership,
        "masks": [_row(one) for one in masks.stored(membership.project.masks)],
        "form": adding or MaskForm(),
        "sample": sample or SampleForm(),
        "left": left,
    }
    return render(request, "console/masks.html", context, status=status)


def _row(mask: Mask) -> dict[str, Any]:
    return {
        "what": "" if mask.pattern is None else WHAT[mask.pattern],
        "pointer": mask.pointer,
        "words": mask.words,
        "style": STYLES[mask.style],
        "said": json.dumps(mask.said()).decode(),
    }
