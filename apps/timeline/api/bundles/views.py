"""`POST /v1/sessions/{id}/bundle`: a session to be replayed without a server."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Semaphore
from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.request import Request

from apps.accounts.access import Permission
from apps.accounts.errors import UnacceptableMask
from apps.accounts.masks import MOST, Mask, Style, mask_of
from apps.core.errors import Busy, InvalidRequest
from apps.core.http.input.fields import InputSerializer, ListField, WholeNumberField
from apps.core.http.openapi.schema import errors
from apps.timeline.api import examples
from apps.timeline.api.base import TimelineView
from apps.timeline.api.bundles.lines import Bundle

LINES = "application/x-ndjson"
# Bundles that a process makes at once: each keeps a thread for as long as it is read.
AT_ONCE = 2
RETRY_SECONDS = 10
_PLACES = Semaphore(AT_ONCE)


@extend_schema_field({"type": "array", "items": {"type": "string"}, "maxItems": MOST})
class PointersField(ListField):
    """A list of pointers."""


class BundleInput(InputSerializer):
    """How far a bundle goes, and what it does not show."""

    version = WholeNumberField(
        min_value=0, help_text="The last version; unset: the head."
    )
    masks = PointersField(
        help_text="Pointers of what is hidden, at its place and wherever a copy of it "
        "stands; `*` for one member, `**` for any depth. What the project masks is "
        "hidden as well."
    )

    def added(self) -> list[Mask]:
        """Return the masks that are added.

        Raises: InvalidRequest.
        """
        said = self.validated_data.get("masks") or []
        if len(said) > MOST:
            raise InvalidRequest(f"There are at most {MOST} masks.", param="masks")
        return [_added(one, f"masks[{at}]") for at, one in enumerate(said)]


def _added(pointer: Any, at: str) -> Mask:
    """Raises: InvalidRequest."""
    try:
        return mask_of({"pointer": pointer, "style": Style.HIDE.value}, at)
    except UnacceptableMask as fault:
        raise InvalidRequest(fault.message, param=at) from fault


class BundleView(TimelineView):
    """A session with its effects, masked."""

    required_scope = Permission.READ  # a POST, but it only reads
    sends_files = True

    @extend_schema(
        operation_id="read_bundle",
        request=BundleInput,
        examples=examples.BUNDLE,
        responses={
            (200, LINES): OpenApiTypes.BINARY,
            **errors(400, 401, 403, 404, 410, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request, session_id: str) -> HttpResponse:
        """Read a session whole, to be replayed without a server.

        A line for each version, turn and effect (`stepback-trajectory/1`), then what
        was said, and a trailer with the digest of all lines before it.
        """
        asked = self.read(BundleInput)
        added = asked.added()
        last = self.version(session_id, asked.validated_data.get("version"))
        made = Bundle(
            project=self.scope.project,
            session=self.session(session_id),
            last=last,
            masks=added,
            now=self.now,
        )
        pieces = _in_a_place(made)
        next(pieces)
        sent: Any = StreamingHttpResponse(
            pieces,
            content_type=LINES,
            headers={
                "Content-Disposition": f'attachment; filename="{session_id}.jsonl"'
            },
        )
        return cast(HttpResponse, sent)


def _in_a_place(made: Bundle) -> Iterator[bytes]:
    """Yield nothing once it is known what to hide, then the lines.

    The place is free again when they were read, or when nobody wants them any more.

    Raises: Busy, ContentTooLarge.
    """
    if not _PLACES.acquire(blocking=False):
        raise Busy(
            "Other bundles are being made. Retry shortly.", retry_after=RETRY_SECONDS
        )
    try:
        lines = made.lines()
        yield b""
        yield from lines
    finally:
        _PLACES.release()
