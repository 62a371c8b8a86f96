"""The server's settings, given at every start so that the data folder holds none.

No state value may reach the log: no statements, no parameters, no details of errors
(a broken constraint quotes the row). Errors of the application's own roles are left
out altogether, see `roles`: their very message can quote a value.
"""

import sys

from apps.core.postgres.locate import SUPERUSER, Location

MAX_CONNECTIONS = 100


def initdb_arguments(*, durable: bool) -> list[str]:
    """Return how a cluster is made.

    Letter case and character classes are PostgreSQL's own C.UTF-8, the same on every
    system. Durable clusters are synced once, by initdb itself, when all is written.
    """
    ctype = "C.UTF-8" if sys.platform == "linux" else "UTF-8"
    arguments = [
        f"--username={SUPERUSER}",
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        f"--lc-ctype={ctype}",
        "--data-checksums",
        # Nobody gets in before there are passwords, see `access`.
        "--auth-local=reject",
        "--auth-host=reject",
    ]
    return arguments if durable else [*arguments, "--no-sync"]


def server_arguments(location: Location, *, durable: bool) -> list[str]:
    """Return the server's command line after the program's name."""
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": _quoted(str(location.socket_dir)),
        "unix_socket_permissions": "0700",
        "max_connections": str(MAX_CONNECTIONS),
        "timezone": "UTC",
        # A checkpoint writes a file of its own for these, and ends the server (PANIC)
        # where the disk is full; without them only a log that cannot grow does.
        "max_active_replication_origins": "0",
        **_logging(location),
    }
    if not durable:
        settings |= {
            "fsync": "off",
            "full_page_writes": "off",
            "synchronous_commit": "off",
        }
    return [word for item in settings.items() for word in ("-c", "=".join(item))]


def _logging(location: Location) -> dict[str, str]:
    return {
        "logging_collector": "on",
        "log_directory": str(location.log_dir),
        "log_filename": "postgresql-%a.log",
        "log_truncate_on_rotation": "on",
        "log_rotation_age": "1d",
        "log_rotation_size": "0",
        "log_timezone": "UTC",
        "log_min_messages": "warning",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_statement": "none",
        "log_min_duration_statement": "-1",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
    }


def _quoted(folder: str) -> str:
    """Quote one element of a list setting."""
    return '"' + folder.replace('"', '""') + '"'
