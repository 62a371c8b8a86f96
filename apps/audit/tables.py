"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, immutable, mutable

TABLES = {
    # Jobs record what they do: an end of a session's time, an alert, a webhook's end.
    "audit_event": immutable(worker="INSERT", retention=ALL),
    "audit_auditrecord": immutable(worker="INSERT", retention=ALL),
    "audit_outbox": mutable(web="INSERT", worker=ALL, retention="INSERT, DELETE"),
}
