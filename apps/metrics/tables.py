"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, derived, mutable

TABLES = {
    "metrics_sum": derived(),
    "metrics_reach": derived(),
    "metrics_usage": derived(),
    "metrics_worked": derived(),
    "metrics_revision": derived(),
    "metrics_due": derived(),
    "metrics_rule": mutable(worker=ALL),
    "metrics_givenrules": mutable(web="INSERT, UPDATE", worker="INSERT, UPDATE"),
    "metrics_summaryreader": mutable(),
    "metrics_weektold": mutable(web=None, worker="INSERT, UPDATE"),
    "metrics_summarymail": mutable(web="DELETE", worker=ALL),
}
