"""`/v1/sessions/{id}/verify`: recompute what the ledger claims, part by part."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.admission import work
from apps.core.paging import integer_of, limit_of
from apps.core.roles.protection import protection
from apps.timeline.api import shapes
from apps.timeline.api.base import TimelineView
from apps.timeline.api.outputs.common import Output, maybe_number, text
from apps.timeline.api.outputs.signatures import SignaturesVerdict, signatures_verdict
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.verification import (
    Finding,
    Kind,
    Limits,
    Report,
    Signatures,
    verify_session,
    verify_signatures,
)

DEFAULT_VERSIONS = 500
MAXIMUM_VERSIONS = 1_000


class FirstInvalid(Output):
    """The first thing that does not hold."""

    version = maybe_number("Null when it is about the session as a whole.")
    kind = serializers.ChoiceField(choices=[(kind.value, kind.name) for kind in Kind])
    message = text()


class DerivedVerdict(Output):
    """Whether what was derived from the states still follows from them."""

    valid = serializers.BooleanField()
    findings = serializers.IntegerField()
    first_invalid = FirstInvalid(allow_null=True)


class Verification(Output):
    """The verdict on a session, or on the part of it that was asked for."""

    object = text()
    session_id = text()
    valid = serializers.BooleanField(
        help_text="Whether the proof of these versions holds, and no signature "
        "contradicts it."
    )
    versions_checked = serializers.IntegerField()
    bodies_checked = serializers.IntegerField()
    last_version = maybe_number("Where the next part begins: give it as `after`.")
    has_more = serializers.BooleanField(help_text="Whether versions are left.")
    chain_start = text(
        "The chain value before the first of these versions, hex: it must be the "
        "`chain_end` of the part before, or of the version that was forked."
    )
    chain_end = text("The chain value of the last of these versions, hex.")
    findings = serializers.IntegerField(help_text="How many things do not hold.")
    first_invalid = FirstInvalid(allow_null=True)
    derived = DerivedVerdict(
        help_text="Changes, flags, sizes and lists: no part of the proof."
    )
    signatures = SignaturesVerdict()
    protection = text(
        "What keeps the server that answers from rewriting history: its database role "
        "and triggers, or triggers alone."
    )
    verified_at = serializers.DateTimeField()


class VerifyView(TimelineView):
    """The proof of a session's history."""

    @extend_schema(
        operation_id="verify_session",
        parameters=[
            OpenApiParameter(
                "after",
                int,
                description="A version: verify what follows it; else from the first.",
            ),
            OpenApiParameter(
                "limit",
                {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAXIMUM_VERSIONS,
                    "default": DEFAULT_VERSIONS,
                },
                description="How many versions at most. A page ends before where they "
                "take more than about a second: go on while `has_more`.",
            ),
        ],
        responses={200: Verification, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Recompute chains, leaves and commitments; go on while `has_more`."""
        limits = Limits(
            after=integer_of(request, "after", minimum=0, maximum=2**53),
            versions=limit_of(request, DEFAULT_VERSIONS, MAXIMUM_VERSIONS),
            work=work.PAGE,
        )
        head = self.version(session_id, None)
        report = verify_session(head.session_id, limits)
        signed = verify_signatures(head.session_id, now=self.now)
        asked = {
            "signatures": signatures_verdict(signed),
            "protection": protection(),
            "verified_at": shapes.moment(self.now),
        }
        return Response(_verification(report, signed) | asked)


def _verification(report: Report, signed: Signatures) -> dict[str, Any]:
    first = report.first_broken or signed.finding
    return {
        "object": "verification",
        "session_id": report.session_id,
        "valid": first is None,
        "versions_checked": report.versions,
        "bodies_checked": report.bodies,
        "last_version": report.last_number,
        "has_more": report.has_more,
        "chain_start": report.chain_start.hex(),
        "chain_end": report.chain_end.hex(),
        "findings": report.broken + (signed.finding is not None),
        "first_invalid": _finding(first),
        "derived": {
            "valid": report.first_derived is None,
            "findings": report.derived,
            "first_invalid": _finding(report.first_derived),
        },
    }


def _finding(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    return {
        "version": finding.number,
        "kind": finding.kind.value,
        "message": finding.sentence,
    }
