"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import derived, immutable, mutable

TABLES = {
    # The worker asks for more where a budget of an agent is reached.
    "approvals_approval": immutable(worker="INSERT"),
    # The worker says what time did.
    "approvals_vote": immutable(worker="INSERT"),
    "approvals_undecided": derived(web="INSERT, UPDATE, DELETE"),
    "approvals_approvalrule": mutable(web="INSERT, DELETE"),
}
