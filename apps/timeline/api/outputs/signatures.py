"""What the API tells of signatures: up to where a session stands on them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.core.time.moments import utc_text
from apps.timeline.api.outputs.common import Output, maybe_number, text
from apps.timeline.verification import Signatures, SignatureStatus


class SignedTo(Output):
    """The last signature over this session's history."""

    version = maybe_number("Null where the note says that the session was gone.")
    note = serializers.IntegerField(help_text="The number of the note.")
    at = serializers.DateTimeField()
    went_back = text(
        "Why the note says that the database was put back; null in all others.",
        allow_null=True,
    )


class SignaturesVerdict(Output):
    """Notes outside the database, signed by the worker: see docs/notes.md."""

    status = serializers.ChoiceField(
        choices=[(status.value, status.name) for status in SignatureStatus],
        help_text="`none`: the installation signs nothing. `unsigned`: no signature "
        "covers this session yet. `unread`: nothing is known of them at this moment. "
        "`broken`: `valid` is false for it.",
    )
    signed_to = SignedTo(allow_null=True)
    unsigned_from = maybe_number(
        "The first version that stands on the unkeyed chain alone."
    )
    message = text()
    verifier_keys = serializers.ListField(
        child=text(),
        help_text="The public keys that are believed, as C2SP writes them. Compare "
        "them with what `manage.py roots` printed on the machine that signs.",
    )


def signatures_verdict(found: Signatures) -> dict[str, Any]:
    signed = found.signed_to
    return {
        "status": found.status.value,
        "signed_to": signed
        and {
            "version": signed.head.number,
            "note": signed.note,
            "at": utc_text(signed.at),
            "went_back": signed.went_back,
        },
        "unsigned_from": found.unsigned_from,
        "message": found.message,
        "verifier_keys": list(found.keys),
    }
