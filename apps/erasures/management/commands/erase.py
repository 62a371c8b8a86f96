"""manage.py erase: goes on with what is to be erased, as the retention role."""

from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.roles.names import Role
from apps.erasures import reapplying, running
from apps.erasures.errors import CertificateRefused
from apps.erasures.models import Erasure


class Command(AccountsCommand):
    role = Role.RETENTION
    help = (
        "Go on with the erasures that were begun, until each is done or a legal hold "
        "keeps it; what was cut short is taken up where it was. In a database that was "
        "put back whoever the journal says is erased is erased again, first."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if reapplying.is_behind():
                again = reapplying.reapply(now=timezone.now())
                self.stdout.write(f"Applied from the journal: {again.applied:,}.")
        except CertificateRefused as refused:
            raise CommandError(str(refused)) from refused
        done = running.sweep(now=timezone.now())
        left = Erasure.objects.running().count()
        self.stdout.write(f"Done: {done:,}; not over yet: {left:,}.")
