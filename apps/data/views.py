"""Files of exports, opened by a signed link and no key."""

from typing import Any, cast

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from apps.core.errors import DomainError
from apps.core.http.problems.exceptions import problem_of
from apps.core.http.problems.fallbacks import answer
from apps.core.http.spreadsheets import FILE_HEADERS
from apps.data import operations as data
from apps.data.audit.files import SUFFIXES, TYPES, pieces
from apps.data.models import ExportFormat


@csrf_exempt  # another method is refused as what it is
@login_not_required
@require_GET
def audit_file(request: HttpRequest, token: str) -> HttpResponse:
    """Send the file that a link opens; each download is recorded."""
    try:
        export = data.opened_export(token=token, now=timezone.now())
    except DomainError as refused:
        return answer(request, problem_of(refused))
    form = ExportFormat(export.format)
    name = f"{export.stream_id}-audit-{export.id}.{SUFFIXES[form]}"
    sent: Any = StreamingHttpResponse(
        pieces(export),
        content_type=TYPES[form],
        headers=FILE_HEADERS
        | {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )
    return cast(HttpResponse, sent)
