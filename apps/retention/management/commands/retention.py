"""manage.py retention: what `up` runs beside the worker; with `--once` by hand."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.roles.names import Role
from apps.retention.sweeping import count_previews, never, sweep
from apps.retention.sweeping.process import Process
from apps.timeline.hooks.keeping import do_urgent


class Command(AccountsCommand):
    role = Role.RETENTION
    help = (
        "Remove what enabled policies let go, every hour, and whom erasures name, at "
        "once, until SIGTERM."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="one sweep, now, and no process"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["once"]:
            Process().run()
            return
        urgent = do_urgent(timezone.now(), never)
        previews = count_previews()
        steps = sweep(now=timezone.now())
        self.stdout.write(
            f"{urgent:,} erasures done, {previews:,} previews counted, "
            f"{steps:,} steps done."
        )
