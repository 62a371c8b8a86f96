"""What approvals keep of a session, and which versions they need."""

from apps.approvals.models import Undecided
from apps.timeline.hooks.keeping import PINS, SESSIONS, Leavings

# Its rows name the session's, so they go before it.
SESSIONS["approvals"] = (
    Leavings(what="approvals", table="approvals_undecided"),
    Leavings(what="approvals", table="approvals_vote"),
    Leavings(what="approvals", table="approvals_approval"),
)


def open_approvals(session_id: str) -> dict[int, str]:
    """Return the versions that somebody is still to decide about."""
    undecided = Undecided.objects.filter(session_id=session_id)
    return dict.fromkeys(undecided.values_list("number", flat=True), "approval open")


PINS["approvals"] = open_approvals
