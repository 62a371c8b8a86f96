"""A checkpoint handed to another agent: a descriptor that only this server can sign.

It says which version is meant and what that held; nothing is copied. Whoever adopts it
gets a fork, if the signature holds and the version still has that commitment.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.crypto import salted_hmac

from apps.core import json
from apps.core.json import Json
from apps.timeline.errors import HandoffNotVerified
from apps.timeline.queries import checkpoints
from apps.timeline.versions.reading import VersionRow

FORMAT = "stepback-handoff/1"
SALT = "stepback.handoff"


def descriptor(
    version: VersionRow, *, to_agent: str | None, now: datetime
) -> dict[str, Json]:
    """Return the signed descriptor of a version."""
    told: dict[str, Json] = {
        "format": FORMAT,
        "project_id": version.project_id,
        "session_id": version.session_id,
        "version": version.number,
        "checkpoint_id": checkpoints.name_of(version),
        "chain": version.chain.hex(),
        "commitment": version.commitment.hex(),
        "to_agent": to_agent,
        "issued_at": now.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    }
    return told | {"signature": _signature(told)}


def verified(given: Mapping[str, Any], *, project_id: str) -> tuple[str, int]:
    """Return the session and the version that a descriptor of ours names.

    Raises: HandoffNotVerified.
    """
    told = {name: value for name, value in given.items() if name != "signature"}
    signature = given.get("signature")
    is_ours = isinstance(signature, str) and hmac.compare_digest(
        signature.encode(), _signature(told).encode()
    )
    if not is_ours or told["format"] != FORMAT or told["project_id"] != project_id:
        raise HandoffNotVerified(param="handoff")
    return told["session_id"], told["version"]


def require_same(version: VersionRow, given: Mapping[str, Any]) -> None:
    """Raises: HandoffNotVerified unless the version is what it was when handed off."""
    same = (version.chain.hex(), version.commitment.hex())
    if (given["chain"], given["commitment"]) != same:
        raise HandoffNotVerified(param="handoff")


def _signature(told: Mapping[str, Any]) -> str:
    ordered = {name: told[name] for name in sorted(told)}
    return salted_hmac(SALT, json.dumps(ordered), algorithm="sha256").hexdigest()
