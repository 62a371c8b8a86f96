"""The table of all cases, by kind."""

from __future__ import annotations

from apps.core.errors import InvalidRequest
from apps.plans.cases.case import Case
from apps.plans.cases.exports import EXPORT
from apps.plans.cases.holds import HOLD, RESUME
from apps.plans.cases.labels import LABEL, UNLABEL
from apps.plans.cases.migrations import MIGRATE
from apps.plans.cases.reviews import REVIEW, UNREVIEW
from apps.plans.cases.rollbacks import ROLLBACK, UNROLLBACK

# Those that can be asked for; the others are undos of these.
OFFERED = (HOLD, RESUME, LABEL, REVIEW, EXPORT, MIGRATE, ROLLBACK)
CASES = {case.kind: case for case in (*OFFERED, UNLABEL, UNREVIEW, UNROLLBACK)}


def case_of(kind: str) -> Case:
    """Return the case that can be asked for by this kind.

    Raises: InvalidRequest.
    """
    offered = {case.kind: case for case in OFFERED}
    if kind not in offered:
        raise InvalidRequest(f"kind takes {', '.join(offered)}.", param="kind")
    return offered[kind]
