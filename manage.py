#!/usr/bin/env python
"""Run Stepback's commands: `manage.py up` starts everything."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from apps.core.postgres.errors import ClusterError
from apps.core.processes import memory, unasked


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    _name_data_dir(sys.argv)
    unasked.keep_out()
    memory.begin_loading()
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except (ImproperlyConfigured, ClusterError) as error:
        # Settings are read before a command can catch anything.
        sys.exit(f"{type(error).__name__}: {error}")


def _name_data_dir(arguments: list[str]) -> None:
    """Export `--data-dir` before settings are read: they say where the database is."""
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--data-dir":
            value = value or "".join(arguments[place + 1 : place + 2])
            os.environ["STEPBACK_DATA_DIR"] = value


if __name__ == "__main__":
    main()
