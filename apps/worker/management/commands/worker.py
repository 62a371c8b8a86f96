"""manage.py worker: what `up` runs beside the web server, alone."""

from typing import Any

from apps.accounts.management.command import AccountsCommand
from apps.core.roles.names import Role
from apps.worker import running


class Command(AccountsCommand):
    role = Role.WORKER
    help = "Do what is due, until SIGTERM; several workers share the work."

    def handle(self, *args: Any, **options: Any) -> None:
        running.run()
