"""manage.py encrypt: has a project's data encrypted, and says what is not."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import AccountsCommand, chosen_project
from apps.accounts.models import DataKey, Project

# Of contents; ids, names, times, sizes, flags and labels always stay.
IN_CLEAR = (
    "titles and metadata of sessions, notes, reviews, scores and summaries",
    "arguments and results of effects, and of calls that wait for approval",
    "pending writes of checkpointers, memories' words, tags, vectors and questions",
    "keys and vectors of agents' data, what is said of their checkpoints",
    "searches that were saved or planned, what is written on incidents",
    "what surveys and experiments look for",
    "vectors of states from before",
    "answers kept for a repeated request (24 hours), and messages of webhooks",
    "files in the store of objects, archives of plans and exports",
    "digests of single values, which who has the database may guess at",
)


class Command(AccountsCommand):
    help = (
        "Encrypt states, turns, reasoning and agents' data of a project: what is "
        "written from now on at once, what is stored by the process that removes. "
        "Said again, it tells how far that is. It cannot be taken back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, help="slug of the project")
        parser.add_argument(
            "--accept-clear",
            action="store_true",
            help="begin, although what is named stays in clear",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        if project.data_key is not None:
            self._tell(project)
            return
        self.stdout.write("What will still stand in clear:")
        for one in IN_CLEAR:
            self.stdout.write(f"  {one}")
        if not options["accept_clear"]:
            raise CommandError(
                "Nothing was done. Read docs/encryption.md, then say --accept-clear."
            )
        accounts.encrypt_project(act=self.act("encrypt"), project=project)
        self.stdout.write(
            f"{project.slug} encrypts what is written: every process knows it within "
            "30 seconds. What is stored already, manage.py retention seals; up runs it."
        )

    def _tell(self, project: Project) -> None:
        key = DataKey.objects.get(project_id=project.id, number=project.data_key or 0)
        since = f"{key.made_at:%Y-%m-%d %H:%M} UTC"
        told = f"{project.slug} encrypts since {since}, wrapped by {key.outer_id}. "
        if key.swept_at is not None:
            told += f"All that was older is sealed ({key.swept_at:%Y-%m-%d %H:%M} UTC)."
        elif key.sweep.get("after"):
            told += (
                f"What is older is being sealed, up to session {key.sweep['after']}."
            )
        else:
            told += "What is older waits for the next pass."
        self.stdout.write(told)
