"""manage.py erase: goes on with what is to be erased, as the retention role."""

from typing import Any

from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.roles.names import Role
from apps.erasures import running
from apps.erasures.models import Erasure


class Command(AccountsCommand):
    role = Role.RETENTION
    help = (
        "Go on with the erasures that were begun, until each is done or a legal hold "
        "keeps it; what was cut short is taken up where it was."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = running.sweep(now=timezone.now())
        left = Erasure.objects.running().count()
        self.stdout.write(f"Done: {done:,}; not over yet: {left:,}.")
