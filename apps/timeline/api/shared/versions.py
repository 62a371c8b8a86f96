"""`/v1/shared/{name}/versions`: the history of a shared document."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.timeline.api import outputs, parameters, shapes
from apps.timeline.api.parameters import whole_number
from apps.timeline.api.shared.base import NAME, READ_ERRORS, SharedView
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.lineage import live_ranges, set_aside_by


class SharedVersions(SharedView):
    """The history of a shared document."""

    @extend_schema(
        operation_id="list_shared_versions",
        parameters=[
            NAME,
            parameters.limit(20),
            parameters.order("desc"),
            OpenApiParameter("starting_after", int, description="A version number."),
        ],
        responses={200: outputs.VersionList, **READ_ERRORS},
    )
    def get(self, request: Request, name: str) -> Response:
        """List versions, newest first unless asked otherwise."""
        limit = paging.limit_of(request)
        after = paging.integer_of(request, "starting_after", minimum=-1, maximum=2**53)
        head = self.newest()
        found = fetching.versions_of(
            head.session_id,
            newest_first=parameters.newest_first(request, default=True),
            after=after,
            limit=limit,
        )
        lowest = min((version.number for version in found), default=head.number)
        ranges = live_ranges(head.session_id, head.number, down_to=lowest)
        shown = [
            shapes.version_object(version, [])
            | {"set_aside_by": set_aside_by(ranges, version.number)}
            for version in found
        ]
        page = paging.page(shown, limit, lambda item: str(item["version"]))
        return Response(page | {"current_version": head.number, "removed": []})


class SharedVersion(SharedView):
    """One version of a shared document."""

    @extend_schema(
        operation_id="read_shared_version",
        parameters=[NAME],
        responses={200: outputs.Version, **READ_ERRORS},
    )
    def get(self, request: Request, name: str, number: str) -> Response:
        """Read a version with its state; -1 is the one before the newest."""
        version = self.newest(whole_number(number, "version"))
        newest = fetching.newest_number(version.session_id) or 0
        ranges = live_ranges(version.session_id, newest, down_to=version.number)
        return Response(
            shapes.version_object(version, [], reading.state(version))
            | {"set_aside_by": set_aside_by(ranges, version.number)}
        )
