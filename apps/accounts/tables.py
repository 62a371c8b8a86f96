"""The classes of this app's tables, from which grants follow; see `core.roles`.

With them those of Django's accounts and sessions, and of what counts wrong passwords:
requests alone need them.
"""

from apps.core.roles.declared import ALL, mutable

TABLES = {
    # Columns that a row lock takes: a project's name is all that could change.
    "accounts_project": mutable(web="INSERT, UPDATE (name)"),
    "accounts_user": mutable(web="INSERT, UPDATE"),
    "accounts_membership": mutable(),
    "accounts_apikey": mutable(web="INSERT, UPDATE", worker=None),
    "accounts_signinlink": mutable(web="INSERT, UPDATE", worker=None),
    "accounts_savedview": mutable(worker=None),
    "accounts_storedanswer": mutable(worker="UPDATE (status), DELETE"),
    "auth_group": mutable(web="", worker=None),
    "auth_group_permissions": mutable(web="", worker=None),
    "auth_permission": mutable(web="", worker=None),
    "django_content_type": mutable(web="", worker=None),
    "django_session": mutable(web=ALL, worker=None),
    "axes_accessattempt": mutable(worker=None),
    "axes_accessattemptexpiration": mutable(worker=None),
    "axes_accessfailurelog": mutable(worker=None),
    "axes_accesslog": mutable(worker=None),
}
