"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import ALL, mutable

TABLES = {
    "webhooks_feed": mutable(web="INSERT, UPDATE", worker="INSERT, UPDATE"),
    "webhooks_subscription": mutable(worker="UPDATE"),
    "webhooks_message": mutable(web="INSERT", worker=ALL, retention="DELETE"),
    "webhooks_delivery": mutable(worker=ALL, retention="DELETE"),
    "webhooks_lane": mutable(worker=ALL, retention="DELETE"),
}
