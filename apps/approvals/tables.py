"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import derived, immutable, mutable

TABLES = {
    "approvals_approval": immutable(),
    # The worker says what time did.
    "approvals_vote": immutable(worker="INSERT"),
    "approvals_undecided": derived(web="INSERT, UPDATE, DELETE"),
    "approvals_approvalrule": mutable(web="INSERT, DELETE"),
}
