"""`/v1/sessions/{id}/verify`: recompute what the ledger claims, part by part."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.comparing import compare
from apps.core.admission import work
from apps.core.paging import integer_of, limit_of
from apps.core.roles.protection import protection
from apps.core.time.moments import utc_text
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
    TurnReport,
    verify_session,
    verify_signatures,
)

DEFAULT_VERSIONS = 500
MAXIMUM_VERSIONS = 1_000
# Of each kind: 0.1 s, if each is a note of 10,000 characters.
MOST_ROWS = 1_000


class FirstInvalid(Output):
    """The first thing that does not hold."""

    version = maybe_number("Null when it is about a turn, or the session as a whole.")
    turn = maybe_number("The number of the turn that it is about, if it is.")
    kind = serializers.ChoiceField(choices=[(kind.value, kind.name) for kind in Kind])
    message = text()


class TurnsVerdict(Output):
    """How far the turns were verified, which follow the versions."""

    turns_checked = serializers.IntegerField()
    unchained = serializers.IntegerField(
        help_text="How many of these came before there was a chain of turns: nothing "
        "proves what they say."
    )
    last_turn = serializers.IntegerField(
        help_text="Where the next part begins: give it as `after_turn`. 0 before the "
        "first turn."
    )
    chain_start = text("As that of the versions: the chain before the first of these.")
    chain_end = text("The chain value of the last of these turns, hex.")


class DerivedVerdict(Output):
    """Whether what was derived from the states still follows from them."""

    valid = serializers.BooleanField()
    findings = serializers.IntegerField()
    first_invalid = FirstInvalid(allow_null=True)


class FirstDifference(Output):
    """The first row that is not as its record says."""

    resource = text()
    message = text()


class RecordsVerdict(Output):
    """Whether labels, notes and metadata are what the records of acts say."""

    valid = serializers.BooleanField()
    rows_checked = serializers.IntegerField()
    recorded_before = serializers.IntegerField(
        help_text="How many of them were written before records covered them."
    )
    has_more = serializers.BooleanField(
        help_text=f"Whether there are others: at most {MOST_ROWS:,} of each kind are "
        "looked at. `manage.py verify` looks at all."
    )
    findings = serializers.IntegerField()
    first_invalid = FirstDifference(allow_null=True)


class Verification(Output):
    """The verdict on a session, or on the part of it that was asked for."""

    object = text()
    session_id = text()
    valid = serializers.BooleanField(
        help_text="Whether the proof of these versions and turns holds, and no "
        "signature contradicts it."
    )
    versions_checked = serializers.IntegerField()
    bodies_checked = serializers.IntegerField()
    last_version = maybe_number("Where the next part begins: give it as `after`.")
    has_more = serializers.BooleanField(help_text="Whether versions or turns are left.")
    chain_start = text(
        "The chain value before the first of these versions, hex: it must be the "
        "`chain_end` of the part before, or of the version that was forked."
    )
    chain_end = text("The chain value of the last of these versions, hex.")
    turns = TurnsVerdict()
    findings = serializers.IntegerField(help_text="How many things do not hold.")
    first_invalid = FirstInvalid(allow_null=True)
    derived = DerivedVerdict(
        help_text="Changes, flags, sizes and lists: no part of the proof."
    )
    records = RecordsVerdict(
        allow_null=True,
        help_text="Of the session's labels, notes and metadata, which are no part of "
        "the proof: of the metadata once it was changed, as a session begins without "
        "a record. Null while `has_more`: the last part tells.",
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
                "after_turn",
                int,
                description="The number of a turn: verify the turns that follow it, "
                "once no version is left; else from the first.",
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
                "and their turns take more than about a second: go on while "
                "`has_more`, with `after` and `after_turn`.",
            ),
        ],
        responses={200: Verification, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Recompute chains, leaves and commitments; go on while `has_more`."""
        limits = Limits(
            after=integer_of(request, "after", minimum=0, maximum=2**53),
            after_turn=integer_of(request, "after_turn", minimum=0, maximum=2**53),
            versions=limit_of(request, DEFAULT_VERSIONS, MAXIMUM_VERSIONS),
            work=work.PAGE,
        )
        head = self.version(session_id, None)
        report = verify_session(head.session_id, limits)
        signed = verify_signatures(head.session_id, now=self.now)
        asked = {
            "records": None if report.has_more else self._records(head.session_id),
            "signatures": signatures_verdict(signed),
            "protection": protection(),
            "verified_at": utc_text(self.now),
        }
        return Response(_verification(report, signed) | asked)

    def _records(self, session_id: str) -> dict[str, Any]:
        project = self.scope.project
        found = compare(
            project_id=project.id,
            secret=project.index_key,
            session_id=session_id,
            limit=MOST_ROWS,
        )
        first = found.first[0] if found.first else None
        return {
            "valid": first is None,
            "rows_checked": found.rows,
            "recorded_before": found.recorded_before,
            "has_more": found.has_more,
            "findings": found.findings,
            "first_invalid": first
            and {"resource": first.resource, "message": first.sentence},
        }


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
        "turns": _turns(report.turns),
        "findings": report.broken + (signed.finding is not None),
        "first_invalid": _finding(first),
        "derived": {
            "valid": report.first_derived is None,
            "findings": report.derived,
            "first_invalid": _finding(report.first_derived),
        },
    }


def _turns(report: TurnReport) -> dict[str, Any]:
    return {
        "turns_checked": report.count,
        "unchained": report.unchained,
        "last_turn": report.last_number,
        "chain_start": report.chain_start.hex(),
        "chain_end": report.chain_end.hex(),
    }


def _finding(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    return {
        "version": finding.number,
        "turn": finding.turn,
        "kind": finding.kind.value,
        "message": finding.sentence,
    }
