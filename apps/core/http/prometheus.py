"""`/metrics` for Prometheus: for whoever has the installation's token."""

from hmac import compare_digest

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.core.http.problems.fallbacks import answer
from apps.core.http.problems.problem import Problem
from apps.core.monitoring import exposition

REFUSED = Problem(
    code="authentication_failed",
    message="Send the token of STEPBACK_METRICS_TOKEN as `Authorization: Bearer …`.",
)


@login_not_required
@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """Tell the numbers of all projects; without a token set there is nothing here."""
    if not exposition.is_on():
        raise Http404
    if not _has_token(request):
        return answer(request, REFUSED)
    content, content_type = exposition.text(timezone.now())
    return HttpResponse(content, content_type=content_type)


def _has_token(request: HttpRequest) -> bool:
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    # Headers are latin-1 and bytes have no such limits; equal in time, not in length.
    expected = settings.METRICS_TOKEN.encode()
    is_it = compare_digest(given.strip().encode("utf-8", "replace"), expected)
    return is_it and kind.lower() == "bearer"
