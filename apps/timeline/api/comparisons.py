"""What differs between any two versions that the caller may see, where two sessions
parted, and whether a version is as a check says.

A list of changes is cut where it is long; a patch never is, because a part of one makes
a state that never was. Its size is bounded by the two states and the differences that
a comparison tells apart.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from orjson import Fragment
from rest_framework.request import Request
from rest_framework.response import Response

from apps.checks import (
    Check,
    Verdict,
    evaluate,
    names_before,
    pointers_of,
    write_text,
)
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.diffs.changes import MISSING, Change, Comparison
from apps.diffs.compare import compare
from apps.diffs.patch import to_patch
from apps.diffs.summary import summary
from apps.timeline.api import outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.checking.asked import HOLDS, check_in_query
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.queries.divergence import Divergence, find_divergence
from apps.timeline.stepping import ComparedSteps, Step, StepSide, Window, compare_steps
from apps.timeline.stepping import First as FirstDifference
from apps.timeline.versions import reading

MAX_CHANGES = 2_000
FORMATS = ("list", "patch")


class ChangesView(TimelineView):
    """What differs between two versions, of one session or of two."""

    @extend_schema(
        operation_id="list_changes",
        parameters=[
            OpenApiParameter("from", int, required=True, description="A version."),
            OpenApiParameter("to", int, description="A version; the head if unset."),
            parameters.text("other", "The session that `to` is a version of."),
            OpenApiParameter(
                "format",
                str,
                enum=FORMATS,
                default="list",
                description="patch: all of it as RFC 6902, never cut.",
            ),
        ],
        responses={
            200: PolymorphicProxySerializer(
                "Changes",
                [outputs.ChangeList, outputs.Patch],
                resource_type_field_name=None,
            ),
            **READ_ERRORS,
        },
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the changes from one version to another, in either direction."""
        bounds = {"minimum": -(2**31), "maximum": 2**53}
        start = paging.integer_of(request, "from", **bounds)
        if start is None:
            raise InvalidRequest("from takes a version number.", param="from")
        stop = paging.integer_of(request, "to", **bounds)
        other_id = paging.text_of(request, "other")
        is_patch = _is_patch(request)
        old = self.version(session_id, start)
        new = self.version(session_id if other_id is None else other_id, stop)
        found = compare(*reading.parsed_pair(old, new))
        compared = {
            "object": "patch" if is_patch else "change_list",
            "session_id": session_id,
            "from_version": old.number,
            "to_session_id": new.session_id,
            "to_version": new.number,
        }
        return Response(compared | (_patch(found) if is_patch else change_list(found)))


class DivergenceView(TimelineView):
    """Where two sessions parted."""

    @extend_schema(
        operation_id="read_divergence",
        parameters=[
            parameters.text("other", "A session; if unset, what this is a fork of.")
        ],
        responses={200: outputs.Divergence, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell the last version that both share, following forks of forks.

        A fork shares its original up to the version it was made from. The changes
        from that version to either head tell what each has done since, and
        `first_differences` in which of their steps they first differ.
        """
        other_id = paging.text_of(request, "other")
        found = find_divergence(self.scope, session_id, other_id, now=self.now)
        return Response(_divergence_object(found, self._steps(found)))

    def _steps(self, found: Divergence) -> ComparedSteps | None:
        """Compare the steps of both; without another session there is nothing to."""
        if found.other_session_id is None:
            return None
        one = other = self.session(found.session_id)
        if found.other_session_id != one.id:
            other = self.session(found.other_session_id)
        return compare_steps(
            StepSide(session=one, end=one.head_number),
            StepSide(session=other, end=other.head_number),
            found,
        )


class CheckView(TimelineView):
    """A check on one version of a session."""

    @extend_schema(
        operation_id="check_version",
        parameters=[
            OpenApiParameter(
                "check",
                str,
                required=True,
                description=(
                    "In one line, such as state.total<=1500 AND NOT "
                    "state.destination=null, or as JSON."
                ),
            ),
            OpenApiParameter(
                "version", int, description="The head if unset; -1 the one before."
            ),
        ],
        responses={200: outputs.Checked, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Tell whether a check holds for a version's state.

        A check that would have to look at more than a million values is undecided.
        """
        check = check_in_query(request)
        number = paging.integer_of(request, "version", minimum=-(2**31), maximum=2**53)
        version = self.version(session_id, number)
        verdict = self._verdict(version, check)
        return Response(_checked_object(version, check, verdict))

    def _verdict(self, version: reading.VersionRow, check: Check) -> Verdict:
        """Evaluate a check; `was` is the number before, set aside or not."""
        if not names_before(check) or version.number == 0:
            return evaluate(check, reading.parsed(version))
        before = self.version(version.session_id, version.number - 1)
        state, was = reading.parsed_pair(version, before)
        return evaluate(check, state, before=was)


def _checked_object(
    version: reading.VersionRow, check: Check, verdict: Verdict
) -> dict[str, Any]:
    return {
        "object": "check",
        "session_id": version.session_id,
        "version": version.number,
        "check": write_text(check),
        "pointers": list(pointers_of(check)),
        "outcome": verdict.outcome.value,
        "holds": HOLDS[verdict.outcome],
        "looks": verdict.looks,
    }


def _is_patch(request: Request) -> bool:
    given = paging.text_of(request, "format")
    if given is not None and given not in FORMATS:
        raise InvalidRequest("format takes list or patch.", param="format")
    return given == "patch"


def change_list(found: Comparison) -> dict[str, Any]:
    """Return the first changes, how many there are, and a sentence."""
    return {
        "changes": [_change(change) for change in found.changes[:MAX_CHANGES]],
        "change_count": len(found),
        "truncated": found.truncated or len(found) > MAX_CHANGES,
        "summary": summary(found),
    }


def _patch(found: Comparison) -> dict[str, Any]:
    return {"patch": Fragment(json.dumps(to_patch(found)))}


def _divergence_object(
    found: Divergence, steps: ComparedSteps | None
) -> dict[str, Any]:
    common = found.common
    windows = steps.windows if steps else (None, None)
    return {
        "object": "divergence",
        "session_id": found.session_id,
        "other_session_id": found.other_session_id,
        "common_session_id": common.session_id if common else None,
        "common_version": common.number if common else None,
        "versions_since": common.since if common else None,
        "other_versions_since": common.other_since if common else None,
        "reason": found.reason,
        "first_differences": [_first(one) for one in steps.firsts] if steps else [],
        "steps_read": _steps_read(windows[0]),
        "other_steps_read": _steps_read(windows[1]),
    }


def _first(found: FirstDifference) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "pointer": found.row.place,
        "step": _step_place(found.row.left),
        "other_step": _step_place(found.row.right),
    }


def _step_place(step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {
        "version": step.number,
        "op": step.version and step.version.op,
        "tool": step.call if step.version is None else None,
        "set_aside": step.set_aside_by is not None,
    }


def _steps_read(window: Window | None) -> dict[str, Any] | None:
    if window is None:
        return None
    return {
        "from_version": window.first,
        "to_version": window.last,
        "is_all": window.is_all,
    }


def _change(change: Change) -> dict[str, Any]:
    shown: dict[str, Any] = {"pointer": change.pointer, "kind": change.kind.value}
    for side in ("before", "after"):
        value = getattr(change, side)
        if value is not MISSING:
            shown[side] = Fragment(json.dumps(value))
    if change.from_pointer is not None:
        shown["from_pointer"] = change.from_pointer
    return shown
