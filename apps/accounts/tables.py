"""The classes of this app's tables, from which grants follow; see `core.roles`.

With them those of Django's accounts, of second factors, and of what counts wrong
passwords: requests alone need them.
"""

from apps.core.roles.declared import mutable

# The worker forgets what is over: it finds such rows, and locks them, by these columns,
# and does not read what they hold.
_OVER = "SELECT (session_key, expire_date), UPDATE (expire_date), DELETE"
_ANSWERED = "SELECT (project_id, key, status, created_at), UPDATE (status), DELETE"

TABLES = {
    # Who adds a first member, or changes a setting, locks the project.
    "accounts_project": mutable(
        web="INSERT, UPDATE (needs_second_factor, handling, floor, search_by_meaning, "
        "needs_rollback_reason, data_key, masks)",
        retention="",
    ),
    # The worker acts for people: whether they still may, it asks here.
    "accounts_user": mutable(web="INSERT, UPDATE", worker="SELECT (id, is_active)"),
    # `verify` compares both with their records, as the worker. Of a key's secret there
    # is a digest of 256 random bits, which opens nothing.
    "accounts_membership": mutable(),
    "accounts_apikey": mutable(web="INSERT, UPDATE"),
    "accounts_signinlink": mutable(web="INSERT, UPDATE", worker=None),
    "accounts_invitation": mutable(web="INSERT, UPDATE", worker=None),
    "accounts_recoverycode": mutable(worker=None),
    "accounts_browsersession": mutable(worker=_OVER),
    # Who begins a session of a person makes their key, and locks it meanwhile.
    "accounts_datakey": mutable(
        web="INSERT, UPDATE (wrapped, outer_id, retired_at)",
        retention="UPDATE (sweep, swept_at)",
    ),
    "accounts_subjectkey": mutable(
        web="INSERT, UPDATE (data_key_number, wrapped)",
        retention="INSERT, UPDATE (data_key_number), DELETE",
    ),
    "accounts_savedview": mutable(retention="DELETE"),
    "accounts_storedanswer": mutable(worker=_ANSWERED, retention="DELETE"),
    "auth_group": mutable(web="", worker=None),
    "auth_group_permissions": mutable(web="", worker=None),
    "auth_permission": mutable(web="", worker=None),
    "django_content_type": mutable(web="", worker=None),
    "otp_totp_totpdevice": mutable(worker=None),
    "axes_accessattempt": mutable(worker=None),
    "axes_accessattemptexpiration": mutable(worker=None),
    "axes_accessfailurelog": mutable(worker=None),
    "axes_accesslog": mutable(worker=None),
}
