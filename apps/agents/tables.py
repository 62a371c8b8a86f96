"""The classes of this app's tables, from which grants follow; see `core.roles`."""

from apps.core.roles.declared import mutable

TABLES = {"agents_agent": mutable(web="INSERT, UPDATE")}
