"""manage.py roots: the verifier key and the signed notes; says that it went back."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.notes import keys
from apps.core.notes.folder import Folder
from apps.core.roles.names import Role
from apps.witness import going_back
from apps.witness.signing import REFUSED


class Command(AccountsCommand):
    role = Role.WORKER
    help = (
        "Show the key by which signed notes are verified, and where the notes are; or "
        "sign that the database was put back by other means than restore."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--make-key",
            action="store_true",
            help="make a signing key in the data folder, where there is none",
        )
        what.add_argument(
            "--went-back",
            metavar="WHY",
            help="sign that the database went back, before anybody writes to it again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["make_key"]:
                keys.made_keys()
            if options["went_back"]:
                self._go_back(options["went_back"])
            self._show()
        except REFUSED as refused:
            raise CommandError(str(refused)) from refused

    def _go_back(self, why: str) -> None:
        signed = going_back.went_back(why=why, now=timezone.now())
        if signed is None:
            raise CommandError("There is no signing key here.")
        self.stdout.write(
            f"Signed in note {signed.first_note:,}: {signed.heads:,} heads went back."
        )
        if signed.contradicting:
            self.stdout.write(
                f"{signed.contradicting:,} chains contradict their signatures "
                "otherwise, and are not signed: manage.py verify names them."
            )

    def _show(self) -> None:
        known = keys.verifier_keys()
        if not known:
            self.stdout.write("No signatures: there is no key (--make-key makes one).")
            return
        for key in known:
            self.stdout.write(f"Verifier key: {key}")
        path = keys.roots_path()
        newest = Folder(path).newest()
        self.stdout.write(f"Notes: {newest:,}, in {path}")
