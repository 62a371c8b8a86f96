"""manage.py rotate_keys: wraps all data keys with the first key of STEPBACK_KEYS."""

from typing import Any

from apps.accounts import operations as accounts
from apps.accounts.management.command import AccountsCommand


class Command(AccountsCommand):
    help = (
        "Wrap the data keys of all projects with the first key of STEPBACK_KEYS; what "
        "is encrypted with them is not touched. When it is done, the other keys of "
        "STEPBACK_KEYS are needed by no database, but by backups from before."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = accounts.rotate_keys(act=self.act("rotate_keys"))
        self.stdout.write(f"{done:,} data keys wrapped anew.")
