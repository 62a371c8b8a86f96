"""The page of components: each once, to be photographed; in debug only."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console.pages.drawings import samples
from apps.console.views.requests.decorators import page


@page
def components(request: HttpRequest) -> HttpResponse:
    """Show every component once."""
    if not settings.DEBUG:
        raise Http404("The page of components is there in debug only.")
    context = samples.context(timezone.now())
    return render(request, "console/components.html", context)
