"""Holds what is stored against what was acknowledged, and has the store verified."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass

import psycopg

from tests import proof
from tests.faults import family
from tests.faults.journal import Journal, Violation, digest
from tests.live import manage

VERIFY_SECONDS = 900
DRAINED_SECONDS = 120
LEFT = """
SELECT (SELECT count(*) FROM timeline_pending) + (SELECT count(*) FROM audit_outbox)
"""
SAID = 5
SESSIONS = (
    "SELECT s.id FROM timeline_session s"
    " JOIN agents_agent a ON a.id = s.agent_id WHERE a.external_id = %s"
)


@dataclass(frozen=True)
class Checked:
    """What was found, for the table; problems are raised."""

    versions: int
    duplicates: int
    verified: str


def check(dsn: str, journal: Journal, *, verifies: bool = True) -> Checked:
    """Return what is stored, if all promises hold.

    `verifies` has the product's own verification look at everything there is, too.

    Raises: Violation, naming the first promises that do not.
    """
    problems: list[str] = []
    with psycopg.connect(dsn, autocommit=True) as connection:
        problems += _sessions(connection, journal)
        duplicates = _duplicates(connection, journal.agent)
        stored = _versions(connection, journal.agent)
        problems += _missing_keys(connection, journal)
    if duplicates:
        problems.append(f"{duplicates} keys made more than one version")
    if stored != journal.versions:
        problems.append(f"{stored} versions stored, {journal.versions} acknowledged")
    if journal.unknown != journal.resolved:
        left = journal.unknown - journal.resolved
        problems.append(f"{left} unknown outcomes were not resolved")
    if problems:
        listed = "; ".join(problems[:SAID])
        raise Violation(f"{len(problems)} problems: {listed}")
    told = verified(dsn) if verifies else "later"
    return Checked(versions=stored, duplicates=duplicates, verified=told)


def wait_until_drained(dsn: str) -> float:
    """Wait until nothing waits to be projected or fed; return the seconds.

    Raises: Violation.
    """
    began = time.monotonic()
    with psycopg.connect(dsn, autocommit=True) as connection:

        def is_drained() -> bool:
            return connection.execute(LEFT).fetchone() == (0,)

        if not family.wait_for(is_drained, DRAINED_SECONDS):
            raise Violation("what waits to be projected is not projected")
    return time.monotonic() - began


def _sessions(connection: psycopg.Connection, journal: Journal) -> list[str]:
    """Prove every session without the server, and compare number by number."""
    problems = []
    for (session,) in connection.execute(SESSIONS, [journal.agent]):
        if session not in journal.states:
            problems.append(f"{session} was stored, and nobody was told")
    for session, known in journal.states.items():
        try:
            history = proof.read(connection, session)
        except ValueError:
            problems.append(f"{session} was acknowledged, and is not there")
            continue
        problems += [f"{session}: {found}" for found in proof.problems(history)]
        stored = {
            number: digest(state) for number, state in enumerate(proof.states(history))
        }
        problems += _differences(session, known, stored)
        if len(history.turns) != journal.turns[session]:
            problems.append(f"{session}: {len(history.turns)} turns")
    return problems


def _differences(
    session: str, known: dict[int, str], stored: dict[int, str]
) -> list[str]:
    lost = [n for n in known if n not in stored]
    other = [n for n in known if n in stored and known[n] != stored[n]]
    ghosts = [n for n in stored if n not in known]
    found = {"lost": lost, "other than told": other, "told to nobody": ghosts}
    return [f"{session}: {what}: {which}" for what, which in found.items() if which]


def _duplicates(connection: psycopg.Connection, agent: str) -> int:
    """Count the keys that made more than one version anywhere: each was used once."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM timeline_version"
        f" WHERE request_key IS NOT NULL AND session_id IN ({SESSIONS})"
        " GROUP BY request_key HAVING count(*) > 1) twice",
        [agent],
    ).fetchone()
    return int(row[0]) if row else 0


def _missing_keys(connection: psycopg.Connection, journal: Journal) -> list[str]:
    rows = connection.execute(
        "SELECT request_key, session_id, number FROM timeline_version"
        f" WHERE request_key IS NOT NULL AND session_id IN ({SESSIONS})",
        [journal.agent],
    )
    stored = {key: (session, number) for key, session, number in rows}
    wrong = [key for key, place in journal.keys.items() if stored.get(key) != place]
    wrong += stored.keys() - journal.keys.keys()
    return [f"the key {key} is not on the version it made" for key in wrong]


def _versions(connection: psycopg.Connection, agent: str) -> int:
    row = connection.execute(
        f"SELECT count(*) FROM timeline_version WHERE session_id IN ({SESSIONS})",
        [agent],
    ).fetchone()
    return int(row[0]) if row else 0


def verified(dsn: str) -> str:
    """Have the product verify everything.

    Raises: Violation.
    """
    try:
        # What search reads is made anew from the history, and compared.
        said = manage(dsn, "verify", "--search", seconds=VERIFY_SECONDS)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        raise Violation(f"manage.py verify: {error}") from error
    if "All of it holds." not in said:
        raise Violation(f"manage.py verify: {said}")
    return "clean"
