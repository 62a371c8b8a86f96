"""manage.py verify: recomputes histories and audit chains, names what is broken."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import project_called
from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.comparing import Comparison, Tally
from apps.core.errors import Busy, DomainError
from apps.core.notes.errors import KeyRefused
from apps.core.roles.logins import weaknesses
from apps.core.roles.names import Role
from apps.core.roles.protection import notice
from apps.timeline import hooks, words
from apps.timeline.bodies import CorruptBody
from apps.timeline.errors import SessionNotFound
from apps.timeline.management.against import (
    add_witness,
    differences,
    witnessed_against,
)
from apps.timeline.management.certificates import add_certificate, verify_certificate
from apps.timeline.management.saying import (
    NO_SIGNATURES,
    note_problems,
    said_of_rows,
    said_of_signatures,
    said_of_the_gravest,
)
from apps.timeline.management.sessions import SessionsCommand, histories
from apps.timeline.management.signed import contradictions, session_ids
from apps.timeline.models import Session
from apps.timeline.search import rebuild
from apps.timeline.verification import (
    Finding,
    verify_session,
    verify_signatures,
    without_document,
)
from apps.timeline.verification.signed.witnessed import Witnessed, witnessed

# What the ids of keyed documents begin with; some have a record of their own.
DOCUMENT = "doc_"
SECONDS_BETWEEN_LINES = 5
NAMED = 20


class Command(SessionsCommand):
    # What search reads is compared by making it anew, and taking that back.
    role = Role.WORKER
    help = (
        "Verify the history of a session, of a project, or of everything, and the "
        "chained record of what people did, and hold both against the signed notes. "
        "Exits 1 if something does not hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--search",
            action="store_true",
            help="also compare what search reads with what follows from states and "
            "texts; each session is locked while it is looked at",
        )

        add_witness(parser)
        add_certificate(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["certificate"] or options["user"]:
            verify_certificate(options["certificate"], options["user"])
            self.stdout.write(
                "The certificate holds: nothing of it is in the database."
            )
            return
        self._against, self._keys = options["against"], options["key"] or []
        if bool(self._against) != bool(self._keys) or (
            self._against and options["session"]
        ):
            raise CommandError("--against and --key go together, without --session.")
        self._sessions = self._versions = self._bodies = self._records = 0
        self._erased = 0
        self._turns = self._unchained = 0
        self._rows = Tally()
        self._broken: list[str] = []
        self._changed: list[str] = []
        self._derived: list[str] = []
        self._unread: list[str] = []
        self._said_at = monotonic()
        self._compares_search = options["search"]
        self._uncompared = 0
        if options["session"]:
            self._verify_session(options["session"])
            self._compare_rows_of(options["session"])
            self._verify_signatures_of(options["session"])
        else:
            self._verify_projects(options["project"])
            self._verify_signatures(options["project"])
        self._conclude()

    def _verify_projects(self, slug: str | None) -> None:
        if slug is None:
            projects = list(Project.objects.order_by("slug"))
            self._verify_record(audit.INSTALLATION, "the installation")
        else:
            projects = [project_called(slug)]
        for project in projects:
            self._verify_record(project.id, f"project {project.slug}")
            for agent_id in Agent.objects.of_project(project.id).ids():
                self._verify_record(agent_id, f"agent {agent_id}")
                self._compare_beside(project, agent_id)
            self._compare_rows(project)
            for gone in without_document(project):
                self._name(self._broken, gone)
            for session_id in session_ids(project.id):
                self._verify_if_there(session_id)
                if session_id.startswith(DOCUMENT):
                    self._verify_record(session_id, f"document {session_id}")
        if slug is None:
            self._verify_homeless()

    def _verify_homeless(self) -> None:
        """Verify sessions whose project is none: its leaves will tell."""
        known = Project.objects.values("id")
        homeless = histories().exclude(project_id__in=known)
        for session_id in list(homeless.values_list("id", flat=True)):
            self._verify_if_there(session_id)

    def _verify_if_there(self, session_id: str) -> None:
        """Verify a history that was listed; a removal may have taken it since.

        Where its store or its keys are away, the others are verified all the same.
        """
        try:
            self._verify_session(session_id)
        except SessionNotFound:
            pass
        except Busy as away:
            self._name(self._unread, f"{session_id}: {away}")

    def _verify_session(self, session_id: str) -> None:
        done = self._versions

        def told(versions: int) -> None:
            self._versions = done + versions
            self._say()

        report = verify_session(session_id, told=told)
        self._versions = done + report.versions
        self._sessions += 1
        self._bodies += report.bodies
        self._turns += report.turns.count
        self._unchained += report.turns.unchained
        first = report.first_broken or report.first_derived
        self._name(self._broken, report.first_broken)
        self._name(self._derived, report.first_derived)
        if self._compares_search and first is None:
            self._verify_search(session_id)
        self._say()

    def _verify_search(self, session_id: str) -> None:
        try:
            differs = rebuild.differences(session_id)
        except Busy:
            raise
        except (CorruptBody, DomainError) as error:
            self._name(self._broken, f"{session_id}: a turn cannot be read: {error}")
            return
        self._uncompared += differs is None
        if differs:
            parts = ", ".join(differs)
            self._name(self._derived, f"{session_id}: what search reads ({parts})")

    def _verify_record(self, stream_id: str, whose: str) -> None:
        verdict = audit.verify_records(stream_id=stream_id)
        self._records += verdict.count
        self._erased += verdict.erased
        if verdict.broken_at is not None:
            broken = f"the record of {whose}: number {verdict.broken_at} does not hold"
            self._name(self._broken, broken)

    def _compare_rows_of(self, session_id: str) -> None:
        session = Session.with_documents.filter(id=session_id).first()
        project = session and Project.objects.filter(id=session.project_id).first()
        if session and project:
            self._compare_rows(project, session_id)
            if session.kind == words.Kind.KEYED and session.agent_id:
                self._compare_beside(project, session.agent_id)

    def _compare_rows(self, project: Project, session_id: str | None = None) -> None:
        """Hold what people and agents changed beside histories against its records."""
        found = Comparison(
            project_id=project.id,
            secret=bytes(project.index_key),
            session_id=session_id,
            tally=self._rows,
        )
        for difference in found.differences():
            self._name(self._changed, str(difference))
            self._say()

    def _compare_beside(self, project: Project, agent_id: str) -> None:
        """Hold what is kept beside an agent's document against its records."""
        for difference in hooks.differences(project, agent_id, self._rows):
            self._name(self._changed, str(difference))
            self._say()

    def _verify_signatures_of(self, session_id: str) -> None:
        found = verify_signatures(session_id, now=timezone.now())
        self._signed = found.message
        self._name(self._broken, found.finding)

    def _verify_signatures(self, slug: str | None) -> None:
        """Compare what was recomputed: what came since is newer, not wrong."""
        if self._against:
            with witnessed_against(self._against, self._keys, self._say) as held:
                self._hold_against(held, slug)
                for problem in differences(held.notes.index):
                    self._name(self._broken, problem)
            return
        try:
            with witnessed(self._say) as kept:
                self._signed = NO_SIGNATURES
                if kept is not None:
                    self._hold_against(kept, slug)
        except (KeyRefused, OSError) as error:
            self._signed = f"The signatures cannot be read: {error}"
            self._name(self._broken, self._signed)

    def _hold_against(self, kept: Witnessed, slug: str | None) -> None:
        for problem in note_problems(kept.audit):
            self._name(self._broken, problem)
        for problem in contradictions(kept, slug):
            self._name(self._broken, problem)
        self._signed = said_of_signatures(kept, self._sessions)

    def _name(self, names: list[str], finding: Finding | str | None) -> None:
        if finding is None:
            return
        names.append(str(finding))
        if sum(map(len, (self._broken, self._changed, self._derived))) <= NAMED:
            self.stderr.write(str(finding))

    def _say(self) -> None:
        if monotonic() - self._said_at >= SECONDS_BETWEEN_LINES:
            self._said_at = monotonic()
            self.stderr.write(self._totals())

    def _totals(self) -> str:
        return (
            f"{self._sessions:,} sessions, {self._versions:,} versions, "
            f"{self._bodies:,} bodies, {self._turns:,} turns, "
            f"{self._records:,} records of acts"
        )

    def _conclude(self) -> None:
        self.stdout.write(f"Verified {self._totals()}.")
        if self._erased:
            self.stdout.write(
                f"The details of {self._erased:,} of the records were erased: their "
                "leaves stand for what they said."
            )
        if self._unchained:
            self.stdout.write(
                f"{self._unchained:,} of the turns came before there was a chain of "
                "turns: nothing proves what they say."
            )
        if self._uncompared:
            self.stdout.write(
                f"{self._uncompared:,} of the sessions lost something to a removal: "
                "what search reads of them was not compared."
            )
        self.stdout.write(said_of_rows(self._rows, self._sessions))
        self.stdout.write(self._signed)
        weak = notice(weaknesses())
        if weak is not None:
            self.stdout.write(weak)
        wrong = (self._broken, self._changed, self._derived, self._unread)
        if why := said_of_the_gravest(*wrong):
            raise CommandError(why)
        self.stdout.write("All of it holds.")
