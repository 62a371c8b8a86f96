"""What approvals keep of a session, for an erasure."""

from apps.timeline.hooks.erasing import SESSIONS, Leavings

SESSIONS["approvals"] = (
    Leavings(what="approvals", table="approvals_undecided"),
    Leavings(what="approvals", table="approvals_vote"),
    Leavings(what="approvals", table="approvals_approval"),
)
