"""A project's floor: policies that hold for all its agents, whatever configs say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.core import json
from apps.core.provenance import Provenance
from apps.data.documents.values import require_size
from apps.data.policies import parse_policies

# Every request of a key reads it with the project.
MAX_FLOOR_BYTES = 16 * 1024


def set_floor(
    *,
    act: Provenance,
    project: Project,
    policies: Mapping[str, Any],
    seen: str | None = None,
) -> Project:
    """Set the policies below which no agent's config leads, from the next request on.

    Configs stay as they are, and those that say less are still accepted: of each policy
    the stricter holds. Setting what is set already is not recorded. `seen` is the floor
    as it was shown (`floor_as_shown`).

    Raises: InvalidPolicy, ContentTooLarge; FloorChanged where it is another by now.
    """
    raw = json.dumps(dict(policies))
    require_size(len(raw), MAX_FLOOR_BYTES, "floor", param="policies")
    parse_policies(policies, at="/policies")
    return accounts.set_floor(act=act, project=project, floor=raw.decode(), seen=seen)
